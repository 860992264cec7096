-- Replaces a partition by one that has only its survivors: the deliveries whose retention is not over.
--
-- Survivors are copied and the removed rows leave the kept counts while other transactions go on. Then the function locks the
-- tables, copies once more what has changed since, and exchanges the partitions.
--
-- Arguments:
--   p_name              name of the partition; watch_delivery_partition must have been called, and committed
--   p_new_name          name of the new partition
--   p_now               the present
--   p_delivered_before  retention of events that were delivered before this time is over
--   p_created_before    retention of all others that were created before this time is over,
--   p_attempted_before  but a delivery run that a client asked for must have ended, before this time
-- Returns: the numbers of deliveries that were kept and removed.
-- Locks: the advisory lock of FILL_LOCK, tried; the advisory lock 'list_counts'; at the end as lock_partitioned_deliveries.
-- Callers: src/webhooks/partitions/maintain.ts
-- Why in the database: set-based, and all of it is one transaction.
create or replace function replace_delivery_partition(
  p_name text, p_new_name text, p_now timestamptz, p_delivered_before timestamptz, p_created_before timestamptz,
  p_attempted_before timestamptz, out kept integer, out removed integer
) language plpgsql
-- Plan hint COUNTING_PLANS.
set plan_cache_mode = force_custom_plan as $$
declare
  replaced delivery_partitions;
  old_deliveries text := 'webhook_deliveries_' || p_name;
  new_deliveries text := 'webhook_deliveries_' || p_new_name;
  old_attempts text := 'webhook_attempts_' || p_name;
  new_attempts text := 'webhook_attempts_' || p_new_name;
  -- The condition is that of src/webhooks/events/retention.ts. A test compares both.
  is_expired text := format('case when status = ''delivered'' then delivered_at < %1$L
    else created_at < %2$L and (delivery_run = ''automatic''
      or (due_at is null and coalesce(last_attempt_at, created_at) < %3$L)) end',
    p_delivered_before, p_created_before, p_attempted_before);
  touched list_chunks[];
  chunk list_chunks;
begin
  -- While the practices of attempts are filled (src/database/practice-columns.ts), the copy would miss some of them.
  if not pg_try_advisory_xact_lock_shared(8042578) then
    raise lock_not_available using message = 'migrate fills the practices of attempts';
  end if;
  -- The chunks of the counts stay as they are until the end.
  perform lock_list_counts();
  select * into strict replaced from delivery_partitions where name = p_name;
  perform create_delivery_tables(p_new_name);
  -- One statement, so one snapshot: each row is copied or leaves the counts, and changes recorded so far are cleared.
  execute format('with copied as (
      insert into %1$I select * from %2$I where not %3$s returning id
    ), cleared as (
      delete from delivery_partition_changes
    ), removed_rows as (
      select practice_id, test, created_at, id, endpoint_id, type, status from %2$I where %3$s
    ), placed as (
      select practice_id, test, endpoint_id, type, status, coalesce(c.start_at, ''-infinity'') as start_at,
        coalesce(c.start_id, '''') as start_id, count(*) as row_count
      from removed_rows r left join lateral (
        select c.start_at, c.start_id from list_chunks c
        where c.practice_id = r.practice_id and c.test = r.test and c.list = ''deliveries''
          and (c.start_at, c.start_id) <= (r.created_at, r.id)
        order by c.start_at desc, c.start_id desc limit 1
      ) as c on true
      group by practice_id, test, endpoint_id, type, status, c.start_at, c.start_id
    ), counts as (
      insert into list_counts as c
        select practice_id, test, ''deliveries'', r.group_id, r.label, start_at, start_id, status, -sum(row_count)
        from placed, counts_of_row(practice_id, test, ''deliveries'', endpoint_id, type) as r
        group by practice_id, test, r.group_id, r.label, start_at, start_id, status
        on conflict (practice_id, test, list, group_id, label, start_at, start_id, status)
          do update set row_count = c.row_count + excluded.row_count
        returning c.*
    )
    select (select count(*) from copied), (select coalesce(sum(row_count), 0) from placed),
      (select array_agg(distinct row(practice_id, test, list, start_at, start_id)::list_chunks) from counts)',
    new_deliveries, old_deliveries, is_expired) into kept, removed, touched;
  execute format('insert into %I select a.* from %I a join %I d on d.id = a.delivery_id',
    new_attempts, old_attempts, new_deliveries);
  delete from list_counts c using unnest(touched) as t
    where c.practice_id = t.practice_id and c.test = t.test and c.list = t.list and c.start_at = t.start_at
      and c.start_id = t.start_id and c.row_count = 0;
  -- Chunks that are empty now join their neighbours.
  foreach chunk in array coalesce(touched, '{}') loop
    perform split_large_chunk(chunk.practice_id, chunk.test, chunk.list, chunk.start_at, chunk.start_id, 1 << 29);
  end loop;
  execute format('analyze %I, %I', new_deliveries, new_attempts);
  perform lock_partitioned_deliveries(p_name);
  -- A row that left the counts and has changed is still there, or its deletion left the counts as well.
  execute format('insert into list_changes
    select practice_id, test, ''deliveries'', created_at, id, endpoint_id, type, null, status
    from (select distinct on (id) * from delivery_partition_changes order by id, number) as first
    where status is not null and not exists (select from %I d where d.id = first.id)', new_deliveries);
  execute format('delete from %I where id in (select id from delivery_partition_changes)', new_deliveries);
  execute format('insert into %I select * from %I where id in (select id from delivery_partition_changes)',
    new_deliveries, old_deliveries);
  execute format('insert into %I select * from %I where delivery_id in (select id from delivery_partition_changes)',
    new_attempts, old_attempts);
  delete from delivery_partition_changes;
  execute format('drop table %I', old_attempts);
  execute format('drop table %I', old_deliveries);
  delete from delivery_partitions where name = p_name;
  perform attach_delivery_tables(p_new_name, replaced.from_id, replaced.to_id);
  update delivery_partitions set replaced_at = p_now where name = p_new_name;
end $$;
