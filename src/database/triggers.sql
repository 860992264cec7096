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

-- Every change of state raises the version of the link. Columns that are not named here are no state: times of questions to
-- the processor, the submission mark, and the record of an authorisation.
create or replace trigger payment_links_version before update on payment_links
  for each row execute function raise_version();
create or replace trigger payment_attempts_version
  after insert or update of status, processor_reference, failure_reason, closed_at on payment_attempts
  for each row execute function raise_version();
create or replace trigger transactions_version
  after insert or update of status, fee_cents, net_cents, failure_reason, processed_at, statement_descriptor on transactions
  for each row execute function raise_version();
create or replace trigger refunds_version
  after insert or update of status, reason, processor_reference, bank_reversal_id on refunds
  for each row execute function raise_version();
create or replace trigger disputes_version
  after insert or update of status, amount_cents, reason, evidence_due_by, processor_reference, closed_at on disputes
  for each row execute function raise_version();
create or replace trigger bank_reversals_version after insert or update on bank_reversals
  for each row execute function raise_version();
