-- Fills the practice of an attempt.
--
-- Arguments: none; it is a trigger of webhook_attempts.
-- Returns: the row with the practice of its delivery.
-- Locks: none.
-- Callers: src/database/triggers.sql
-- Why in the database: processes of the release before insert rows without the practice.
create or replace function fill_practice_of_delivery() returns trigger language plpgsql as $$
begin
  new.practice_id := (select practice_id from webhook_deliveries where id = new.delivery_id);
  return new;
end $$;
