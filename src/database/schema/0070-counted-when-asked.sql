-- Totals are counted when a list or report is asked for (docs/performance.md). Before, triggers and a job kept them.
-- The triggers go with their functions.

drop function if exists append_new_link, append_link_status, append_payment, append_former_link, append_new_delivery,
  append_delivery_status, append_former_delivery, append_payment_total cascade;
drop function if exists counts_of_row, wrong_list_counts, true_list_counts, split_large_chunk, split_list_chunk,
  fold_list_changes, fold_changes_of, check_list_chunk, count_frequent_reference, lock_list_counts,
  fold_payment_totals, fold_payment_totals_of, check_payment_sums, check_payment_hours;
drop view if exists listed_rows;
drop table list_counts;
drop table list_changes;
drop table list_chunks;
drop table frequent_references;
drop table if exists payment_totals, payment_total_changes, uncounted_payment_totals;

-- Counts read indexes alone where autovacuum has been. It comes when one row in a hundred is new, or five changed.
alter table payment_links set (autovacuum_vacuum_insert_scale_factor = 0.01, autovacuum_vacuum_scale_factor = 0.05);
alter table webhook_deliveries
  set (autovacuum_vacuum_insert_scale_factor = 0.01, autovacuum_vacuum_scale_factor = 0.05);
