-- Makes tables of the archive children of the tables of the same names, so that all statements read both.
--
-- Arguments:
--   p_most  most pairs to attach; null for all
-- Returns: the number of tables that were no children before. The caller waits before it moves links, so that each statement
--   that was planned before sees all rows where it looks.
-- Locks: each pair of tables until commit, against vacuum, analyze and other changes of the schema; no reads and no writes. It waits
--   longer than deadlock_timeout, after which autovacuum gives way.
-- Callers: src/payment-links/archive-tables.ts
-- Why in the database: statements about tables.
create or replace function attach_archive(p_most integer) returns integer language plpgsql set lock_timeout = '1500ms' as $$
declare
  name text;
  attached integer := 0;
begin
  for name in
    select c.relname from pg_class c
    where c.relnamespace = 'archive'::regnamespace and c.relkind = 'r'
      and not exists (select from pg_inherits i where i.inhrelid = c.oid)
    order by c.relname limit p_most
  loop
    execute format('alter table archive.%1$I inherit public.%1$I', name);
    attached := attached + 1;
  end loop;
  return attached;
end $$;
