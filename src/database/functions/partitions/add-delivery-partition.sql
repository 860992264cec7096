-- Adds a partition. Rows of its range that are in the default partition move into it.
--
-- Arguments:
--   p_name     name of the partition
--   p_from_id  first id
--   p_to_id    first id after the partition
--   p_most     most deliveries to move, because all other transactions wait for them
-- Returns: the number of deliveries that moved; null if there are more, and then nothing was done.
-- Locks: the default partitions in access exclusive mode, webhook_endpoints in share row exclusive mode; fails after a short wait.
-- Callers: src/webhooks/partitions/maintain.ts
-- Why in the database: statements about tables take no parameters; all of it is one transaction.
create or replace function add_delivery_partition(p_name text, p_from_id text, p_to_id text, p_most integer)
returns integer language plpgsql set lock_timeout = '200ms' as $$
declare
  deliveries text := 'webhook_deliveries_' || p_name;
  moved integer;
begin
  select count(*) into moved from (
    select from webhook_deliveries_default where id >= p_from_id and id < p_to_id limit p_most + 1) as found;
  if moved > p_most then return null; end if;
  perform create_delivery_tables(p_name);
  lock table webhook_deliveries_default, webhook_attempts_default in access exclusive mode;
  lock table webhook_endpoints in share row exclusive mode;
  execute format('insert into %I select * from webhook_deliveries_default where id >= $1 and id < $2', deliveries)
    using p_from_id, p_to_id;
  get diagnostics moved = row_count;
  execute format('insert into %I select * from webhook_attempts_default where delivery_id >= $1 and delivery_id < $2',
    'webhook_attempts_' || p_name) using p_from_id, p_to_id;
  -- The trigger of the deletion below subtracts these rows.
  execute format('insert into list_changes
    select practice_id, test, ''deliveries'', created_at, id, endpoint_id, type, null, status from %I', deliveries);
  delete from webhook_deliveries_default where id >= p_from_id and id < p_to_id;
  perform attach_delivery_tables(p_name, p_from_id, p_to_id);
  return moved;
end $$;
