-- Locks rate windows and returns their state. Removes the admissions that have left each window.
--
-- Arguments:
--   p_subjects, p_limits  the windows, all different, with their limits
--   p_now                 the present; null for the database's clock, read under each lock: admissions have one order
--   p_leaves_out          true: windows that another transaction has locked are left out, with nulls
-- Returns: per window the requests ever admitted, the number and time of the oldest one inside, and the present moment.
--   An empty window's oldest time is the present moment.
-- Locks: existing windows in descending order of subjects, then inserts missing ones in the same order. So two
--   statements cannot deadlock. Keys sort before addresses, so a waiting statement has no lock on an
--   address that practices share.
--   Fails with serialization_failure if a window is inserted or deleted at the same time.
-- Callers: admit_requests, take_rate_slots
-- Why in the database: the lock, the clock and the ring of slots of all windows in one statement.
create or replace function open_rate_windows(
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
      -- The last admission is a minute old; or the clock was set back, so the stored times are meaningless.
      w.oldest := w.admitted;
    else
      -- Small steps back of the clock are ignored.
      moment := greatest(moment, w.newest_at);
      while w.oldest < w.admitted and w.oldest_at <= moment - interval '60 seconds' loop
        w.oldest := w.oldest + 1;
        select s.admitted_at into w.oldest_at from rate_slots s
          where s.subject = w.subject and s.slot = (w.oldest % p_limits[at])::integer;
      end loop;
    end if;
    admitted[at] := w.admitted;
    oldest[at] := w.oldest;
    -- In an empty window, the next admission will be the oldest.
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
    raise serialization_failure using message = 'a rate window was inserted or deleted at the same time', hint = 'try again';
  end if;
end $$;
