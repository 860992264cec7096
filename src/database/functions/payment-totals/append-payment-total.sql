-- Appends the change of a payment to payment_total_changes: what it was, and what it is.
--
-- Arguments: none; it is a trigger of transactions.
-- Returns: null, which an "after" trigger ignores.
-- Locks: none; appending to payment_total_changes waits for no lock.
-- Callers: src/database/triggers.sql
-- Why in the database: no statement that changes a payment can forget its total (docs/decisions/0046-payment-totals.md).
create or replace function append_payment_total() returns trigger language plpgsql as $$
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
