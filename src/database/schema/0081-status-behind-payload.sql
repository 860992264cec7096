-- The status lies behind the payload, with all that changes later. Of a new version of a row, PostgreSQL logs what lies between
-- its first and its last change. So a success no longer logs the payload. Nearly all rows are delivered: they have the default,
-- and stay as they are. Indexes and checks go with the former column. The next migration makes the indexes.
alter table webhook_deliveries add present_status text not null default 'delivered';
update webhook_deliveries set present_status = status where status <> 'delivered';
alter table webhook_deliveries drop status;
alter table webhook_deliveries rename present_status to status;
alter table webhook_deliveries
  alter status drop default,
  add constraint webhook_deliveries_status_check check (status in ('pending', 'retrying', 'delivered', 'exhausted', 'skipped')),
  add constraint webhook_deliveries_check check ((status = 'delivered') <= (delivered_at is not null)),
  add constraint webhook_deliveries_check1 check ((due_at is not null) = (status in ('pending', 'retrying')));
