create index transactions_method on transactions (practice_id, payment_method_type, created_at desc, payment_link_id desc);
