-- Admits a batch of requests in one round trip, each as if it came alone: address window, key, API access, key window.
--
-- Arguments:
--   p_addresses, p_hashes  address, and SHA-256 of the key, of each request; a null hash counts the address only
--   p_address_limit        requests of one address per minute
--   p_failure_limit        invalid keys of one address per minute
--   p_now                  the present; null for the database's clock
--   p_lock_wait_ms         longest wait for one lock; after it the statement fails with lock_not_available
--   p_leaves_out           true: a request whose window another transaction has locked is left out
-- Returns: one row per request, in their order, with a verdict:
--   accepted          the key, and what is left of its window
--   no_key            the hash was null; the address has been counted
--   unknown_key       no valid key has this hash; the address's invalid keys have been counted
--   failures_limited  as unknown_key, but the address has used up its invalid keys
--   address_limited   the window of the address is full; nothing was counted
--   access_disabled   the practice has no API access; the key, and what is left of its window, which was not counted
--   key_limited       the window of the key is full; the address has been counted
--   busy              left out: nothing was counted, neither for the address nor for the key
-- Locks: rate windows in the order of open_rate_windows, keys before addresses; then rows of api_keys that no other
--   transaction has locked. Fails with serialization_failure if a window is inserted or deleted at the same time; the
--   caller tries again.
-- Callers: src/limits/admission.ts
-- Why in the database: one round trip instead of four per request, shared by up to 32 requests
--   (docs/decisions/0002-admission-in-one-statement.md).
create or replace function admit_requests(
  p_addresses text[], p_hashes bytea[], p_address_limit integer, p_failure_limit integer, p_now timestamptz,
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
  -- Per request: indexes of its windows in the arrays below; the second is null if it needs none.
  first_window integer[];
  second_window integer[];
  -- Per window.
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
          a.last_used_at is null
            or a.last_used_at < coalesce(p_now, clock_timestamp()) - interval '1 minute' as is_stale
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
    else
      answer.verdict := case when request.api_access_enabled then 'accepted' else 'access_disabled' end;
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
        if answer.verdict = 'access_disabled' then
          null; -- API access precedes the key's limit, so the window is only read.
        elsif admitted[at] - opened.oldest[at] >= limits[at] then
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
  -- Last used is stored once per minute, so a busy key does not cost a durable write per request. A key that another
  -- transaction has locked is stored by its next request, so the other requests do not wait.
  if stale_keys is not null then
    update api_keys set last_used_at = coalesce(p_now, clock_timestamp())
      where id in (select id from api_keys where id = any (stale_keys) for no key update skip locked);
  end if;
end $$;
