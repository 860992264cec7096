-- A link closes a few times a day and practice. So a replay of 30 days may read the links and deliveries themselves.
create index payment_links_closed_at on payment_links (practice_id, test, closed_at) where closed_at is not null;
create index webhook_deliveries_payment_link on webhook_deliveries (payment_link_id) where payment_link_id is not null;
create index payment_links_amount_cents on payment_links (practice_id, test, amount_cents, created_at desc);
drop index payment_links_amount, payment_links_closed, webhook_deliveries_link;
