-- The console's list of payments by a method, in its order. Few payments may have the method.
create index transactions_method on transactions (practice_id, payment_method_type, created_at desc, payment_link_id desc);
