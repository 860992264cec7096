-- Mode, time, location and method of the payment, for refunds, disputes and reversals that were there before the trigger.
-- They are few beside payments. The statements lock these rows alone, and no row changes twice.

update refunds r
  set test = l.test, paid_at = l.paid_at, location_id = l.location_id, payment_method_type = t.payment_method_type
  from payment_links l, transactions t where l.id = r.payment_link_id and t.id = r.transaction_id;
update disputes r
  set test = l.test, paid_at = l.paid_at, location_id = l.location_id, payment_method_type = t.payment_method_type
  from payment_links l, transactions t where l.id = r.payment_link_id and t.id = r.transaction_id;
update bank_reversals r
  set test = l.test, paid_at = l.paid_at, location_id = l.location_id, payment_method_type = t.payment_method_type
  from payment_links l, transactions t where l.id = r.payment_link_id and t.id = r.transaction_id;
