-- Splits a chunk, from its start on, into chunks of p_size rows, at most 50 per call. The rest stays one chunk.
--
-- Arguments:
--   p_practice_id, p_test, p_list  the list: practice, mode, and 'links', 'payments' or 'deliveries'
--   p_start_at, p_start_id  start of the chunk
--   p_size                  rows of a new chunk
-- Returns: the number of chunks that were added.
-- Locks: the caller has the advisory lock 'list_counts', so every snapshot shows the same counts of a chunk.
-- Callers: split_large_chunk
-- Why in the database: set-based; it reads the rows of a chunk.
create or replace function split_list_chunk(
  p_practice_id text, p_test boolean, p_list text, p_start_at timestamptz, p_start_id text, p_size integer
) returns integer language plpgsql
-- Plan hint COUNTING_PLANS.
set plan_cache_mode = force_custom_plan as $$
declare
  next_at timestamptz;
  next_id text;
  starts list_chunks[];
  from_at timestamptz := p_start_at;
  from_id text := p_start_id;
  last list_chunks;
  chunk list_chunks;
begin
  select c.start_at, c.start_id into next_at, next_id from list_chunks c
    where c.practice_id = p_practice_id and c.test = p_test and c.list = p_list
      and (c.start_at, c.start_id) > (p_start_at, p_start_id)
    order by c.start_at, c.start_id limit 1;
  select array_agg(row(p_practice_id, p_test, p_list, at, id)::list_chunks order by number) into starts
    from (
      select at, id, row_number() over (order by at, id) - 1 as number
      from (
        select l.at, l.id from listed_rows l
        where l.practice_id = p_practice_id and l.test = p_test and l.list = p_list
          and (l.at, l.id) >= (p_start_at, p_start_id)
          and (l.at, l.id) < (coalesce(next_at, 'infinity'), coalesce(next_id, ''))
        order by l.at, l.id limit p_size * 50 + 1
      ) as oldest
    ) as numbered
    where number > 0 and number % p_size = 0;
  if starts is null then return 0; end if;
  insert into list_chunks select * from unnest(starts);
  last := starts[cardinality(starts)];
  update list_counts c set start_at = last.start_at, start_id = last.start_id
    where c.practice_id = p_practice_id and c.test = p_test and c.list = p_list
      and c.start_at = p_start_at and c.start_id = p_start_id;
  foreach chunk in array starts loop
    with truth as (
      select * from true_list_counts(p_practice_id, p_test, p_list, from_at, from_id, chunk.start_at, chunk.start_id)
    ), taken as (
      insert into list_counts as c
        select p_practice_id, p_test, p_list, group_id, label, last.start_at, last.start_id, status, -row_count from truth
        on conflict (practice_id, test, list, group_id, label, start_at, start_id, status)
          do update set row_count = c.row_count + excluded.row_count
    )
    insert into list_counts
      select p_practice_id, p_test, p_list, group_id, label, from_at, from_id, status, row_count from truth;
    from_at := chunk.start_at;
    from_id := chunk.start_id;
  end loop;
  delete from list_counts c
    where c.practice_id = p_practice_id and c.test = p_test and c.list = p_list
      and c.start_at = last.start_at and c.start_id = last.start_id and c.row_count = 0;
  return cardinality(starts);
end $$;
