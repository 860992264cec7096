-- Admits a batch of requests in one round trip, each as if it came alone: its first rate window, key, API access, key's window.
--
-- Arguments:
--   p_subjects      first window of each request: its address, or what else limits it, with the limit: another limit is another window
--   p_limits        requests per minute of the first windows
--   p_hashes        SHA-256 of the key of each request; null counts the first window only
--   p_failure_limit invalid keys per minute of a first window
--   p_now           the present; null for the database's clock
--   p_lock_wait_ms  longest wait for one lock; after it the statement fails with lock_not_available. Null: as the session
-- Returns: one row per request, in their order, with a verdict:
--   accepted          the key, and what is left of its window
--   no_key            the hash was null; the first window has been counted
--   unknown_key       no valid key has this hash; the invalid keys of the first window have been counted
--   failures_limited  as unknown_key, but the first window has used up its invalid keys
--   address_limited   the first window is full; nothing was counted
--   access_disabled   the practice has no API access; the key, and what is left of its window, which was not counted
--   key_limited       the window of the key is full; the first window has been counted
--   reset_seconds     whole seconds, at least 1, until the window that decided loses its oldest request
-- Locks: existing rate windows in descending order of subjects, then inserts missing ones in the same order, so two statements
--   cannot deadlock. Keys sort before addresses, so a waiting statement has no lock on an address that practices share. Then rows
--   of api_keys that no other transaction has locked. Fails with serialization_failure if a window is inserted or deleted at the
--   same time; the caller tries again.
-- Callers: src/access/rate-windows.ts
-- Why in the database: one round trip instead of four per request, shared by up to 32 requests
--   (docs/decisions/0002-admission-in-one-statement.md).
create or replace function admit_requests(
  p_subjects text[], p_limits integer[], p_hashes bytea[], p_failure_limit integer, p_now timestamptz,
  p_lock_wait_ms integer
) returns setof admission language plpgsql
-- Plan hint ADMISSION_PLANS.
set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  -- Arrays with an entry per request: its answer so far, its second window with its limit, and whether its key's last use is old.
  asked record;
  -- Arrays with an entry per window: its name and its limit.
  named record;
  answer admission;
  stale_keys text[];
  -- Per window: its row as it was locked, and the requests ever admitted, this batch included.
  windows rate_windows[];
  admitted bigint[];
  opened rate_windows[];
  w rate_windows;
  at integer;
  second integer;
  moment timestamptz;
begin
  -- The only durable row is a key's last use, which a crash may lose. So the commit does not wait for synchronous standbys:
  -- while they are away, requests are admitted and reads are served.
  perform set_config('lock_timeout', coalesce(p_lock_wait_ms::text, current_setting('lock_timeout')), true), set_config('synchronous_commit', 'off', true);
  -- In SQL, because PostgreSQL prepares each expression of this language anew in each transaction.
  select array_agg((
      case when r.hash is null then 'no_key' when k.id is null then 'unknown_key'
        when k.api_access_enabled then 'accepted' else 'access_disabled' end,
      k.id, k.practice_id, k.test, k.scopes, k.location_id, k.requests_per_minute, null, null
    )::admission order by r.position) as answers,
    array_agg(case when r.hash is not null then coalesce('key:' || k.id || '/' || k.requests_per_minute,
      'failures:' || r.subject || '/' || p_failure_limit) end order by r.position) as subjects,
    array_agg(coalesce(k.requests_per_minute, p_failure_limit) order by r.position) as limits,
    array_agg(k.is_stale order by r.position) as stale
  into asked
  from unnest(p_subjects, p_hashes) with ordinality as r (subject, hash, position)
    left join lateral (
      select a.id, a.practice_id, a.test, a.scopes, a.location_id, a.requests_per_minute, p.api_access_enabled,
        a.last_used_at is null
          or a.last_used_at < coalesce(p_now, clock_timestamp()) - interval '1 minute' as is_stale
      from api_keys a join practices p on p.id = a.practice_id
      where a.hash = r.hash and a.revoked_at is null
        and (a.expires_at is null or a.expires_at > coalesce(p_now, clock_timestamp()))
    ) as k on true;
  select array_agg(subject) as subjects, array_agg(slots) as limits into named from (
    select distinct subject, slots from unnest(p_subjects || asked.subjects, p_limits || asked.limits) as u (subject, slots)
    where subject is not null
  ) as u;

  -- Without entries, an array would begin at the first window that was locked, and `unnest` would shift its entries.
  windows := array_fill(null::rate_windows, array[cardinality(named.subjects)]);
  admitted := array_fill(null::bigint, array[cardinality(named.subjects)]);
  opened := array(
    select r from rate_windows r where r.subject = any (named.subjects) order by r.subject collate "C" desc for update);
  if cardinality(opened) < cardinality(named.subjects) then
    with inserted as (
      insert into rate_windows as r (subject, admitted, oldest, newest_at)
        select missing, 0, 0, '-infinity' from unnest(named.subjects) as missing
        where not exists (select from unnest(opened) as o where o.subject = missing) order by missing collate "C" desc
        on conflict do nothing returning r
    )
    select opened || array_agg(r) into opened from inserted;
    if cardinality(opened) < cardinality(named.subjects) then
      raise serialization_failure using message = 'a rate window was inserted or deleted at the same time', hint = 'try again';
    end if;
  end if;
  -- Read under the locks, so that admissions have one order.
  moment := coalesce(p_now, clock_timestamp());
  foreach w in array opened loop
    at := array_position(named.subjects, w.subject);
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
          where s.subject = w.subject and s.slot = (w.oldest % named.limits[at])::integer;
      end loop;
    end if;
    -- In an empty window, the next admission will be the oldest.
    if w.oldest = w.admitted then w.oldest_at := w.newest_at; end if;
    windows[at] := w;
    admitted[at] := w.admitted;
  end loop;

  for i in 1 .. cardinality(p_subjects) loop
    at := array_position(named.subjects, p_subjects[i]);
    second := array_position(named.subjects, asked.subjects[i]);
    answer := asked.answers[i];
    w := windows[at];
    if admitted[at] - w.oldest >= named.limits[at] then
      answer := ('address_limited', null, null, null, null, null, null, null, null);
    else
      admitted[at] := admitted[at] + 1;
      if second is not null then
        w := windows[second];
        if answer.verdict = 'access_disabled' then
          null; -- API access precedes the key's limit, so the window is only read.
        elsif admitted[second] - w.oldest >= named.limits[second] then
          answer.verdict := case answer.verdict when 'accepted' then 'key_limited' else 'failures_limited' end;
        else
          admitted[second] := admitted[second] + 1;
          if asked.stale[i] then stale_keys := stale_keys || answer.api_key_id; end if;
        end if;
        answer.remaining := named.limits[second] - (admitted[second] - w.oldest);
      end if;
    end if;
    answer.reset_seconds := greatest(1, ceil(extract(epoch from w.oldest_at + interval '60 seconds' - w.newest_at)));
    return next answer;
  end loop;

  with counted as (
    select t.subject, t.admitted as formerly, t.oldest, t.newest_at, t.oldest_at, t.slots, t.now_admitted
    from unnest(windows, named.limits, admitted) as t (subject, admitted, oldest, newest_at, oldest_at, slots, now_admitted)
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
