-- Mode, time, location and method of the payment, which a trigger copies. They never change. Lists and the
-- reconciliation need them.
alter table refunds
  add test boolean, add paid_at timestamptz(3), add location_id text, add payment_method_type text;
alter table disputes
  add test boolean, add paid_at timestamptz(3), add location_id text, add payment_method_type text;
alter table bank_reversals
  add test boolean, add paid_at timestamptz(3), add location_id text, add payment_method_type text;

create function copy_payment() returns trigger language plpgsql as $$
begin
  select l.test, l.paid_at, l.location_id, t.payment_method_type
    into new.test, new.paid_at, new.location_id, new.payment_method_type
    from payment_links l join transactions t on t.id = new.transaction_id
    where l.id = new.payment_link_id;
  return new;
end $$;
create trigger refunds_payment before insert on refunds for each row execute function copy_payment();
create trigger disputes_payment before insert on disputes for each row execute function copy_payment();
create trigger bank_reversals_payment before insert on bank_reversals for each row execute function copy_payment();
