-- Locks the counts of all lists until the end of the transaction. No other transaction folds, splits or repairs them.
--
-- Arguments: none.
-- Returns: nothing.
-- Locks: the advisory lock 'list_counts'. Waits for it. Readers and writers of lists do not take it.
-- Callers: check_list_chunk
-- Why in the database: part of check_list_chunk.
create or replace function lock_list_counts() returns void language sql as $$
  select pg_advisory_xact_lock(hashtextextended('list_counts', 0))
$$;
