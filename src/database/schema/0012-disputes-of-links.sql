-- Disputes of a link. Without it, each row of the list of payments reads all disputes of the practice. Disputes are rare, so
-- the index costs little.
create index disputes_link on disputes (payment_link_id);
