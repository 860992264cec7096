-- Stores what was admitted to locked windows since open_rate_windows returned them. Other windows stay unchanged.
--
-- Arguments:
--   p_subjects, p_limits                  the windows with their limits
--   p_admitted_before, p_admitted         requests ever admitted, before and now
--   p_oldest, p_oldest_times, p_moments   as open_rate_windows returned them
-- Returns: nothing.
-- Locks: none of its own; the caller has the windows locked by open_rate_windows.
-- Callers: admit_requests, take_rate_slots
-- Why in the database: part of admit_requests.
create or replace function fill_rate_windows(
  p_subjects text[], p_limits integer[], p_admitted_before bigint[], p_admitted bigint[], p_oldest bigint[],
  p_oldest_times timestamptz[], p_moments timestamptz[]
) returns void language plpgsql as $$
begin
  insert into rate_slots (subject, slot, admitted_at)
    select t.subject, (number % t.slots)::integer, t.moment
    from unnest(p_subjects, p_limits, p_admitted_before, p_admitted, p_moments)
        as t (subject, slots, admitted_before, admitted, moment),
      generate_series(t.admitted_before, t.admitted - 1) as number
    on conflict (subject, slot) do update set admitted_at = excluded.admitted_at;
  update rate_windows w set admitted = t.admitted, oldest = t.oldest, newest_at = t.moment, oldest_at = t.oldest_at
    from unnest(p_subjects, p_admitted_before, p_admitted, p_oldest, p_oldest_times, p_moments)
      as t (subject, admitted_before, admitted, oldest, oldest_at, moment)
    where w.subject = t.subject and t.admitted > t.admitted_before;
end $$;
