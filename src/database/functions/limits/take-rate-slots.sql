-- Counts a batch of requests, each in one sliding window of 60 seconds, as if it came alone. A request that its window has
-- no room for is refused and not counted.
--
-- Arguments:
--   p_subjects      what each request is limited by, including the limit: another limit is another window
--   p_limits        requests per minute, of each request
--   p_now           the present; null for the database's clock
--   p_lock_wait_ms  longest wait for one lock; after it the statement fails with lock_not_available
--   p_leaves_out    true: a request whose window another transaction has locked is left out
-- Returns: one row per request, in their order: whether it was granted, and the seconds until the oldest request leaves the
--   window. Both are null for a request that was left out.
-- Locks: the windows, by open_rate_windows. Fails as it does; the caller tries again.
-- Callers: src/limits/rate-slot.ts
-- Why in the database: one round trip instead of three per page view, shared by up to 32 requests.
create or replace function take_rate_slots(
  p_subjects text[], p_limits integer[], p_now timestamptz, p_lock_wait_ms integer, p_leaves_out boolean
) returns table (granted boolean, reset_seconds integer) language plpgsql
-- Plan hint ADMISSION_PLANS.
set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  subjects text[] := '{}';
  limits integer[] := '{}';
  window_of integer[];
  opened record;
  admitted bigint[];
  at integer;
begin
  perform set_config('lock_timeout', p_lock_wait_ms::text, true);
  for i in 1 .. cardinality(p_subjects) loop
    at := array_position(subjects, p_subjects[i]);
    if at is null then
      subjects := subjects || p_subjects[i];
      limits := limits || p_limits[i];
      at := cardinality(subjects);
    end if;
    window_of[i] := at;
  end loop;
  opened := open_rate_windows(subjects, limits, p_now, p_leaves_out);
  admitted := opened.admitted;
  for i in 1 .. cardinality(p_subjects) loop
    at := window_of[i];
    -- Null for a window that was left out.
    granted := admitted[at] - opened.oldest[at] < limits[at];
    if granted then admitted[at] := admitted[at] + 1; end if;
    reset_seconds := seconds_until_free(opened.oldest_times[at], opened.moments[at]);
    return next;
  end loop;
  perform fill_rate_windows(
    subjects, limits, opened.admitted, admitted, opened.oldest, opened.oldest_times, opened.moments);
end $$;
