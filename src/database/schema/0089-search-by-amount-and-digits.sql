-- The search of the console reads links by amount, and payments by the last digits of their cards and accounts, the newest first.
create index payment_links_amount on payment_links (practice_id, test, amount_cents, created_at desc, id desc);
create index transactions_last_digits on transactions (practice_id, payment_method_last4, created_at desc)
  include (payment_link_id) where payment_method_last4 is not null;
