-- Counts one request in one sliding window of 60 seconds, or refuses it and changes nothing.
--
-- Arguments:
--   p_subject  what is limited, including the limit: another limit is another window
--   p_limit    requests per minute
--   p_now      the present; null for the database's clock
-- Returns: whether it was granted, how many requests remain, and the seconds until the oldest one leaves the window.
-- Locks: the window, by open_rate_windows. Waits for it.
-- Callers: src/limits/rate-slot.ts
-- Why in the database: one round trip instead of three per page view.
create or replace function take_rate_slot(
  p_subject text, p_limit integer, p_now timestamptz,
  out granted boolean, out remaining integer, out reset_seconds integer
) language plpgsql
-- Plan hint ADMISSION_PLANS.
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
