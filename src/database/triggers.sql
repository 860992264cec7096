-- All triggers. `migrate` runs this file again when it has changed, after the SQL functions. To drop a trigger, add a
-- migration.

-- Lists of refunded, disputed and returned payments have the order of the payments.
create or replace trigger refunds_payment before insert on refunds
  for each row execute function copy_payment();
create or replace trigger disputes_payment before insert on disputes
  for each row execute function copy_payment();
create or replace trigger bank_reversals_payment before insert on bank_reversals
  for each row execute function copy_payment();

-- The audit log only grows.
create or replace trigger audit_log_unchanged before update or delete on audit_log
  for each row execute function refuse_audit_change();
create or replace trigger audit_log_not_emptied before truncate on audit_log
  for each statement execute function refuse_audit_change();
