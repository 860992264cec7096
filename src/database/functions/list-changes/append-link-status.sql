-- Appends the change of a link's status to list_changes, at the place that the link has now.
--
-- Arguments: none; it is a trigger of payment_links.
-- Returns: null, which an "after" trigger ignores.
-- Locks: none; appending to list_changes waits for no lock.
-- Callers: src/database/triggers.sql
-- Why in the database: no statement that changes a row can forget its count (docs/decisions/0012-kept-counts.md).
create or replace function append_link_status() returns trigger language plpgsql as $$
begin
  insert into list_changes values
    (new.practice_id, new.test, 'links', new.created_at, new.id, new.location_id, new.external_reference,
      old.status, new.status);
  return null;
end $$;
