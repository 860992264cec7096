-- Refuses writes of a practice that moves to another cell, with the error of a lock that another transaction keeps. All
-- writers already treat it as such: requests are answered 503 with `Retry-After`, and jobs try again later.
--
-- Arguments: none; it is a trigger. Only while a practice moves, its tables have it, and only for rows of that practice
--   (src/moves/guard.ts).
-- Returns: the row; raises lock_not_available
-- Locks: a shared advisory lock of the practice until commit, tried and never waited for. Freezing the practice takes it
--   exclusively. So each transaction either ends before the freeze, or is refused.
-- Callers: src/moves/guard.ts
-- Why in the database: no writer can be forgotten.
create or replace function refuse_write_of_moving_practice() returns trigger language plpgsql as $$
declare
  row_of json := row_to_json(case tg_op when 'DELETE' then old else new end);
  practice text := coalesce(row_of ->> 'practice_id', row_of ->> 'id');
  state text;
begin
  if current_setting('paylinks.moves_practice', true) = 'on' then
    return case tg_op when 'DELETE' then old else new end;
  end if;
  if pg_try_advisory_xact_lock_shared(hashtextextended('move ' || practice, 0)) then
    select move_state into state from practices where id = practice;
    -- Deliveries and payments under way may end before the practice is frozen. No other one may begin.
    if state is null
      or (state = 'draining' and not (tg_op = 'INSERT' and tg_table_name in ('webhook_attempts', 'payment_attempts')))
    then
      return case tg_op when 'DELETE' then old else new end;
    end if;
  end if;
  raise lock_not_available using message = 'the practice is moving to another cell';
end $$;
