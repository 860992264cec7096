-- How many links there are, kept as they change, so that a list can tell its exact total without counting them.
--
-- `what` is a status, by the day on which the link was created, or 'paid_on', by the day on which it was paid. Days are
-- of UTC; the day 'infinity' is the sum of all. What was not folded in yet lies in `link_count_changes`: the count is
-- the sum of both. Changes are appended, never updated, so that links of one practice never wait for each other.
create table link_counts (
  practice_id text not null,
  test boolean not null,
  what text not null,
  day date not null,
  location_id text not null,
  links bigint not null,
  primary key (practice_id, test, what, day, location_id)
) with (fillfactor = 70);

create table link_count_changes (
  practice_id text not null,
  test boolean not null,
  what text not null,
  day date not null,
  location_id text not null,
  change integer not null
);
create index link_count_changes_practice on link_count_changes (practice_id, test);

create function count_new_links() returns trigger language plpgsql as $$
begin
  insert into link_count_changes (practice_id, test, what, day, location_id, change)
    select practice_id, test, what, (at at time zone 'UTC')::date as day, location_id, count(*)
    from new_links, lateral (values (status, created_at), ('paid_on', paid_at)) as counted (what, at)
    where at is not null
    group by practice_id, test, what, day, location_id;
  return null;
end $$;

create function count_changed_links() returns trigger language plpgsql as $$
begin
  insert into link_count_changes (practice_id, test, what, day, location_id, change)
    select practice_id, test, what, (at at time zone 'UTC')::date as day, location_id, sum(change)
    from (
      select practice_id, test, location_id, status, created_at, paid_at, 1 as change from new_links
      union all
      select practice_id, test, location_id, status, created_at, paid_at, -1 from old_links
    ) as links, lateral (values (status, created_at), ('paid_on', paid_at)) as counted (what, at)
    where at is not null
    group by practice_id, test, what, day, location_id having sum(change) <> 0;
  return null;
end $$;

create function uncount_deleted_links() returns trigger language plpgsql as $$
begin
  insert into link_count_changes (practice_id, test, what, day, location_id, change)
    select practice_id, test, what, (at at time zone 'UTC')::date as day, location_id, -count(*)
    from old_links, lateral (values (status, created_at), ('paid_on', paid_at)) as counted (what, at)
    where at is not null
    group by practice_id, test, what, day, location_id;
  return null;
end $$;

create trigger payment_links_count_new after insert on payment_links
  referencing new table as new_links for each statement execute function count_new_links();
create trigger payment_links_count_changed after update on payment_links
  referencing old table as old_links new table as new_links for each statement execute function count_changed_links();
create trigger payment_links_count_deleted after delete on payment_links
  referencing old table as old_links for each statement execute function uncount_deleted_links();

-- Folds up to so many changes into the counts; gives how many there were, 0 while another process is at it.
create function fold_link_counts(p_limit integer) returns integer language plpgsql as $$
declare
  folded integer;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('fold_link_counts', 0)) then return 0; end if;
  with taken as (
    delete from link_count_changes where ctid = any (array(select ctid from link_count_changes limit p_limit))
    returning practice_id, test, what, day, location_id, change
  ), sums as (
    insert into link_counts as c (practice_id, test, what, day, location_id, links)
      select practice_id, test, what, either.day, location_id, sum(change)
      from taken, lateral (values (taken.day), ('infinity'::date)) as either (day)
      group by practice_id, test, what, either.day, location_id
    on conflict (practice_id, test, what, day, location_id) do update set links = c.links + excluded.links
  )
  select count(*) into folded from taken;
  return folded;
end $$;

-- Active links that are overdue count as expired before anybody has written it down.
create index payment_links_overdue on payment_links (practice_id, test, expires_at) where status = 'active';

insert into link_count_changes (practice_id, test, what, day, location_id, change)
  select practice_id, test, what, (at at time zone 'UTC')::date as day, location_id, count(*)
  from payment_links, lateral (values (status, created_at), ('paid_on', paid_at)) as counted (what, at)
  where at is not null
  group by practice_id, test, what, day, location_id;
