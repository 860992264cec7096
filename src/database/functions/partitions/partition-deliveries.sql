-- Partitions deliveries and their attempts by id. The present tables become the first partition; no row moves.
--
-- Arguments:
--   p_to_id  first id after the first partition; bound_whole_deliveries was called with it, and its constraints are valid
-- Returns: nothing.
-- Locks: deliveries, attempts and endpoints in access exclusive mode; fails after a short wait.
-- Callers: src/webhooks/partitions/convert.ts
-- Why in the database: statements about tables take no parameters; all of it is one transaction.
create or replace function partition_deliveries(p_to_id text) returns void language plpgsql
set lock_timeout = '200ms' as $$
declare
  listed_rows text;
  attempts_key text;
  statement text;
  triggers text[];
begin
  lock table webhook_deliveries, webhook_attempts, webhook_endpoints in access exclusive mode;
  -- Else the tables would be read under this lock.
  if (select count(*) from pg_constraint where conname = 'before_partitions' and convalidated
      and conrelid in ('webhook_deliveries'::regclass, 'webhook_attempts'::regclass)
      and pg_get_constraintdef(oid) like '%' || quote_literal(p_to_id) || '%') <> 2 then
    raise exception 'the constraints before_partitions are not valid any more';
  end if;
  listed_rows := pg_get_viewdef('listed_rows'::regclass);
  select conname into strict attempts_key from pg_constraint
    where conrelid = 'webhook_attempts'::regclass and confrelid = 'webhook_deliveries'::regclass;
  triggers := partition_table('webhook_deliveries', 'id', null);
  triggers := triggers || partition_table('webhook_attempts', 'delivery_id', attempts_key);
  perform attach_delivery_tables('first', null, p_to_id);
  alter table webhook_deliveries_first drop constraint before_partitions;
  alter table webhook_attempts_first drop constraint before_partitions;
  create table webhook_deliveries_default partition of webhook_deliveries default;
  create table webhook_attempts_default partition of webhook_attempts default;
  alter table webhook_attempts_default
    add foreign key (delivery_id) references webhook_deliveries_default on delete cascade;
  foreach statement in array triggers loop
    execute statement;
  end loop;
  execute 'create or replace view listed_rows as ' || listed_rows;
end $$;
