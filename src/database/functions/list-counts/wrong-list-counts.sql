-- Returns the counts of a range that differ from the rows.
--
-- Arguments:
--   p_practice_id, p_test, p_list  the list: practice, mode, and 'links', 'payments' or 'deliveries'
--   p_from_at, p_from_id  first position of the range
--   p_to_at, p_to_id      position after the range
-- Returns: one row per wrong count, with the kept and the counted number.
-- Locks: none.
-- Callers: check_list_chunk
-- Why in the database: set-based; it reads the rows of a chunk.
create or replace function wrong_list_counts(
  p_practice_id text, p_test boolean, p_list text,
  p_from_at timestamptz, p_from_id text, p_to_at timestamptz, p_to_id text
) returns table (group_id text, label text, status text, kept bigint, counted bigint) language sql stable as $$
  select group_id, label, status, sum(kept)::bigint, sum(counted)::bigint
  from (
    select group_id, label, status, row_count as kept, 0 as counted from list_counts c
    where c.practice_id = p_practice_id and c.test = p_test and c.list = p_list
      and (c.start_at, c.start_id) >= (p_from_at, p_from_id) and (c.start_at, c.start_id) < (p_to_at, p_to_id)
    union all
    select group_id, label, status, 0, row_count
    from true_list_counts(p_practice_id, p_test, p_list, p_from_at, p_from_id, p_to_at, p_to_id)
  ) as either
  group by group_id, label, status having sum(kept) <> sum(counted)
$$;
