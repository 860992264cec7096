-- Deliveries and their attempts are whole tables again, in databases of 1.9.0 whose operator had partitioned them. Their rows are copied in one
-- transaction, which needs as much free disk as they take. `triggers.sql` runs afterwards, and creates the triggers.
alter table webhook_deliveries drop constraint if exists before_partitions;
alter table webhook_attempts drop constraint if exists before_partitions;

do $$
declare
  definitions jsonb;
  definition text;
  listed_rows text;
begin
  if (select relkind from pg_class where oid = 'webhook_deliveries'::regclass) <> 'p' then return; end if;
  -- A function of the version that partitioned the tables.
  select jsonb_agg(d) into definitions from (
    select * from definitions_of_table('webhook_deliveries') union all select * from definitions_of_table('webhook_attempts')
  ) as d;
  create table whole_deliveries (like webhook_deliveries including defaults including comments);
  create table whole_attempts (like webhook_attempts including defaults including comments);
  insert into whole_deliveries select * from webhook_deliveries;
  insert into whole_attempts select * from webhook_attempts;
  if to_regclass('listed_rows') is not null then
    listed_rows := pg_get_viewdef('listed_rows'::regclass);
    drop view listed_rows;
  end if;
  drop table webhook_attempts;
  drop table webhook_deliveries;
  alter table whole_deliveries rename to webhook_deliveries;
  alter table whole_attempts rename to webhook_attempts;
  for definition in
    select d.statement from jsonb_to_recordset(definitions) as d (kind text, name text, statement text) where kind <> 'trigger'
    order by array_position(array['key', 'check', 'foreign', 'index', 'statistics', 'privilege'], kind), name
  loop
    execute definition;
  end loop;
  -- The partitions had it, and not their parents.
  alter table webhook_attempts
    add constraint webhook_attempts_delivery_id_fkey foreign key (delivery_id) references webhook_deliveries on delete cascade;
  if listed_rows is not null then execute 'create view listed_rows as ' || listed_rows; end if;
  analyze webhook_deliveries, webhook_attempts;
end $$;

drop table if exists delivery_partitions, delivery_partition_changes;

drop function if exists add_delivery_partition, attach_delivery_tables, bound_whole_deliveries, create_delivery_tables,
  definitions_of_table, deliveries_outside_partitions, drop_delivery_partition, lock_partitioned_deliveries, note_delivery_change,
  partition_deliveries, partition_table, replace_delivery_partition, unbound_whole_deliveries, watch_delivery_partition;
