-- Each change of a link's state raises the version, and a write compares it with the version that was read. Triggers raise it
-- (triggers.sql). Room on each page keeps an update of the version alone from writing the indexes.
alter table payment_links add version integer not null default 1;
alter table payment_links set (fillfactor = 80);
