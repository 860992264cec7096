-- Counts of listed rows, per practice and chunk, so that a list knows its exact total and where a far page begins.
--
-- Three lists are counted: 'links' by creation, 'payments' (paid links) by payment, 'deliveries' by creation. A list of a
-- practice and mode is cut into chunks of some thousand rows. A chunk begins at a position (time, id) and ends before the
-- next one; the oldest begins at ('-infinity', ''), without a row in list_chunks.
-- Each chunk is counted by status: of all its rows (group_id '' and label ''), per group (location or endpoint), per
-- label (external reference or event type), and per both. External references are counted when thousands of links share
-- one; few are looked at one by one.
--
-- Triggers append changes to list_changes; fold_list_changes adds them to list_counts. A count is the sum of both, so it
-- is exact at all times. Appending never waits for anybody; folding is done by one process at a time.

create table list_chunks (
  practice_id text not null,
  test boolean not null,
  list text not null,
  start_at timestamptz not null,
  start_id text not null,
  primary key (practice_id, test, list, start_at, start_id)
);

create table list_counts (
  practice_id text not null,
  test boolean not null,
  list text not null,
  group_id text not null,
  label text not null,
  start_at timestamptz not null,
  start_id text not null,
  status text not null,
  row_count bigint not null,
  primary key (practice_id, test, list, group_id, label, start_at, start_id, status)
) with (fillfactor = 70);

-- A null status before: the row is new; a null status after: it is gone.
create table list_changes (
  practice_id text not null,
  test boolean not null,
  list text not null,
  at timestamptz not null,
  id text not null,
  group_id text not null,
  label text,
  status_before text,
  status_after text
);
create index list_changes_list on list_changes (practice_id, test, list);

-- External references on thousands of links; counted once is_counted.
create table frequent_references (
  practice_id text not null,
  test boolean not null,
  reference text not null,
  is_counted boolean not null default false,
  primary key (practice_id, test, reference)
);
create index frequent_references_uncounted on frequent_references (practice_id) where not is_counted;

-- Orders in which lists are read, each with every filter's equality first.
drop index payment_links_location;
create index payment_links_location on payment_links
  (practice_id, location_id, test, status, created_at desc, id desc);
drop index payment_links_external_reference;
create index payment_links_external_reference on payment_links
  (practice_id, test, external_reference, status, created_at desc, id desc) where external_reference is not null;
drop index payment_links_paid;
create index payment_links_paid on payment_links (practice_id, test, paid_at, id) where paid_at is not null;
drop index webhook_deliveries_unsuccessful;
drop index webhook_deliveries_unsuccessful_newest;
create index webhook_deliveries_status on webhook_deliveries (endpoint_id, status, created_at desc, id desc);
create index webhook_deliveries_type on webhook_deliveries (endpoint_id, type, created_at desc, id desc);
-- Nothing references it.
alter table webhook_deliveries drop constraint webhook_deliveries_practice_id_id_key;

-- An endpoint or location belongs to one practice and, as a rule, has rows of one mode: without these the planner
-- multiplies the shares of both and expects next to nothing.
create statistics webhook_deliveries_owner (dependencies, ndistinct)
  on practice_id, test, endpoint_id from webhook_deliveries;
create statistics webhook_deliveries_state (mcv) on endpoint_id, status, type from webhook_deliveries;
create statistics payment_links_owner (dependencies, ndistinct) on practice_id, test, location_id from payment_links;
create statistics payment_links_state (mcv) on practice_id, test, status from payment_links;
create statistics payment_links_reference (dependencies) on practice_id, external_reference from payment_links;
create statistics transactions_owner (dependencies) on practice_id, payment_link_id from transactions;
create statistics payment_attempts_owner (dependencies) on practice_id, payment_link_id from payment_attempts;
create statistics refunds_owner (dependencies) on practice_id, payment_link_id, transaction_id from refunds;
create statistics disputes_owner (dependencies) on practice_id, payment_link_id, transaction_id from disputes;
create statistics webhook_endpoints_owner (dependencies) on practice_id, test, location_id from webhook_endpoints;
create statistics webhook_attempts_owner (dependencies) on delivery_id, endpoint_id from webhook_attempts;
create statistics api_keys_owner (dependencies) on practice_id, test, location_id from api_keys;

-- The rows that lists show, by list.
create view listed_rows as
  select 'links' as list, practice_id, test, created_at as at, id, location_id as group_id,
    external_reference as label, status
  from payment_links
  union all
  select 'payments', practice_id, test, paid_at, id, location_id, null, 'paid'
  from payment_links where paid_at is not null
  union all
  select 'deliveries', practice_id, test, created_at, id, endpoint_id, type, status
  from webhook_deliveries;

drop trigger payment_links_count_new on payment_links;
drop trigger payment_links_count_changed on payment_links;
drop trigger payment_links_count_deleted on payment_links;
drop function count_new_links(), count_changed_links(), uncount_deleted_links(), fold_link_counts(integer, text);
drop table link_counts, link_count_changes;

-- Triggers of rows, by columns: an update that sets no status calls nothing. Conditions are short, because PostgreSQL
-- reads them anew by every statement: to compare all columns of a row there costs more than the rest. Instead, what moves
-- a row to another count (its owner, group, label or time) is appended by the status that it had, and a change of status
-- by the place that it has now; so both hold in one update, too.
create function append_new_link() returns trigger language plpgsql as $$
begin
  insert into list_changes values
    (new.practice_id, new.test, 'links', new.created_at, new.id, new.location_id, new.external_reference, null, new.status);
  if new.paid_at is not null then
    insert into list_changes values
      (new.practice_id, new.test, 'payments', new.paid_at, new.id, new.location_id, null, null, 'paid');
  end if;
  return null;
end $$;

create function append_link_status() returns trigger language plpgsql as $$
begin
  insert into list_changes values
    (new.practice_id, new.test, 'links', new.created_at, new.id, new.location_id, new.external_reference,
      old.status, new.status);
  return null;
end $$;

create function append_payment() returns trigger language plpgsql as $$
begin
  if old.paid_at is not null then
    insert into list_changes values
      (new.practice_id, new.test, 'payments', old.paid_at, new.id, new.location_id, null, 'paid', null);
  end if;
  if new.paid_at is not null then
    insert into list_changes values
      (new.practice_id, new.test, 'payments', new.paid_at, new.id, new.location_id, null, null, 'paid');
  end if;
  return null;
end $$;

create function append_former_link() returns trigger language plpgsql as $$
begin
  insert into list_changes values
    (old.practice_id, old.test, 'links', old.created_at, old.id, old.location_id, old.external_reference, old.status, null);
  if old.paid_at is not null then
    insert into list_changes values
      (old.practice_id, old.test, 'payments', old.paid_at, old.id, old.location_id, null, 'paid', null);
  end if;
  if tg_op = 'DELETE' then return null; end if;
  insert into list_changes values
    (new.practice_id, new.test, 'links', new.created_at, new.id, new.location_id, new.external_reference, null, old.status);
  if old.paid_at is not null then
    insert into list_changes values
      (new.practice_id, new.test, 'payments', old.paid_at, new.id, new.location_id, null, null, 'paid');
  end if;
  return null;
end $$;

create function append_new_delivery() returns trigger language plpgsql as $$
begin
  insert into list_changes values
    (new.practice_id, new.test, 'deliveries', new.created_at, new.id, new.endpoint_id, new.type, null, new.status);
  return null;
end $$;

create function append_delivery_status() returns trigger language plpgsql as $$
begin
  insert into list_changes values
    (new.practice_id, new.test, 'deliveries', new.created_at, new.id, new.endpoint_id, new.type, old.status, new.status);
  return null;
end $$;

create function append_former_delivery() returns trigger language plpgsql as $$
begin
  insert into list_changes values
    (old.practice_id, old.test, 'deliveries', old.created_at, old.id, old.endpoint_id, old.type, old.status, null);
  if tg_op = 'DELETE' then return null; end if;
  insert into list_changes values
    (new.practice_id, new.test, 'deliveries', new.created_at, new.id, new.endpoint_id, new.type, null, old.status);
  return null;
end $$;

create trigger payment_links_count_new after insert on payment_links
  for each row execute function append_new_link();
create trigger payment_links_count_changed after update of status on payment_links
  for each row when (old.status is distinct from new.status) execute function append_link_status();
create trigger payment_links_count_paid after update of paid_at on payment_links
  for each row when (old.paid_at is distinct from new.paid_at) execute function append_payment();
create trigger payment_links_count_moved
  after update of id, practice_id, test, created_at, location_id, external_reference on payment_links
  for each row execute function append_former_link();
create trigger payment_links_count_deleted after delete on payment_links
  for each row execute function append_former_link();

create trigger webhook_deliveries_count_new after insert on webhook_deliveries
  for each row execute function append_new_delivery();
create trigger webhook_deliveries_count_changed after update of status on webhook_deliveries
  for each row when (old.status is distinct from new.status) execute function append_delivery_status();
create trigger webhook_deliveries_count_moved
  after update of id, practice_id, test, created_at, endpoint_id, type on webhook_deliveries
  for each row execute function append_former_delivery();
create trigger webhook_deliveries_count_deleted after delete on webhook_deliveries
  for each row execute function append_former_delivery();

-- The counts that a row belongs to: of all, of its group, of its label, of both.
create function counts_of_row(p_practice_id text, p_test boolean, p_list text, p_group_id text, p_label text)
returns table (group_id text, label text) language sql stable as $$
  select g, l
  from unnest(array['', p_group_id]) as g,
    unnest(case when p_label is not null and (p_list = 'deliveries' or exists (
        select from frequent_references f
        where f.practice_id = p_practice_id and f.test = p_test and f.reference = p_label and f.is_counted))
      then array['', p_label] else array[''] end) as l
$$;

-- The counts that list_counts should have of the rows from a position on and before another: the rows that there are,
-- without what is still in list_changes. Stable: both are read by one snapshot.
create function true_list_counts(
  p_practice_id text, p_test boolean, p_list text,
  p_from_at timestamptz, p_from_id text, p_to_at timestamptz, p_to_id text
) returns table (group_id text, label text, status text, row_count bigint)
language plpgsql stable set plan_cache_mode = force_custom_plan as $$
begin
  return query
    select c.group_id, c.label, r.status, sum(r.change)::bigint
    from (
      select l.group_id, l.label, l.status, count(*) as change from listed_rows l
      where l.practice_id = p_practice_id and l.test = p_test and l.list = p_list
        -- The planner takes two comparisons of rows for independent and would read the whole table.
        and l.at between p_from_at and p_to_at
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

-- Locks the counts against being folded or rebuilt by anybody else until the transaction ends.
create function lock_list_counts() returns void language sql as $$
  select pg_advisory_xact_lock(hashtextextended('list_counts', 0))
$$;

-- Cuts a chunk, from its start on, into chunks of p_size rows, at most 50 by one call; what is left stays together.
-- Wants the counts locked: then a chunk's counts are the same by every snapshot. Returns how many chunks were added.
create function split_list_chunk(
  p_practice_id text, p_test boolean, p_list text, p_start_at timestamptz, p_start_id text, p_size integer
) returns integer language plpgsql set plan_cache_mode = force_custom_plan as $$
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

-- The counts of a range of positions that are not what they should be.
create function wrong_list_counts(
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

-- Splits a chunk of more than twice p_size rows, and drops the start of an empty one: its range joins the older one.
create function split_large_chunk(
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

-- Checks the counts of the first chunk that starts at a position or after it: how many are wrong, and where the next
-- chunk starts; null after the last one. With p_repair counts the chunk anew if one is wrong, and splits it if it is too
-- large. Rows are only read, so writers go on meanwhile; folding waits for one chunk at most.
create function check_list_chunk(
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
  -- What was split off is looked at next.
  select c.start_at, c.start_id into next_at, next_id from list_chunks c
    where c.practice_id = p_practice_id and c.test = p_test and c.list = p_list
      and (c.start_at, c.start_id) > (start_at, start_id)
    order by c.start_at, c.start_id limit 1;
end $$;

-- Adds up to p_limit changes to the counts, those of one practice or, when it is null, of any; gives how many there were.
-- Wants the counts locked. Of one change in sixteen it looks whether its external reference is on many links.
create function fold_changes_of(p_practice_id text, p_limit integer, p_size integer) returns integer
language plpgsql set plan_cache_mode = force_custom_plan as $$
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

-- Adds changes to the counts; gives how many there were, 0 while another process is at it. At least p_limit: there may be
-- more. While somebody holds rows of a practice, its changes wait, and those of the others are added one by one.
create function fold_list_changes(p_limit integer, p_size integer) returns integer language plpgsql as $$
declare
  owner text;
  folded integer := 0;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('list_counts', 0)) then return 0; end if;
  begin
    return fold_changes_of(null, p_limit, p_size);
  exception when lock_not_available then null;
  end;
  for owner in select distinct practice_id from list_changes loop
    begin
      folded := folded + fold_changes_of(owner, p_limit, p_size);
    exception when lock_not_available then null;
    end;
  end loop;
  return folded;
end $$;

-- Begins to count a reference that was found to be frequent; gives 0 when there is none, or another process is at it.
create function count_frequent_reference() returns integer
language plpgsql set plan_cache_mode = force_custom_plan as $$
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

-- What was there before counts were kept.
insert into list_chunks
  select practice_id, test, list, at, id
  from (
    select practice_id, test, list, at, id, row_number() over (partition by practice_id, test, list order by at, id) as number
    from listed_rows
  ) as numbered
  where number > 2000 and number % 2000 = 1;
insert into list_counts
  select r.practice_id, r.test, r.list, n.group_id, n.label, coalesce(c.start_at, '-infinity'), coalesce(c.start_id, ''),
    r.status, count(*)
  from listed_rows r
    left join lateral (
      select c.start_at, c.start_id from list_chunks c
      where c.practice_id = r.practice_id and c.test = r.test and c.list = r.list
        and (c.start_at, c.start_id) <= (r.at, r.id)
      order by c.start_at desc, c.start_id desc limit 1
    ) as c on true,
    counts_of_row(r.practice_id, r.test, r.list, r.group_id, r.label) as n
  group by r.practice_id, r.test, r.list, n.group_id, n.label, c.start_at, c.start_id, r.status;
insert into frequent_references
  select practice_id, test, external_reference from payment_links where external_reference is not null
  group by practice_id, test, external_reference having count(*) > 2000;

-- The statistics take effect with an analyze. Empty tables are left out: a plan for an empty table is bad once it grows.
do $$
begin
  if exists (select from payment_links) then analyze api_keys, disputes, payment_attempts, payment_links, refunds, transactions, webhook_attempts, webhook_deliveries, webhook_endpoints; end if;
end $$;
