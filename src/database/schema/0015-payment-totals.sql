-- Totals of payments, for numbers and sums that cost the same however many payments there are
-- (docs/decisions/0046-payment-totals.md). A total is the sum of payment_totals and payment_total_changes, read in one
-- snapshot, so it is exact at all times.

-- Payments by the hour of the payment, with their amounts. The primary key keeps one total of each.
create table payment_totals (
  practice_id text not null,
  test boolean not null,
  -- Start of an hour, in UTC. '-infinity' stands for all hours together.
  hour timestamptz not null,
  location_id text not null,
  payment_method_type text not null,
  -- Status of the transactions.
  status text not null,
  payments bigint not null,
  amount_cents bigint not null,
  -- Known fees, and the number of payments without one.
  fee_cents bigint not null,
  unknown_fees bigint not null,
  primary key (practice_id, test, hour, location_id, payment_method_type, status)
) with (fillfactor = 70);

-- Changes that are not yet part of payment_totals. A trigger appends them without waiting for anybody; fold_payment_totals
-- adds them. The link has mode, location and hour. No key: two changes of one payment are two rows.
create table payment_total_changes (
  practice_id text not null,
  payment_link_id text not null,
  payment_method_type text not null,
  status text not null,
  payments integer not null,
  amount_cents integer not null,
  fee_cents integer not null,
  unknown_fees integer not null
);
create index payment_total_changes_practice on payment_total_changes (practice_id);

-- Practices with payments from before this migration. Until a worker has counted them, their payments are read one by one.
create table uncounted_payment_totals (practice_id text primary key);

-- The function and triggers are here, too, so that no payment between this migration and the next statements of `migrate` is
-- left out. `migrate` replaces them by the files in ../functions/ and by ../triggers.sql.
create function append_payment_total() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' then
    insert into payment_total_changes values (old.practice_id, old.payment_link_id, old.payment_method_type, old.status,
      -1, -old.amount_cents, -coalesce(old.fee_cents, 0), -(old.fee_cents is null)::integer);
  end if;
  if tg_op <> 'DELETE' then
    insert into payment_total_changes values (new.practice_id, new.payment_link_id, new.payment_method_type, new.status,
      1, new.amount_cents, coalesce(new.fee_cents, 0), (new.fee_cents is null)::integer);
  end if;
  return null;
end $$;
create trigger transactions_total_new after insert on transactions
  for each row execute function append_payment_total();
create trigger transactions_total_changed
  after update of practice_id, payment_link_id, payment_method_type, status, amount_cents, fee_cents on transactions
  for each row execute function append_payment_total();
create trigger transactions_total_deleted after delete on transactions
  for each row execute function append_payment_total();

insert into uncounted_payment_totals select id from practices;
