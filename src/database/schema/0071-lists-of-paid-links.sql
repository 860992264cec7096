-- Lists of links by time of payment. With the time of creation, the order of the list, these indexes answer alone.
create index payment_links_paid_at on payment_links (practice_id, test, paid_at, id) include (created_at)
  where paid_at is not null;
create index payment_links_location_paid_at on payment_links (practice_id, location_id, test, paid_at, id)
  include (created_at) where paid_at is not null;
drop index payment_links_paid, payment_links_location_paid;
