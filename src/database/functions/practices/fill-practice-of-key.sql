-- Fills the practice of a row that names an API key.
--
-- Arguments: none; it is a trigger of idempotent_replies, sealed_replies and daily_link_counts.
-- Returns: the row with the practice of its key.
-- Locks: none.
-- Callers: src/database/triggers.sql
-- Why in the database: processes of the release before insert rows without the practice.
create or replace function fill_practice_of_key() returns trigger language plpgsql as $$
begin
  new.practice_id := (select practice_id from api_keys where id = new.api_key_id);
  return new;
end $$;
