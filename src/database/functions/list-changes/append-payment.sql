-- Appends a change of paid_at to list_changes: the former payment goes, the new one comes.
--
-- Arguments: none; it is a trigger of payment_links.
-- Returns: null, which an "after" trigger ignores.
-- Locks: none; appending to list_changes waits for no lock.
-- Callers: src/database/triggers.sql
-- Why in the database: no statement that changes a row can forget its count (docs/decisions/0012-kept-counts.md).
create or replace function append_payment() returns trigger language plpgsql as $$
begin
  if old.paid_at is not null then
    insert into list_changes values
      (new.practice_id, new.test, 'payments', old.paid_at, new.id, new.location_id, null, 'paid', null);
  end if;
  if new.paid_at is not null then
    insert into list_changes values
      (new.practice_id, new.test, 'payments', new.paid_at, new.id, new.location_id, null, null, 'paid');
  end if;
  return null;
end $$;
