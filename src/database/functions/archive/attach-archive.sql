-- Makes the tables of the archive children of the tables of the same names, so that all statements read both.
--
-- Arguments: none.
-- Returns: true if a table was not a child before. The caller waits before it moves links, so that each statement that was
--   planned before sees all rows where it looks.
-- Locks: each pair of tables until commit, against vacuum and other changes of the schema; no reads and no writes.
-- Callers: src/payment-links/archive-links.ts
-- Why in the database: statements about tables; all of it is one transaction.
create or replace function attach_archive() returns boolean language plpgsql set lock_timeout = '200ms' as $$
declare
  name text;
  attached boolean := false;
begin
  for name in
    select c.relname from pg_class c
    where c.relnamespace = 'archive'::regnamespace and c.relkind = 'r'
      and not exists (select from pg_inherits i where i.inhrelid = c.oid)
    order by c.relname
  loop
    execute format('alter table archive.%1$I inherit public.%1$I', name);
    attached := true;
  end loop;
  return attached;
end $$;
