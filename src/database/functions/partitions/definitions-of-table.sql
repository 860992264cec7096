-- Returns the statements that create what belongs to a table: constraints, indexes, statistics, triggers, privileges.
--
-- Arguments:
--   p_table  name of the table
-- Returns: per object its kind, its name, and the statement that creates it on the table that has this name by then. Kinds:
--   'check', 'key' (primary and unique), 'foreign', 'index' (of no constraint), 'statistics', 'trigger', 'privilege'.
-- Locks: none.
-- Callers: partition_table
-- Why in the database: the catalogue has these statements.
create or replace function definitions_of_table(p_table text) returns table (kind text, name text, statement text)
language sql stable as $$
  select case contype when 'c' then 'check' when 'f' then 'foreign' else 'key' end, conname::text,
    format('alter table %I add constraint %I %s', p_table, conname, pg_get_constraintdef(oid))
  from pg_constraint where conrelid = p_table::regclass and contype in ('c', 'f', 'p', 'u')
  union all
  select 'index', indexrelid::regclass::text, pg_get_indexdef(indexrelid)
  from pg_index where indrelid = p_table::regclass
    and not exists (select from pg_constraint where conindid = indexrelid and contype in ('p', 'u', 'x'))
  union all
  select 'statistics', stxname::text, pg_get_statisticsobjdef(oid) from pg_statistic_ext where stxrelid = p_table::regclass
  union all
  select 'trigger', tgname::text, pg_get_triggerdef(oid) from pg_trigger where tgrelid = p_table::regclass and not tgisinternal
  union all
  select 'privilege', privilege_type, format('grant %s on table %I to %s', privilege_type, p_table,
    case grantee when 0 then 'public' else quote_ident(pg_get_userbyid(grantee)) end)
  from pg_class c, aclexplode(c.relacl) where c.oid = p_table::regclass and grantee <> c.relowner
$$;
