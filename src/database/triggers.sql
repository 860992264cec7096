-- All triggers. `migrate` runs this file again when it has changed, after the SQL functions. To drop a trigger, add a
-- migration.
--
-- The triggers on links and deliveries append to list_changes (docs/decisions/0012-kept-counts.md).
--
-- They are per row and per column, so an update that sets no status calls nothing. Conditions are short, because
-- PostgreSQL parses them for every statement. To compare all columns of a row there would cost more than all the rest.
--
-- The trigger "moved" appends a row's move to another count (owner, group, label or time), with its status before. The
-- trigger "changed" appends a change of status, at the row's place after. Together they are right for an update that does
-- both.

create or replace trigger payment_links_count_new after insert on payment_links
  for each row execute function append_new_link();
create or replace trigger payment_links_count_changed after update of status on payment_links
  for each row when (old.status is distinct from new.status) execute function append_link_status();
create or replace trigger payment_links_count_paid after update of paid_at on payment_links
  for each row when (old.paid_at is distinct from new.paid_at) execute function append_payment();
create or replace trigger payment_links_count_moved
  after update of id, practice_id, test, created_at, location_id, external_reference on payment_links
  for each row execute function append_former_link();
create or replace trigger payment_links_count_deleted after delete on payment_links
  for each row execute function append_former_link();

create or replace trigger webhook_deliveries_count_new after insert on webhook_deliveries
  for each row execute function append_new_delivery();
create or replace trigger webhook_deliveries_count_changed after update of status on webhook_deliveries
  for each row when (old.status is distinct from new.status) execute function append_delivery_status();
create or replace trigger webhook_deliveries_count_moved
  after update of id, practice_id, test, created_at, endpoint_id, type on webhook_deliveries
  for each row execute function append_former_delivery();
create or replace trigger webhook_deliveries_count_deleted after delete on webhook_deliveries
  for each row execute function append_former_delivery();

-- The triggers on transactions append to payment_total_changes (docs/decisions/0046-payment-totals.md). An update of other
-- columns, such as the time of the next question to the processor, calls none.
create or replace trigger transactions_total_new after insert on transactions
  for each row execute function append_payment_total();
create or replace trigger transactions_total_changed
  after update of practice_id, payment_link_id, payment_method_type, status, amount_cents, fee_cents on transactions
  for each row execute function append_payment_total();
create or replace trigger transactions_total_deleted after delete on transactions
  for each row execute function append_payment_total();

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

-- Rows of processes of the release before 1.1.0 name no practice. They can go one release later.
create or replace trigger idempotent_replies_practice before insert on idempotent_replies
  for each row when (new.practice_id is null) execute function fill_practice_of_key();
create or replace trigger sealed_replies_practice before insert on sealed_replies
  for each row when (new.practice_id is null) execute function fill_practice_of_key();
create or replace trigger daily_link_counts_practice before insert on daily_link_counts
  for each row when (new.practice_id is null) execute function fill_practice_of_key();
create or replace trigger webhook_attempts_practice before insert on webhook_attempts
  for each row when (new.practice_id is null) execute function fill_practice_of_delivery();
