-- Splits a chunk of more than twice p_size rows. Deletes the start of an empty chunk, so its range joins the older one.
--
-- Arguments:
--   p_practice_id, p_test, p_list  the list: practice, mode, and 'links', 'payments' or 'deliveries'
--   p_start_at, p_start_id  start of the chunk
--   p_size                  rows of a new chunk
-- Returns: nothing.
-- Locks: the caller has the advisory lock 'list_counts'.
-- Callers: fold_changes_of, check_list_chunk
-- Why in the database: part of folding.
create or replace function split_large_chunk(
  p_practice_id text, p_test boolean, p_list text, p_start_at timestamptz, p_start_id text, p_size integer
) returns void language plpgsql as $$
declare
  total bigint;
begin
  select sum(c.row_count) into total from list_counts c
    where c.practice_id = p_practice_id and c.test = p_test and c.list = p_list and c.group_id = '' and c.label = ''
      and c.start_at = p_start_at and c.start_id = p_start_id;
  if total is null then
    delete from list_chunks c
      where c.practice_id = p_practice_id and c.test = p_test and c.list = p_list
        and c.start_at = p_start_at and c.start_id = p_start_id;
  elsif total > 2 * p_size then
    perform split_list_chunk(p_practice_id, p_test, p_list, p_start_at, p_start_id, p_size);
  end if;
end $$;
