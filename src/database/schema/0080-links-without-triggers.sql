-- `write_links` raises the version of a link, and decisions fill what refunds, disputes and reversals repeat of their payment.
drop trigger if exists payment_links_version on payment_links;
drop trigger if exists payment_attempts_version on payment_attempts;
drop trigger if exists transactions_version on transactions;
drop trigger if exists refunds_version on refunds;
drop trigger if exists disputes_version on disputes;
drop trigger if exists bank_reversals_version on bank_reversals;
drop trigger if exists refunds_payment on refunds;
drop trigger if exists disputes_payment on disputes;
drop trigger if exists bank_reversals_payment on bank_reversals;
drop function if exists raise_version, copy_payment;
-- `create_links` takes one JSON document per link.
drop function if exists create_links, create_link, practice_snapshot;
drop type if exists written_link;
