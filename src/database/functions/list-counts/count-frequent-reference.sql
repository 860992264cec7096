-- Counts one external reference that was found to be frequent. From then on folding keeps its counts.
--
-- Arguments: none.
-- Returns: 1, or 0 if there is none or another process is folding.
-- Locks, in this order: the advisory lock 'list_counts', tried and never waited for; one row of frequent_references.
-- Callers: src/database/query/kept-counts.ts
-- Why in the database: set-based; it reads thousands of links.
create or replace function count_frequent_reference() returns integer
language plpgsql
-- Plan hint COUNTING_PLANS.
set plan_cache_mode = force_custom_plan as $$
declare
  f frequent_references;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('list_counts', 0)) then return 0; end if;
  select * into f from frequent_references where not is_counted limit 1 for update skip locked;
  if not found then return 0; end if;
  insert into list_counts
    select f.practice_id, f.test, 'links', g, f.reference, coalesce(c.start_at, '-infinity'), coalesce(c.start_id, ''),
      r.status, sum(r.change)
    from (
      select created_at as at, id, location_id, p.status, 1 as change from payment_links p
      where p.practice_id = f.practice_id and p.test = f.test and p.external_reference = f.reference
      union all
      select l.at, l.id, l.group_id, m.status, -m.change
      from list_changes l, lateral (values (l.status_before, -1), (l.status_after, 1)) as m (status, change)
      where l.practice_id = f.practice_id and l.test = f.test and l.list = 'links' and l.label = f.reference
        and m.status is not null
    ) as r
      left join lateral (
        select c.start_at, c.start_id from list_chunks c
        where c.practice_id = f.practice_id and c.test = f.test and c.list = 'links'
          and (c.start_at, c.start_id) <= (r.at, r.id)
        order by c.start_at desc, c.start_id desc limit 1
      ) as c on true,
      unnest(array['', r.location_id]) as g
    group by g, c.start_at, c.start_id, r.status having sum(r.change) <> 0;
  update frequent_references set is_counted = true
    where practice_id = f.practice_id and test = f.test and reference = f.reference;
  return 1;
end $$;
