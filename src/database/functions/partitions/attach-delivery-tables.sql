-- Attaches a pair of tables as partitions, and records them.
--
-- Arguments:
--   p_name     name of the partition
--   p_from_id  first id; null for the beginning of time
--   p_to_id    first id after the partition
-- Returns: nothing.
-- Locks: the caller has locked the default partitions and webhook_endpoints.
-- Callers: add_delivery_partition, replace_delivery_partition, partition_deliveries
-- Why in the database: statements about tables take no parameters.
create or replace function attach_delivery_tables(p_name text, p_from_id text, p_to_id text) returns void
language plpgsql as $$
declare
  range text := format('from (%s) to (%L)', coalesce(quote_literal(p_from_id), 'minvalue'), p_to_id);
begin
  execute format('alter table webhook_deliveries attach partition %I for values %s', 'webhook_deliveries_' || p_name, range);
  execute format('alter table webhook_attempts attach partition %I for values %s', 'webhook_attempts_' || p_name, range);
  insert into delivery_partitions (name, from_id, to_id) values (p_name, p_from_id, p_to_id);
end $$;
