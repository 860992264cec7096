-- Appends a new link to list_changes, and a new payment if it is paid.
--
-- Arguments: none; it is a trigger of payment_links.
-- Returns: null, which an "after" trigger ignores.
-- Locks: none; appending to list_changes waits for no lock.
-- Callers: src/database/triggers.sql
-- Why in the database: no statement that changes a row can forget its count (docs/decisions/0012-kept-counts.md).
create or replace function append_new_link() returns trigger language plpgsql as $$
begin
  insert into list_changes values
    (new.practice_id, new.test, 'links', new.created_at, new.id, new.location_id, new.external_reference, null, new.status);
  if new.paid_at is not null then
    insert into list_changes values
      (new.practice_id, new.test, 'payments', new.paid_at, new.id, new.location_id, null, null, 'paid');
  end if;
  return null;
end $$;
