-- Totals of lists read the key alone, because it has the counts as well. With a million links that is 36 blocks instead of
-- 523. The counts of all links lie among those of locations and references. The index was built before, so that nobody waits.

alter table list_counts drop constraint list_counts_pkey, add constraint list_counts_pkey primary key using index list_counts_key;
