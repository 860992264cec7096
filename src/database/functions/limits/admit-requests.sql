-- Admits a batch of requests in one round trip, each as if it came alone: its first rate window, key, API access, key's window.
--
-- Arguments:
--   p_subjects      first window of each request: its address, or what else limits it, with the limit: another limit is another window
--   p_limits        requests per minute of the first windows
--   p_hashes        SHA-256 of the key of each request; null counts the first window only
--   p_failure_limit invalid keys per minute of a first window
--   p_now           the present; null for the database's clock
--   p_lock_wait_ms  longest wait for one lock; after it the statement fails with lock_not_available
--   p_leaves_out    true: a request whose window another transaction has locked is left out
-- Returns: one row per request, in their order, with a verdict:
--   accepted          the key, and what is left of its window
--   no_key            the hash was null; the first window has been counted
--   unknown_key       no valid key has this hash; the invalid keys of the first window have been counted
--   failures_limited  as unknown_key, but the first window has used up its invalid keys
--   address_limited   the first window is full; nothing was counted
--   access_disabled   the practice has no API access; the key, and what is left of its window, which was not counted
--   key_limited       the window of the key is full; the first window has been counted
--   busy              left out: nothing was counted
--   reset_seconds     whole seconds, at least 1, until the window that decided loses its oldest request
-- Locks: existing rate windows in descending order of subjects, then inserts missing ones in the same order, so two statements
--   cannot deadlock. Keys sort before addresses, so a waiting statement has no lock on an address that practices share. Then rows
--   of api_keys that no other transaction has locked. Fails with serialization_failure if a window is inserted or deleted at the
--   same time; the caller tries again.
-- Callers: src/limits/rate-windows.ts
-- Why in the database: one round trip instead of four per request, shared by up to 32 requests
--   (docs/decisions/0002-admission-in-one-statement.md).
create or replace function admit_requests(
  p_subjects text[], p_limits integer[], p_hashes bytea[], p_failure_limit integer, p_now timestamptz,
  p_lock_wait_ms integer, p_leaves_out boolean
) returns setof admission language plpgsql
-- Plan hint ADMISSION_PLANS.
set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  request record;
  answer admission;
  answers admission[];
  is_stale boolean[];
  stale_keys text[];
  -- Per request: indexes of its windows in the arrays below; the second is null if it needs none.
  first_window integer[];
  second_window integer[];
  -- Per window: its row as it was locked, null if it was left out; and the requests ever admitted, with those of this batch.
  subjects text[] := '{}';
  limits integer[] := '{}';
  windows rate_windows[];
  admitted bigint[];
  opened rate_windows[];
  w rate_windows;
  subject text;
  slots integer;
  at integer;
  moment timestamptz;
begin
  -- The only durable row is a key's last use, which a crash may lose. So the commit does not wait for synchronous standbys:
  -- while they are away, requests are admitted and reads are served.
  perform set_config('lock_timeout', p_lock_wait_ms::text, true), set_config('synchronous_commit', 'off', true);
  for request in
    select r.position::integer, r.subject, r.slots, r.hash, k.*
    from unnest(p_subjects, p_limits, p_hashes) with ordinality as r (subject, slots, hash, position)
      left join lateral (
        select a.id, a.practice_id, a.test, a.scopes, a.location_id, a.requests_per_minute, p.api_access_enabled,
          a.last_used_at is null
            or a.last_used_at < coalesce(p_now, clock_timestamp()) - interval '1 minute' as is_stale
        from api_keys a join practices p on p.id = a.practice_id
        where a.hash = r.hash and a.revoked_at is null
          and (a.expires_at is null or a.expires_at > coalesce(p_now, clock_timestamp()))
      ) as k on true
  loop
    at := array_position(subjects, request.subject);
    if at is null then
      subjects := subjects || request.subject;
      limits := limits || request.slots;
      at := cardinality(subjects);
    end if;
    first_window[request.position] := at;
    answer := (null, request.id, request.practice_id, request.test, request.scopes, request.location_id, null, null, null);
    subject := null;
    if request.hash is null then
      answer.verdict := 'no_key';
    elsif request.id is null then
      answer.verdict := 'unknown_key';
      slots := p_failure_limit;
      subject := 'failures:' || request.subject || '/' || slots;
    else
      answer.verdict := case when request.api_access_enabled then 'accepted' else 'access_disabled' end;
      slots := request.requests_per_minute;
      answer.key_limit := slots;
      subject := 'key:' || request.id || '/' || slots;
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

  -- Without entries, an array would begin at the first window that is not left out, and `unnest` would shift its entries.
  windows := array_fill(null::rate_windows, array[cardinality(subjects)]);
  admitted := array_fill(null::bigint, array[cardinality(subjects)]);
  if p_leaves_out then
    opened := array(select r from rate_windows r where r.subject = any (subjects) for update skip locked);
  else
    opened := array(
      select r from rate_windows r where r.subject = any (subjects) order by r.subject collate "C" desc for update);
  end if;
  if cardinality(opened) < cardinality(subjects) then
    with inserted as (
      insert into rate_windows as r (subject, admitted, oldest, newest_at)
        select missing, 0, 0, '-infinity' from unnest(subjects) as missing
        where not exists (select from unnest(opened) as o where o.subject = missing) order by missing collate "C" desc
        on conflict do nothing returning r
    )
    select opened || array_agg(r) into opened from inserted;
    if cardinality(opened) < cardinality(subjects) and not p_leaves_out then
      raise serialization_failure using message = 'a rate window was inserted or deleted at the same time', hint = 'try again';
    end if;
  end if;
  -- Read under the locks, so that admissions have one order.
  moment := coalesce(p_now, clock_timestamp());
  foreach w in array opened loop
    at := array_position(subjects, w.subject);
    if w.newest_at <= moment - interval '60 seconds' or w.newest_at > moment + interval '60 seconds' then
      -- The last admission is a minute old; or the clock was set back, so the stored times are meaningless.
      w.oldest := w.admitted;
      w.newest_at := moment;
    else
      -- Small steps back of the clock are ignored.
      w.newest_at := greatest(moment, w.newest_at);
      while w.oldest < w.admitted and w.oldest_at <= w.newest_at - interval '60 seconds' loop
        w.oldest := w.oldest + 1;
        select s.admitted_at into w.oldest_at from rate_slots s
          where s.subject = w.subject and s.slot = (w.oldest % limits[at])::integer;
      end loop;
    end if;
    -- In an empty window, the next admission will be the oldest.
    if w.oldest = w.admitted then w.oldest_at := w.newest_at; end if;
    windows[at] := w;
    admitted[at] := w.admitted;
  end loop;

  for i in 1 .. cardinality(first_window) loop
    at := first_window[i];
    if admitted[at] is null or (second_window[i] is not null and admitted[second_window[i]] is null) then
      return next ('busy', null, null, null, null, null, null, null, null)::admission;
      continue;
    end if;
    answer := answers[i];
    w := windows[at];
    if admitted[at] - w.oldest >= limits[at] then
      answer := ('address_limited', null, null, null, null, null, null, null, null);
    else
      admitted[at] := admitted[at] + 1;
      if second_window[i] is not null then
        at := second_window[i];
        w := windows[at];
        if answer.verdict = 'access_disabled' then
          null; -- API access precedes the key's limit, so the window is only read.
        elsif admitted[at] - w.oldest >= limits[at] then
          answer.verdict := case answer.verdict when 'accepted' then 'key_limited' else 'failures_limited' end;
        else
          admitted[at] := admitted[at] + 1;
          if is_stale[i] then stale_keys := stale_keys || answer.api_key_id; end if;
        end if;
        answer.remaining := limits[at] - (admitted[at] - w.oldest);
      end if;
    end if;
    answer.reset_seconds := greatest(1, ceil(extract(epoch from w.oldest_at + interval '60 seconds' - w.newest_at)));
    return next answer;
  end loop;

  with counted as (
    select t.subject, t.admitted as formerly, t.oldest, t.newest_at, t.oldest_at, t.slots, t.now_admitted
    from unnest(windows, limits, admitted) as t (subject, admitted, oldest, newest_at, oldest_at, slots, now_admitted)
    where t.now_admitted > t.admitted
  ), filled as (
    insert into rate_slots (subject, slot, admitted_at)
    select c.subject, (number % c.slots)::integer, c.newest_at
    from counted c, generate_series(c.formerly, c.now_admitted - 1) as number
    on conflict on constraint rate_slots_pkey do update set admitted_at = excluded.admitted_at
  )
  update rate_windows r set admitted = c.now_admitted, oldest = c.oldest, newest_at = c.newest_at, oldest_at = c.oldest_at
    from counted c where r.subject = c.subject;
  -- Last used is stored once per minute, so a busy key does not cost a durable write per request. A key that another
  -- transaction has locked is stored by its next request, so the other requests do not wait.
  if stale_keys is not null then
    update api_keys set last_used_at = coalesce(p_now, clock_timestamp())
      where id in (select id from api_keys where id = any (stale_keys) for no key update skip locked);
  end if;
end $$;
