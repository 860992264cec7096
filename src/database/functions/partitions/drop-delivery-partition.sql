-- Drops a partition without rows.
--
-- Arguments:
--   p_name  name of the partition
-- Returns: true if it was dropped; false if it has rows.
-- Locks: as lock_partitioned_deliveries, unless the partition has rows.
-- Callers: src/webhooks/partitions/maintain.ts
-- Why in the database: statements about tables take no parameters; all of it is one transaction.
create or replace function drop_delivery_partition(p_name text) returns boolean language plpgsql as $$
declare
  has_rows boolean;
  check_rows text := format('select exists (select from %I)', 'webhook_deliveries_' || p_name);
begin
  execute check_rows into has_rows;
  if has_rows then return false; end if;
  perform lock_partitioned_deliveries(p_name);
  execute check_rows into has_rows;
  if has_rows then return false; end if;
  execute format('drop table %I', 'webhook_attempts_' || p_name);
  execute format('drop table %I', 'webhook_deliveries_' || p_name);
  delete from delivery_partitions where name = p_name;
  return true;
end $$;
