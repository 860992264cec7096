-- Refunds, disputes and reversals in the order of their payments.

create index refunds_paid on refunds (practice_id, test, paid_at desc, payment_link_id desc);
create index disputes_paid on disputes (practice_id, test, paid_at desc, payment_link_id desc)
  where status in ('open', 'lost');
create index bank_reversals_paid on bank_reversals (practice_id, test, paid_at desc, payment_link_id desc);
