-- Reversals and their refunds are read with all others of their link.
drop index refunds_bank_reversal;
drop index bank_reversals_transaction;
-- `write_links` writes payments and refunds, too.
drop function if exists change_links, pay_links, refund_link, payment_for_refund;
