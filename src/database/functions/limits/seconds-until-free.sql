-- Returns the seconds until a window loses its oldest admission, at least 1.
--
-- Arguments:
--   p_oldest_at  time of the oldest admission inside the window
--   p_moment     the present
-- Returns: whole seconds, rounded up.
-- Locks: none.
-- Callers: admit_requests, take_rate_slots
-- Why in the database: part of admit_requests.
create or replace function seconds_until_free(p_oldest_at timestamptz, p_moment timestamptz) returns integer
language sql immutable as $$
  select greatest(1, ceil(extract(epoch from p_oldest_at + interval '60 seconds' - p_moment)))::integer
$$;
