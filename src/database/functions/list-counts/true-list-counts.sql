-- Returns what list_counts must contain for a range: the rows that exist, without what is still in list_changes.
--
-- Arguments:
--   p_practice_id, p_test, p_list  the list: practice, mode, and 'links', 'payments' or 'deliveries'
--   p_from_at, p_from_id  first position of the range
--   p_to_at, p_to_id      position after the range
-- Returns: one row per group, label and status whose count is not 0.
-- Locks: none. It is stable, so one snapshot reads rows and changes.
-- Callers: split_list_chunk, wrong_list_counts, check_list_chunk
-- Why in the database: set-based; it reads the thousands of rows of a chunk.
create or replace function true_list_counts(
  p_practice_id text, p_test boolean, p_list text,
  p_from_at timestamptz, p_from_id text, p_to_at timestamptz, p_to_id text
) returns table (group_id text, label text, status text, row_count bigint)
language plpgsql stable
-- Plan hint COUNTING_PLANS.
set plan_cache_mode = force_custom_plan as $$
begin
  return query
    select c.group_id, c.label, r.status, sum(r.change)::bigint
    from (
      select l.group_id, l.label, l.status, count(*) as change from listed_rows l
      where l.practice_id = p_practice_id and l.test = p_test and l.list = p_list
        and (l.at, l.id) >= (p_from_at, p_from_id) and (l.at, l.id) < (p_to_at, p_to_id)
      group by l.group_id, l.label, l.status
      union all
      select l.group_id, l.label, m.status, -m.change
      from list_changes l, lateral (values (l.status_before, -1), (l.status_after, 1)) as m (status, change)
      where l.practice_id = p_practice_id and l.test = p_test and l.list = p_list and m.status is not null
        and (l.at, l.id) >= (p_from_at, p_from_id) and (l.at, l.id) < (p_to_at, p_to_id)
    ) as r, counts_of_row(p_practice_id, p_test, p_list, r.group_id, r.label) as c
    group by c.group_id, c.label, r.status having sum(r.change) <> 0;
end $$;
