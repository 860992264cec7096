-- No statement waits long for a lock while it holds those of other practices.

drop function admit_request(text, integer, integer, bytea, timestamptz);
drop function admit_requests(text[], bytea[], integer, integer, timestamptz);
drop function take_rate_slot(text, integer, timestamptz);
drop function open_rate_windows(text[], integer[], timestamptz);

-- Locks windows, of subjects that differ from each other, and tells of each how many were ever admitted, the first that
-- still lies inside, when that was, and the present moment: `p_now`, or the database's clock when it is null, read with
-- the window locked, so that admissions of all processes stand in one order. With `p_leaves_out`, windows that somebody
-- else holds are left out: their values are null.
--
-- Locks in descending order of subjects, and inserts missing windows last, so two statements cannot deadlock. Windows of
-- keys come before those of addresses: a statement that waits for a key holds no address that other practices share.
create function open_rate_windows(
  p_subjects text[], p_limits integer[], p_now timestamptz, p_leaves_out boolean,
  out admitted bigint[], out oldest bigint[], out oldest_times timestamptz[], out moments timestamptz[]
) language plpgsql as $$
declare
  w rate_windows;
  lockable text[] := p_subjects;
  moment timestamptz;
  at integer;
  locked integer := 0;
begin
  admitted := array_fill(null::bigint, array[cardinality(p_subjects)]);
  oldest := admitted;
  oldest_times := array_fill(null::timestamptz, array[cardinality(p_subjects)]);
  moments := oldest_times;
  if p_leaves_out then
    select coalesce(array_agg(free.subject), '{}') into lockable
      from (select r.subject from rate_windows r where r.subject = any (p_subjects) for update skip locked) as free;
  end if;
  for w in
    select * from rate_windows r where r.subject = any (lockable) order by r.subject collate "C" desc for update
  loop
    locked := locked + 1;
    at := array_position(p_subjects, w.subject);
    moment := coalesce(p_now, clock_timestamp());
    if w.newest_at <= moment - interval '60 seconds' or w.newest_at > moment + interval '60 seconds' then
      -- Long ago; or the clock was set back, and what was written before says nothing any more.
      w.oldest := w.admitted;
    else
      -- Small steps back are evened out.
      moment := greatest(moment, w.newest_at);
      while w.oldest < w.admitted and w.oldest_at <= moment - interval '60 seconds' loop
        w.oldest := w.oldest + 1;
        select s.admitted_at into w.oldest_at from rate_slots s
          where s.subject = w.subject and s.slot = (w.oldest % p_limits[at])::integer;
      end loop;
    end if;
    admitted[at] := w.admitted;
    oldest[at] := w.oldest;
    -- With nothing inside, what is admitted next will be the oldest.
    oldest_times[at] := case when w.oldest = w.admitted then moment else w.oldest_at end;
    moments[at] := moment;
  end loop;
  if locked = cardinality(p_subjects) then return; end if;
  for w in
    insert into rate_windows (subject, admitted, oldest, newest_at)
      select missing, 0, 0, '-infinity' from unnest(p_subjects, admitted) as asked (missing, is_open)
      where is_open is null order by missing collate "C" desc
      on conflict (subject) do nothing returning *
  loop
    locked := locked + 1;
    at := array_position(p_subjects, w.subject);
    moment := coalesce(p_now, clock_timestamp());
    admitted[at] := 0;
    oldest[at] := 0;
    oldest_times[at] := moment;
    moments[at] := moment;
  end loop;
  if locked < cardinality(p_subjects) and not p_leaves_out then
    raise serialization_failure using message = 'a rate window was made or removed meanwhile', hint = 'try again';
  end if;
end $$;

-- Takes one place in a sliding window of 60 seconds, or refuses and changes nothing. The subject names the limit too:
-- another limit is another window.
create function take_rate_slot(
  p_subject text, p_limit integer, p_now timestamptz,
  out granted boolean, out remaining integer, out reset_seconds integer
) language plpgsql
set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  w record;
begin
  w := open_rate_windows(array[p_subject], array[p_limit], p_now, false);
  remaining := p_limit - (w.admitted[1] - w.oldest[1]);
  granted := remaining > 0;
  if granted then
    remaining := remaining - 1;
    perform fill_rate_windows(
      array[p_subject], array[p_limit], w.admitted, array[w.admitted[1] + 1], w.oldest, w.oldest_times, w.moments);
  end if;
  reset_seconds := seconds_until_free(w.oldest_times[1], w.moments[1]);
end $$;

-- Admits requests that came together in one round trip, each as if it came alone, one after the other: address window,
-- key, API access, key window. Returns a row for each, in their order. A null hash asks for the address alone. A key that
-- isn't accepted takes a place among the failures of its address; when those are used up, the refusal is failures_limited
-- instead of unknown_key.
--
-- Waits `p_lock_wait_ms` for a window that somebody else holds; with `p_leaves_out` a request whose window is held is left
-- out instead, as busy, and takes no place anywhere.
create function admit_requests(
  p_addresses text[], p_hashes bytea[], p_address_limit integer, p_failure_limit integer, p_now timestamptz,
  p_lock_wait_ms integer, p_leaves_out boolean
) returns setof admission language plpgsql
-- Planning anew for the number of requests would cost a third of the whole, and reading all of a small table in one go
-- is not to be kept for when it has grown.
set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  request record;
  answer admission;
  answers admission[];
  is_stale boolean[];
  -- Of each request, the places of its windows in the arrays below; the second is null when it asks for none.
  first_window integer[];
  second_window integer[];
  -- Of each window.
  subjects text[] := '{}';
  limits integer[] := '{}';
  opened record;
  admitted bigint[];
  subject text;
  slots integer;
  at integer;
  stale_keys text[];
begin
  perform set_config('lock_timeout', p_lock_wait_ms::text, true);
  for request in
    select r.position::integer, address, hash, k.*
    from unnest(p_addresses, p_hashes) with ordinality as r (address, hash, position)
      left join lateral (
        select a.id, a.practice_id, a.test, a.scopes, a.location_id, a.requests_per_minute, p.api_access_enabled,
          a.last_used_at is null or a.last_used_at < coalesce(p_now, clock_timestamp()) - interval '1 minute' as is_stale
        from api_keys a join practices p on p.id = a.practice_id
        where a.hash = r.hash and a.revoked_at is null
          and (a.expires_at is null or a.expires_at > coalesce(p_now, clock_timestamp()))
      ) as k on true
  loop
    subject := 'address:' || request.address || '/' || p_address_limit;
    at := array_position(subjects, subject);
    if at is null then
      subjects := subjects || subject;
      limits := limits || p_address_limit;
      at := cardinality(subjects);
    end if;
    first_window[request.position] := at;
    answer := (null, request.id, request.practice_id, request.test, request.scopes, request.location_id, null, null, null);
    subject := null;
    if request.hash is null then
      answer.verdict := 'no_key';
    elsif request.id is null then
      answer.verdict := 'unknown_key';
      subject := 'failures:' || request.address || '/' || p_failure_limit;
      slots := p_failure_limit;
    elsif not request.api_access_enabled then
      answer.verdict := 'access_disabled';
    else
      answer.verdict := 'accepted';
      answer.key_limit := request.requests_per_minute;
      subject := 'key:' || request.id || '/' || request.requests_per_minute;
      slots := request.requests_per_minute;
    end if;
    at := array_position(subjects, subject);
    if at is null and subject is not null then
      subjects := subjects || subject;
      limits := limits || slots;
      at := cardinality(subjects);
    end if;
    second_window[request.position] := at;
    answers[request.position] := answer;
    is_stale[request.position] := request.is_stale;
  end loop;

  opened := open_rate_windows(subjects, limits, p_now, p_leaves_out);
  admitted := opened.admitted;
  for i in 1 .. cardinality(first_window) loop
    if admitted[first_window[i]] is null or (second_window[i] is not null and admitted[second_window[i]] is null) then
      return next ('busy', null, null, null, null, null, null, null, null)::admission;
      continue;
    end if;
    answer := answers[i];
    at := first_window[i];
    if admitted[at] - opened.oldest[at] >= limits[at] then
      answer := ('address_limited', null, null, null, null, null, null, null, null);
    else
      admitted[at] := admitted[at] + 1;
      if second_window[i] is not null then
        at := second_window[i];
        if admitted[at] - opened.oldest[at] >= limits[at] then
          answer.verdict := case answer.verdict when 'accepted' then 'key_limited' else 'failures_limited' end;
        else
          admitted[at] := admitted[at] + 1;
          if is_stale[i] then stale_keys := stale_keys || answer.api_key_id; end if;
        end if;
        answer.remaining := limits[at] - (admitted[at] - opened.oldest[at]);
      end if;
    end if;
    answer.reset_seconds := seconds_until_free(opened.oldest_times[at], opened.moments[at]);
    return next answer;
  end loop;

  perform fill_rate_windows(
    subjects, limits, opened.admitted, admitted, opened.oldest, opened.oldest_times, opened.moments);
  -- Last used is told to the minute, so that a busy key doesn't cost a durable write per request. Of a key that somebody
  -- else holds the next request will tell: the others here must not wait for it.
  if stale_keys is not null then
    update api_keys set last_used_at = coalesce(p_now, clock_timestamp())
      where id in (select id from api_keys where id = any (stale_keys) for no key update skip locked);
  end if;
end $$;

-- Creates links that came together, as `create_link` does each, in the order of what is locked: statements that count the
-- same keys' links wait for each other, never in a circle. Returns a row for each, in their order.
--
-- Waits `p_lock_wait_ms` for a lock; with `p_leaves_out` a link that would have to wait longer is left out as `busy`:
-- nothing of it is written, and none of its locks are held. That takes a subtransaction for each link.
create type written_link as (outcome text, stored_reply text, ground text);

create function create_links(
  p_api_key_ids text[], p_idempotency_keys text[], p_body_hashes bytea[], p_practice_ids text[], p_grounds text[],
  p_links json[], p_replies text[], p_remembered_since timestamptz, p_now timestamptz, p_daily_cap integer,
  p_lock_wait_ms integer, p_leaves_out boolean
) returns setof written_link language plpgsql as $$
declare
  asked record;
  answer written_link;
  answers written_link[];
begin
  perform set_config('lock_timeout', p_lock_wait_ms::text, true);
  if not p_leaves_out then
    return query
      with asked as (
        select * from unnest(
          p_api_key_ids, p_idempotency_keys, p_body_hashes, p_practice_ids, p_grounds, p_links, p_replies)
          with ordinality as r (api_key_id, idempotency_key, body_hash, practice_id, ground, link, reply, position)
        order by r.api_key_id collate "C", r.position
      )
      select c.outcome, c.stored_reply, c.ground
      from asked r, lateral create_link(r.api_key_id, r.idempotency_key, r.body_hash, p_remembered_since, p_now,
        p_daily_cap, r.practice_id, r.ground, r.link, r.reply) as c
      order by r.position;
    return;
  end if;
  for asked in
    select * from unnest(p_api_key_ids, p_idempotency_keys, p_body_hashes, p_practice_ids, p_grounds, p_links, p_replies)
      with ordinality as r (api_key_id, idempotency_key, body_hash, practice_id, ground, link, reply, position)
    order by r.api_key_id collate "C", r.position
  loop
    begin
      answer := create_link(asked.api_key_id, asked.idempotency_key, asked.body_hash, p_remembered_since, p_now,
        p_daily_cap, asked.practice_id, asked.ground, asked.link, asked.reply);
    exception when lock_not_available then
      answer := ('busy', null, null);
    end;
    answers[asked.position] := answer;
  end loop;
  return query select * from unnest(answers);
end $$;

drop function fold_link_counts(integer);

-- Folds up to so many changes into the counts, of one practice or of all; gives how many there were, 0 while another
-- process is at it.
create function fold_link_counts(p_limit integer, p_practice_id text default null) returns integer language plpgsql as $$
declare
  folded integer;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('fold_link_counts', 0)) then return 0; end if;
  with taken as (
    delete from link_count_changes where ctid = any (array(
      select ctid from link_count_changes where p_practice_id is null or practice_id = p_practice_id limit p_limit))
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
