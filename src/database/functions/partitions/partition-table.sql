-- Turns a table into a partitioned one, without partitions. The table itself is renamed, to become the first partition.
--
-- Arguments:
--   p_table   name of the table
--   p_column  the column of the ranges, which begins the primary key
--   p_skip    a foreign key that stays at the first partition only; null for none
-- Returns: the statements that create the triggers, for the time when the partitions are attached.
-- Locks: the caller has locked the table in access exclusive mode.
-- Callers: partition_deliveries
-- Why in the database: statements about tables take no parameters.
create or replace function partition_table(p_table text, p_column text, p_skip text) returns text[] language plpgsql as $$
declare
  first text := p_table || '_first';
  definition record;
  definitions jsonb;
begin
  select jsonb_agg(d) into definitions from definitions_of_table(p_table) as d;
  execute format('alter table %I rename to %I', p_table, first);
  -- Names of indexes and statistics are unique in the schema.
  for definition in select * from jsonb_to_recordset(definitions) as d (kind text, name text) loop
    case definition.kind
      when 'key' then execute format('alter index %I rename to %I', definition.name, definition.name || '_first');
      when 'index' then execute format('alter index %I rename to %I', definition.name, definition.name || '_first');
      when 'statistics' then execute format('alter statistics %I rename to %I', definition.name, definition.name || '_first');
      when 'trigger' then execute format('drop trigger %I on %I', definition.name, first);
      else null;
    end case;
  end loop;
  execute format('create table %I (like %I including defaults including comments) partition by range (%I)',
    p_table, first, p_column);
  for definition in
    select * from jsonb_to_recordset(definitions) as d (kind text, name text, statement text)
    where kind <> 'trigger' and name not in ('before_partitions', coalesce(p_skip, ''))
    order by array_position(array['key', 'check', 'foreign', 'index', 'statistics', 'privilege'], kind), name
  loop
    execute definition.statement;
  end loop;
  return array(select d.statement from jsonb_to_recordset(definitions) as d (kind text, statement text)
    where d.kind = 'trigger');
end $$;
