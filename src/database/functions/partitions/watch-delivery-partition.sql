-- Begins to record changes of the deliveries of a partition. From its commit on, none is missed.
--
-- Arguments:
--   p_name  name of the partition
-- Returns: nothing. A partition that is watched already stays so.
-- Locks: the partition, in share row exclusive mode, until the caller's transaction ends; fails after a short wait.
-- Callers: src/webhooks/partitions/maintain.ts
-- Why in the database: statements about tables take no parameters.
create or replace function watch_delivery_partition(p_name text) returns void language plpgsql
set lock_timeout = '200ms' as $$
begin
  execute format('create or replace trigger delivery_changed after insert or update or delete on %I
    for each row execute function note_delivery_change()', 'webhook_deliveries_' || p_name);
end $$;
