-- What the hosted page shows and keeps: authorisations in full, numbers to read aloud, files of other releases.

alter table payment_attempts
  -- The words by which the patient authorised a bank debit; null for cards, and for every attempt after two years.
  add column authorisation_text text,
  -- Until when the process that submits the payment counts as alive; it moves this on while it works, and clears it when
  -- it is done. By the database's clock.
  add column submitting_until timestamptz(3);

-- The number of a payment that patients read aloud on the telephone: nine digits, the first of them not zero. Digits alone
-- can't be taken for letters. Not unique: two payments of the same number differ by practice, day and amount.
create function new_payment_number() returns text language sql volatile as $$
  select (100000000 + floor(random() * 900000000))::integer::text
$$;

-- Payments made before have none: giving each of them a number would lock the table for as long as it is rewritten.
alter table transactions
  add column payment_number text,
  -- How the payment is called on the patient's statement; null until the processor tells it.
  add column statement_descriptor text;
alter table transactions alter column payment_number set default new_payment_number();
create index transactions_payment_number on transactions (payment_number) where payment_number is not null;

-- Scripts, styles and images of the pages, of every release that ran on this database. During a deploy the browser asks
-- a process of one release for a file of the other.
create table page_assets (
  -- Below the public address; the hash of the bytes is part of it.
  path text primary key,
  type text not null,
  bytes bytea not null,
  recorded_at timestamptz(3) not null default now()
);
