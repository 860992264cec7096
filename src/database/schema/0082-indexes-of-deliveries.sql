-- A success writes each index of its delivery again. So one index serves all lists of an endpoint, and has the status. Lists of
-- what has failed have an index of their own. A delivery that succeeds never enters it.
create index webhook_deliveries_due on webhook_deliveries (endpoint_id, rank, due_at, id)
  where status in ('pending', 'retrying');
create index webhook_deliveries_endpoint_status on webhook_deliveries (endpoint_id, created_at desc, id desc) include (status);
create index webhook_deliveries_failed on webhook_deliveries (endpoint_id, status, created_at desc, id desc)
  where status in ('exhausted', 'skipped');
create index webhook_deliveries_type_status on webhook_deliveries (endpoint_id, type, created_at desc, id desc) include (status);
create index webhook_deliveries_delivered on webhook_deliveries (delivered_at) where status = 'delivered';
drop index webhook_deliveries_endpoint;
