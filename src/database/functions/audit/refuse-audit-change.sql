-- Refuses changes and deletions of audit entries. Entries of a practice that another cell has taken over may be deleted.
--
-- Arguments: none; a trigger
-- Returns: the deleted row; otherwise never, and raises restrict_violation
-- Locks: none
-- Callers: src/database/triggers.sql
-- Why in the database: a fault of the service, or a statement of an operator, cannot rewrite the log unnoticed.
create or replace function refuse_audit_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    if exists (select from practices where id = old.practice_id and move_state = 'moved') then return old; end if;
  end if;
  raise restrict_violation using message = 'audit entries are never changed or deleted';
end $$;
