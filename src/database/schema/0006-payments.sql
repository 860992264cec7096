-- Indexes for the payments of the console. Each page reads a range of one of them, however long the history is.

-- The payments of a location, in the order of the list.
create index payment_links_location_paid on payment_links (practice_id, location_id, test, paid_at, id)
  where paid_at is not null;
-- Debits under way and returned debits. A card payment never enters this index. Another migration may have made it.
create index if not exists transactions_unsettled on transactions
  (practice_id, status, created_at desc, payment_link_id desc) where status in ('pending', 'failed');
-- Refunds, reversals and disputes of a practice by time, for totals and for the list of what is to act on.
create index refunds_practice on refunds (practice_id, created_at);
create index bank_reversals_practice on bank_reversals (practice_id, created_at);
create index disputes_practice on disputes (practice_id, status, created_at);
-- Acts on one object, for its timeline. Another migration may have made it.
create index if not exists audit_log_target on audit_log (practice_id, target_id, id);
