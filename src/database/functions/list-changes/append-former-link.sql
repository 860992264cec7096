-- Appends the deletion of a link to list_changes, or its move to another place with its status before.
--
-- Arguments: none; it is a trigger of payment_links.
-- Returns: null, which an "after" trigger ignores.
-- Locks: none; appending to list_changes waits for no lock.
-- Callers: src/database/triggers.sql
-- Why in the database: no statement that changes a row can forget its count (docs/decisions/0012-kept-counts.md).
create or replace function append_former_link() returns trigger language plpgsql as $$
begin
  insert into list_changes values
    (old.practice_id, old.test, 'links', old.created_at, old.id, old.location_id, old.external_reference, old.status, null);
  if old.paid_at is not null then
    insert into list_changes values
      (old.practice_id, old.test, 'payments', old.paid_at, old.id, old.location_id, null, 'paid', null);
  end if;
  if tg_op = 'DELETE' then return null; end if;
  insert into list_changes values
    (new.practice_id, new.test, 'links', new.created_at, new.id, new.location_id, new.external_reference, null, old.status);
  if old.paid_at is not null then
    insert into list_changes values
      (new.practice_id, new.test, 'payments', old.paid_at, new.id, new.location_id, null, null, 'paid');
  end if;
  return null;
end $$;
