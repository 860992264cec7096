-- Refuses changes and deletions of audit entries.
--
-- Arguments: none; a trigger
-- Returns: never; raises restrict_violation
-- Locks: none
-- Callers: src/platform/database/triggers.sql
-- Why in the database: a fault of the service, or a statement of an operator, cannot rewrite the log unnoticed.
create or replace function refuse_audit_change() returns trigger language plpgsql as $$
begin
  raise restrict_violation using message = 'audit entries are never changed or deleted';
end $$;
