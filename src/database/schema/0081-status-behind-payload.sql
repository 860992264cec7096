-- The status lies behind the payload, with all that changes later. PostgreSQL logs of a new version of a row only what lies between
-- the first and the last change, so a success no longer logs the payload. Rows that are delivered, nearly all, stay as they are:
-- they have the default. The column takes its indexes and checks with it; the next migration makes the indexes.
alter table webhook_deliveries add present_status text not null default 'delivered';
update webhook_deliveries set present_status = status where status <> 'delivered';
alter table webhook_deliveries drop status;
alter table webhook_deliveries rename present_status to status;
alter table webhook_deliveries
  alter status drop default,
  add constraint webhook_deliveries_status_check check (status in ('pending', 'retrying', 'delivered', 'exhausted', 'skipped')),
  add constraint webhook_deliveries_check check ((status = 'delivered') <= (delivered_at is not null)),
  add constraint webhook_deliveries_check1 check ((due_at is not null) = (status in ('pending', 'retrying')));
