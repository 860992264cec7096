-- Payments of the sandbox with an open dispute or a bank reversal. The primary key allows a payment one at a time, also if several
-- are opened at once. A unique index on sandbox.disputes would not do: older rows may break it.
create table sandbox.open_disputes (
  payment text primary key references sandbox.payments (reference)
);
-- The time at which the bank returned a debit. Null for debits that were returned before this column.
alter table transactions add returned_at timestamptz(3);
