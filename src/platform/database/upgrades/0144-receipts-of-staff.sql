alter table receipt_requests drop constraint receipt_requests_ordinal_check;
alter table receipt_requests add constraint receipt_requests_ordinal_check check (ordinal between 1 and 6) not valid;
alter table receipt_requests validate constraint receipt_requests_ordinal_check;
