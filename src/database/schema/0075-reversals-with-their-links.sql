-- The refunds of a reversal are read with all refunds of their link.
drop index refunds_bank_reversal;
