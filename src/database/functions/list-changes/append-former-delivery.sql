-- Appends the deletion of a delivery to list_changes, or its move to another place with its status before.
--
-- Arguments: none; it is a trigger of webhook_deliveries.
-- Returns: null, which an "after" trigger ignores.
-- Locks: none; appending to list_changes waits for no lock.
-- Callers: src/database/triggers.sql
-- Why in the database: no statement that changes a row can forget its count (docs/decisions/0012-kept-counts.md).
create or replace function append_former_delivery() returns trigger language plpgsql as $$
begin
  insert into list_changes values
    (old.practice_id, old.test, 'deliveries', old.created_at, old.id, old.endpoint_id, old.type, old.status, null);
  if tg_op = 'DELETE' then return null; end if;
  insert into list_changes values
    (new.practice_id, new.test, 'deliveries', new.created_at, new.id, new.endpoint_id, new.type, null, old.status);
  return null;
end $$;
