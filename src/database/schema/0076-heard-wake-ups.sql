-- Workers hear of due deliveries by notifications of the database. There are no wake-up jobs of endpoints any more, and the worker
-- that has a lease hears of new deliveries itself.
delete from graphile_worker._private_jobs j using graphile_worker._private_tasks t
  where t.id = j.task_id and t.identifier = 'deliver_webhooks';
alter table webhook_endpoints drop column wake_count;
