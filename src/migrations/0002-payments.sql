-- Payments behind the page: attempts, what the processor calls things, its notifications; and the sandbox's own tables.

alter table practices
  -- The practice's account at the processor; null before onboarding began.
  add column processor_account_id text unique,
  -- Whether that account can take bank debits; the processor says so.
  add column bank_debits_enabled boolean not null default true;

-- Which practices finished onboarding is unchanged; the default was for the rows that were there.
alter table practices alter column bank_debits_enabled drop default;

-- What a patient submitted, from before the processor heard of it until it is known what became of it.
create table payment_attempts (
  id text primary key,
  practice_id text not null,
  payment_link_id text not null,
  status text not null check (status in ('open', 'requires_action', 'accepted', 'failed', 'cancelled')),
  processor text not null,
  processor_account_id text not null,
  -- The processor's id of the payment; null until it told.
  processor_reference text,
  method_type text not null check (method_type in ('card', 'us_bank_account')),
  amount_cents integer not null check (amount_cents > 0),
  currency text not null,
  -- Machine-readable; set when the processor declined.
  failure_reason text check ((failure_reason is not null) = (status = 'failed')),
  -- The record of the authorisation: language of the page, the patient's address, SHA-256 of the debit's text, the time.
  locale text not null,
  address text not null,
  authorisation_hash bytea,
  created_at timestamptz(3) not null,
  closed_at timestamptz(3),
  -- When the sweep asks the processor what became of it; set while that is not known.
  reconcile_at timestamptz(3),
  unique (processor, processor_reference),
  unique (practice_id, payment_link_id, id),
  foreign key (practice_id, payment_link_id) references payment_links (practice_id, id),
  check ((closed_at is null) = (status in ('open', 'requires_action'))),
  check ((closed_at is null) = (reconcile_at is not null))
);
create unique index payment_attempts_one_open on payment_attempts (payment_link_id)
  where status in ('open', 'requires_action');
create index payment_attempts_link on payment_attempts (payment_link_id, created_at desc, id desc);
create index payment_attempts_reconcile on payment_attempts (reconcile_at) where reconcile_at is not null;

-- The attempt that is under way; while there is one, the link neither expires nor takes another.
alter table payment_links add column open_attempt_id text;
alter table payment_links
  add foreign key (practice_id, id, open_attempt_id) references payment_attempts (practice_id, payment_link_id, id);

alter table transactions
  -- Null for simulated payments, which no processor knows.
  add column attempt_id text unique,
  -- When the sweep asks the processor again: while a debit is pending, a fee unknown, or a refund under way.
  add column reconcile_at timestamptz(3),
  add foreign key (practice_id, payment_link_id, attempt_id)
    references payment_attempts (practice_id, payment_link_id, id);
create index transactions_reconcile on transactions (reconcile_at) where reconcile_at is not null;

alter table refunds
  -- The processor's id of the refund, or of the dispute by which a bank took a settled debit back.
  add column processor_reference text unique;

alter table disputes
  add column processor_reference text unique;

-- Notifications of the processor (inbox), stored once each. A job only triggers their processing.
create table processor_notifications (
  processor text not null,
  id text not null,
  account_id text,
  -- Which object changed; what it changed to is asked of the processor.
  subject json not null,
  received_at timestamptz(3) not null,
  tries integer not null default 0,
  -- When it is taken up (again); null once it was handled or given up.
  due_at timestamptz(3),
  primary key (processor, id)
);
create index processor_notifications_due on processor_notifications (due_at) where due_at is not null;
create index processor_notifications_age on processor_notifications (received_at);

-- The sandbox plays an outside system: its tables know nothing of ours, and none of ours knows them.
create schema sandbox;

create table sandbox.secret (secret text primary key);
-- What its notifications are signed with.
insert into sandbox.secret values (gen_random_uuid() || '.' || gen_random_uuid());

create table sandbox.payments (
  reference text primary key,
  account text not null,
  -- The caller's id of the payment, which makes it happen once.
  attempt text not null unique,
  amount_cents integer not null,
  method_token text not null,
  method_type text not null,
  state text not null check (state in ('requires_action', 'processing', 'succeeded', 'failed', 'cancelled')),
  failure_reason text,
  -- When a debit that is under way becomes what it will be: succeeded, or failed where there is a reason.
  final_at timestamptz(3)
);

create table sandbox.refunds (
  reference text primary key,
  payment text not null references sandbox.payments (reference),
  -- The caller's id of the refund; null when it was made at the sandbox.
  refund text unique,
  amount_cents integer not null,
  state text not null check (state in ('pending', 'succeeded', 'failed'))
);
create index sandbox_refunds_payment on sandbox.refunds (payment);

create table sandbox.disputes (
  reference text primary key,
  payment text not null references sandbox.payments (reference),
  amount_cents integer not null,
  reason text not null,
  state text not null check (state in ('open', 'won', 'lost')),
  evidence_due_by timestamptz(3),
  is_bank_reversal boolean not null
);
create index sandbox_disputes_payment on sandbox.disputes (payment);
