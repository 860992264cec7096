-- All triggers. `migrate` runs this file again when it has changed, after the SQL functions. To drop a trigger, add a
-- migration.

-- The audit log only grows.
create or replace trigger audit_log_unchanged before update or delete on audit_log
  for each row execute function refuse_audit_change();
create or replace trigger audit_log_not_emptied before truncate on audit_log
  for each statement execute function refuse_audit_change();
