create index payment_attempts_unsuccessful on payment_attempts (practice_id, payment_link_id, created_at desc, id desc)
  include (status) where status in ('failed', 'cancelled');
