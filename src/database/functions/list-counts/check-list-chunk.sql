-- Compares the counts of one chunk with its rows, and repairs them on request.
--
-- Arguments:
--   p_practice_id, p_test, p_list  the list: practice, mode, and 'links', 'payments' or 'deliveries'
--   p_from_at, p_from_id  checks the first chunk that starts at this position or after it
--   p_repair              true: counts the chunk again if a count is wrong, and splits it if it is too large
--   p_size                rows of a new chunk
-- Returns: the number of wrong counts, and the start of the next chunk; null after the last one.
-- Locks: the advisory lock 'list_counts'. Rows are only read, so writers continue; folding waits for one chunk at most.
-- Callers: src/database/query/kept-counts.ts
-- Why in the database: set-based; it reads the rows of a chunk.
create or replace function check_list_chunk(
  p_practice_id text, p_test boolean, p_list text, p_from_at timestamptz, p_from_id text,
  p_repair boolean, p_size integer, out wrong integer, out next_at timestamptz, out next_id text
) language plpgsql as $$
#variable_conflict use_variable
declare
  start_at timestamptz := p_from_at;
  start_id text := p_from_id;
begin
  perform lock_list_counts();
  if p_from_at > '-infinity' then
    select c.start_at, c.start_id into start_at, start_id from list_chunks c
      where c.practice_id = p_practice_id and c.test = p_test and c.list = p_list
        and (c.start_at, c.start_id) >= (p_from_at, p_from_id)
      order by c.start_at, c.start_id limit 1;
    if not found then wrong := 0; return; end if;
  end if;
  select c.start_at, c.start_id into next_at, next_id from list_chunks c
    where c.practice_id = p_practice_id and c.test = p_test and c.list = p_list
      and (c.start_at, c.start_id) > (start_at, start_id)
    order by c.start_at, c.start_id limit 1;
  select count(*) into wrong from wrong_list_counts(
    p_practice_id, p_test, p_list, start_at, start_id, coalesce(next_at, 'infinity'), coalesce(next_id, ''));
  if not p_repair then return; end if;
  if wrong > 0 then
    delete from list_counts c
      where c.practice_id = p_practice_id and c.test = p_test and c.list = p_list
        and (c.start_at, c.start_id) >= (start_at, start_id)
        and (c.start_at, c.start_id) < (coalesce(next_at, 'infinity'), coalesce(next_id, ''));
    insert into list_counts
      select p_practice_id, p_test, p_list, group_id, label, start_at, start_id, status, row_count
      from true_list_counts(
        p_practice_id, p_test, p_list, start_at, start_id, coalesce(next_at, 'infinity'), coalesce(next_id, ''));
  end if;
  perform split_large_chunk(p_practice_id, p_test, p_list, start_at, start_id, p_size);
  -- The next chunk may be one that was split off.
  select c.start_at, c.start_id into next_at, next_id from list_chunks c
    where c.practice_id = p_practice_id and c.test = p_test and c.list = p_list
      and (c.start_at, c.start_id) > (start_at, start_id)
    order by c.start_at, c.start_id limit 1;
end $$;
