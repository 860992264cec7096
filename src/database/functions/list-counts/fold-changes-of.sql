-- Adds changes to the counts and deletes them from list_changes. One change in sixteen checks whether its external
-- reference has become frequent.
--
-- Arguments:
--   p_practice_id  the practice whose changes are added; null for all
--   p_limit        most changes
--   p_size         rows of a new chunk
-- Returns: the number of changes.
-- Locks: the caller has the advisory lock 'list_counts'; then rows of list_changes and list_counts.
-- Callers: fold_list_changes
-- Why in the database: set-based; one statement adds thousands of changes.
create or replace function fold_changes_of(p_practice_id text, p_limit integer, p_size integer) returns integer
language plpgsql
-- Plan hint COUNTING_PLANS.
set plan_cache_mode = force_custom_plan as $$
declare
  folded integer;
  touched list_chunks[];
  emptied list_counts[];
  chunk list_chunks;
begin
  with taken as (
    delete from list_changes where ctid = any (array(
      select l.ctid from list_changes l where p_practice_id is null or l.practice_id = p_practice_id limit p_limit)) returning *
  ), placed as (
    select t.practice_id, t.test, t.list, t.group_id, t.label, m.status, m.change,
      coalesce(c.start_at, '-infinity') as start_at, coalesce(c.start_id, '') as start_id
    from taken t
      left join lateral (
        select c.start_at, c.start_id from list_chunks c
        where c.practice_id = t.practice_id and c.test = t.test and c.list = t.list
          and (c.start_at, c.start_id) <= (t.at, t.id)
        order by c.start_at desc, c.start_id desc limit 1
      ) as c on true,
      lateral (values (t.status_before, -1), (t.status_after, 1)) as m (status, change)
    where m.status is not null
  ), summed as (
    select practice_id, test, list, group_id, label, start_at, start_id, status, sum(change) as change
    from placed group by practice_id, test, list, group_id, label, start_at, start_id, status having sum(change) <> 0
  ), counts as (
    insert into list_counts as c
      select s.practice_id, s.test, s.list, r.group_id, r.label, s.start_at, s.start_id, s.status, sum(s.change)
      from summed s, counts_of_row(s.practice_id, s.test, s.list, s.group_id, s.label) as r
      group by s.practice_id, s.test, s.list, r.group_id, r.label, s.start_at, s.start_id, s.status
      having sum(s.change) <> 0
      on conflict (practice_id, test, list, group_id, label, start_at, start_id, status)
        do update set row_count = c.row_count + excluded.row_count
      returning c.*
  ), candidates as (
    insert into frequent_references
      select practice_id, test, label
      from (
        select distinct practice_id, test, label from taken
        where list = 'links' and label is not null and status_after is not null and hashtext(id) & 15 = 0
      ) as t
      where not exists (
          select from frequent_references f
          where f.practice_id = t.practice_id and f.test = t.test and f.reference = t.label)
        and exists (
          select from payment_links p
          where p.practice_id = t.practice_id and p.test = t.test and p.external_reference = t.label
          offset p_size limit 1)
      on conflict do nothing
  )
  select (select count(*) from taken),
    (select array_agg(distinct row(practice_id, test, list, start_at, start_id)::list_chunks) from counts),
    (select array_agg(c::list_counts) from counts c where row_count = 0)
    into folded, touched, emptied;
  delete from list_counts c using unnest(emptied) as e
    where c.practice_id = e.practice_id and c.test = e.test and c.list = e.list and c.group_id = e.group_id
      and c.label = e.label and c.start_at = e.start_at and c.start_id = e.start_id and c.status = e.status;
  if touched is not null then
    foreach chunk in array touched loop
      perform split_large_chunk(
        chunk.practice_id, chunk.test, chunk.list, chunk.start_at, chunk.start_id, p_size);
    end loop;
  end if;
  return folded;
end $$;
