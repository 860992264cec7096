-- Copies mode, time, location and method of the payment to a new refund, dispute or reversal.
--
-- Arguments: none; it is a trigger of refunds, disputes and bank_reversals.
-- Returns: the new row.
-- Locks: none.
-- Callers: src/database/triggers.sql
-- Why in the database: no statement that inserts such a row can forget them.
create or replace function copy_payment() returns trigger language plpgsql as $$
begin
  select l.test, l.paid_at, l.location_id, t.payment_method_type
    into new.test, new.paid_at, new.location_id, new.payment_method_type
    from payment_links l join transactions t on t.id = new.transaction_id
    where l.id = new.payment_link_id;
  return new;
end $$;
