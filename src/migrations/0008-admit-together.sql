-- A window's oldest admission stands in its own row, so that no slot is read while it lies inside the window. Where it
-- isn't known yet, and where a process of the former version is just making the window, it counts as long ago: for a
-- minute such a window admits one request more.
alter table rate_windows add column oldest_at timestamptz not null default '-infinity';

-- Locks windows, of subjects that differ from each other, and tells of each how many were ever admitted, the first that
-- still lies inside, when that was, and the present moment: `p_now`, or the database's clock when it is null, read with
-- the window locked, so that admissions of all processes stand in one order. Missing windows are made before any is
-- locked, and both in the order of subjects: nobody waits in a circle.
create function open_rate_windows(
  p_subjects text[], p_limits integer[], p_now timestamptz,
  out admitted bigint[], out oldest bigint[], out oldest_times timestamptz[], out moments timestamptz[]
) language plpgsql as $$
declare
  w rate_windows;
  moment timestamptz;
  at integer;
  locked integer := 0;
begin
  if (select count(*) from rate_windows r where r.subject = any (p_subjects)) < cardinality(p_subjects) then
    insert into rate_windows (subject, admitted, oldest, newest_at)
      select missing, 0, 0, '-infinity' from unnest(p_subjects) as missing order by missing collate "C"
      on conflict (subject) do nothing;
  end if;
  for w in
    select * from rate_windows r where r.subject = any (p_subjects) order by r.subject collate "C" for update
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
  if locked < cardinality(p_subjects) then
    raise serialization_failure using message = 'a rate window was removed before it was locked', hint = 'try again';
  end if;
end $$;

-- Writes down what was admitted to locked windows since they were opened.
create function fill_rate_windows(
  p_subjects text[], p_limits integer[], p_admitted_before bigint[], p_admitted bigint[], p_oldest bigint[],
  p_oldest_times timestamptz[], p_moments timestamptz[]
) returns void language plpgsql as $$
begin
  insert into rate_slots (subject, slot, admitted_at)
    select t.subject, (number % slots)::integer, moment
    from unnest(p_subjects, p_limits, p_admitted_before, p_admitted, p_moments) as t (subject, slots, before, now, moment),
      generate_series(before, now - 1) as number
    on conflict (subject, slot) do update set admitted_at = excluded.admitted_at;
  update rate_windows w set admitted = now, oldest = t.oldest, newest_at = moment, oldest_at = t.oldest_at
    from unnest(p_subjects, p_admitted_before, p_admitted, p_oldest, p_oldest_times, p_moments)
      as t (subject, before, now, oldest, oldest_at, moment)
    where w.subject = t.subject and now > before;
end $$;

create function seconds_until_free(p_oldest_at timestamptz, p_moment timestamptz) returns integer
language sql immutable as $$
  select greatest(1, ceil(extract(epoch from p_oldest_at + interval '60 seconds' - p_moment)))::integer
$$;

-- Takes one place in a sliding window of 60 seconds, or refuses and changes nothing. The subject names the limit too:
-- another limit is another window.
create or replace function take_rate_slot(
  p_subject text, p_limit integer, p_now timestamptz,
  out granted boolean, out remaining integer, out reset_seconds integer
) language plpgsql
set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  w record;
begin
  w := open_rate_windows(array[p_subject], array[p_limit], p_now);
  remaining := p_limit - (w.admitted[1] - w.oldest[1]);
  granted := remaining > 0;
  if granted then
    remaining := remaining - 1;
    perform fill_rate_windows(
      array[p_subject], array[p_limit], w.admitted, array[w.admitted[1] + 1], w.oldest, w.oldest_times, w.moments);
  end if;
  reset_seconds := seconds_until_free(w.oldest_times[1], w.moments[1]);
end $$;

create type admission as (
  verdict text, api_key_id text, practice_id text, test boolean, scopes text[], location_id text, key_limit integer,
  remaining integer, reset_seconds integer
);

-- Admits requests that came together in one round trip, each as if it came alone, one after the other: address window,
-- key, API access, key window. Returns a row for each, in their order. A null hash asks for the address alone. A key that
-- isn't accepted takes a place among the failures of its address; when those are used up, the refusal is failures_limited
-- instead of unknown_key.
create function admit_requests(
  p_addresses text[], p_hashes bytea[], p_address_limit integer, p_failure_limit integer, p_now timestamptz
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

  opened := open_rate_windows(subjects, limits, p_now);
  admitted := opened.admitted;
  for i in 1 .. cardinality(first_window) loop
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

-- For processes of the former version, as long as they run.
create or replace function admit_request(
  p_address text, p_address_limit integer, p_failure_limit integer, p_hash bytea, p_now timestamptz,
  out verdict text, out api_key_id text, out practice_id text, out test boolean, out scopes text[],
  out location_id text, out key_limit integer, out remaining integer, out reset_seconds integer
) language sql as $$
  select * from admit_requests(array[p_address], array[p_hash], p_address_limit, p_failure_limit, p_now)
$$;
