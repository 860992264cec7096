-- References of processors: a payment has one before it is confirmed, and a dispute is told apart by it.

alter table sandbox.payments
  drop constraint payments_state_check,
  add check (state in ('created', 'requires_action', 'processing', 'succeeded', 'failed', 'cancelled'));

-- Banks may open a second dispute of a payment, of another part of it, while one is open. Disputes of processors are
-- told apart by their reference; only those that are played on test links have none.
drop index disputes_one_open;
create unique index disputes_one_open on disputes (payment_link_id) where status = 'open' and processor_reference is null;

-- Settled payments are looked at for some months; those of before join in, over a week.
update transactions set reconcile_at = now() + random() * interval '7 days'
where status in ('succeeded', 'refunded') and attempt_id is not null and reconcile_at is null
  and created_at > now() - interval '120 days';

-- Accounts that every practice has at the sandbox are not on record: another processor needs accounts of its own.
update practices set processor_account_id = null where processor_account_id = 'sandbox_' || id;

-- A refund at the sandbox may take its time like a debit: then it becomes what it will be, arrived or not.
alter table sandbox.refunds
  add column final_at timestamptz(3),
  add column arrives boolean not null default true;
