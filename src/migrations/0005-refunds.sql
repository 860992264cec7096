-- Refunds beside bank reversals.

-- What a bank took back of a settled debit. Refunds record it as far as others had not given the money back already;
-- should one of those fail, the rest is recorded then.
create table bank_reversals (
  id text primary key,
  practice_id text not null,
  payment_link_id text not null,
  transaction_id text not null,
  -- The processor's id of the dispute by which it was told.
  processor_reference text not null unique,
  amount_cents integer not null check (amount_cents > 0),
  created_at timestamptz(3) not null,
  unique (practice_id, payment_link_id, id),
  foreign key (practice_id, payment_link_id, transaction_id) references transactions (practice_id, payment_link_id, id)
);
create index bank_reversals_transaction on bank_reversals (transaction_id);

-- The reversal that a refund is part of; null for refunds that somebody asked for.
alter table refunds
  add column bank_reversal_id text,
  add foreign key (practice_id, payment_link_id, bank_reversal_id)
    references bank_reversals (practice_id, payment_link_id, id);
create index refunds_bank_reversal on refunds (bank_reversal_id) where bank_reversal_id is not null;

-- What is left to refund adds up the refunds of a transaction.
create index refunds_transaction on refunds (transaction_id);

-- Until now a reversal was its refund.
insert into bank_reversals (id, practice_id, payment_link_id, transaction_id, processor_reference, amount_cents, created_at)
  select 'rv' || substr(id, 3), practice_id, payment_link_id, transaction_id, processor_reference, amount_cents, created_at
  from refunds where reason = 'bank_reversal' and processor_reference like any (array['du\_%', 'dp\_%', 'sbx\_dsp\_%']);
update refunds r set bank_reversal_id = b.id from bank_reversals b where b.processor_reference = r.processor_reference;

-- The sandbox's refunds in the order in which they were made.
alter table sandbox.refunds add column number bigint generated always as identity;
