-- Forbids ids from p_to_id on in tables that are not partitioned. So they can become the first partition without being read
-- under a lock. The caller validates both constraints, or removes them by unbound_whole_deliveries.
--
-- Arguments:
--   p_to_id  first id that is not allowed
-- Returns: nothing.
-- Locks: deliveries and attempts in access exclusive mode; fails after a short wait.
-- Callers: src/webhooks/partitions/convert.ts
-- Why in the database: statements about tables take no parameters.
create or replace function bound_whole_deliveries(p_to_id text) returns void language plpgsql
set lock_timeout = '200ms' as $$
begin
  perform unbound_whole_deliveries();
  execute format('alter table webhook_deliveries add constraint before_partitions check (id < %L) not valid', p_to_id);
  execute format('alter table webhook_attempts add constraint before_partitions check (delivery_id < %L) not valid', p_to_id);
end $$;
