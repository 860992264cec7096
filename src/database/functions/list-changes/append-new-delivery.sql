-- Appends a new delivery to list_changes.
--
-- Arguments: none; it is a trigger of webhook_deliveries.
-- Returns: null, which an "after" trigger ignores.
-- Locks: none; appending to list_changes waits for no lock.
-- Callers: src/database/triggers.sql
-- Why in the database: no statement that changes a row can forget its count (docs/decisions/0012-kept-counts.md).
create or replace function append_new_delivery() returns trigger language plpgsql as $$
begin
  insert into list_changes values
    (new.practice_id, new.test, 'deliveries', new.created_at, new.id, new.endpoint_id, new.type, null, new.status);
  return null;
end $$;
