create index payment_links_owed on payment_links (practice_id, test, status, expires_at)
  include (id, created_at, amount_cents, location_id) where status in ('active', 'expired');
drop index payment_links_unpaid;
