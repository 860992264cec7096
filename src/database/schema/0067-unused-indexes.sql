-- Only the archive read this one.
drop index if exists bank_reversals_link;
-- Lists read the deliveries of each endpoint, by its own index. Each delivery wrote this one three times.
drop index webhook_deliveries_newest;
-- bank_reversals_paid, disputes_paid and the unique columns (practice_id, id) of endpoints find the same rows. A practice has few of
-- them, so no order by time is needed.
drop index bank_reversals_practice;
drop index disputes_practice;
drop index webhook_endpoints_mode;

-- Half of each page is free. So the start of an attempt writes the new version of its delivery beside the old one, and no
-- index. With full pages, 43 of 100 starts did. WAL per delivery falls from 7.3 to 6.2 kB; the table takes 12 % more (docs/performance.md).
alter table webhook_deliveries set (fillfactor = 50);
