-- Creates a pair of tables that can become a partition of deliveries and one of attempts.
--
-- Arguments:
--   p_name  name of the partition
-- Returns: nothing. Attaching adds the foreign key of endpoints and the triggers.
-- Locks: none of tables in use.
-- Callers: add_delivery_partition, replace_delivery_partition
-- Why in the database: statements about tables take no parameters.
create or replace function create_delivery_tables(p_name text) returns void language plpgsql as $$
begin
  execute format('create table %I (like webhook_deliveries including all)', 'webhook_deliveries_' || p_name);
  execute format('create table %I (like webhook_attempts including all)', 'webhook_attempts_' || p_name);
  -- Between the partitions and not their parents: else dropping a partition would read all attempts.
  execute format('alter table %I add foreign key (delivery_id) references %I on delete cascade',
    'webhook_attempts_' || p_name, 'webhook_deliveries_' || p_name);
end $$;
