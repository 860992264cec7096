-- Copies mode and time of the payment from the link to a new refund, dispute or reversal.
--
-- Arguments: none; it is a trigger of refunds, disputes and bank_reversals.
-- Returns: the new row.
-- Locks: none.
-- Callers: src/database/triggers.sql
-- Why in the database: no statement that inserts such a row can forget them (docs/decisions/0046-payment-totals.md).
create or replace function copy_payment_time() returns trigger language plpgsql as $$
begin
  select l.test, l.paid_at into new.test, new.paid_at from payment_links l where l.id = new.payment_link_id;
  return new;
end $$;
