-- Adds changes to the counts, for all practices together. If a practice's rows are locked, its changes wait, and those
-- of the other practices are added practice by practice.
--
-- Arguments:
--   p_limit  changes per statement; the sum may be larger
--   p_size   rows of a new chunk
-- Returns: the number of changes; 0 if another process is folding.
-- Locks, in this order: the advisory lock 'list_counts', tried and never waited for; then as fold_changes_of.
-- Callers: src/database/query/kept-counts.ts
-- Why in the database: set-based; one round trip adds thousands of changes.
create or replace function fold_list_changes(p_limit integer, p_size integer) returns integer language plpgsql as $$
declare
  practice text;
  folded integer := 0;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('list_counts', 0)) then return 0; end if;
  begin
    return fold_changes_of(null, p_limit, p_size);
  exception when lock_not_available then null;
  end;
  for practice in select distinct practice_id from list_changes loop
    begin
      folded := folded + fold_changes_of(practice, p_limit, p_size);
    exception when lock_not_available then null;
    end;
  end loop;
  return folded;
end $$;
