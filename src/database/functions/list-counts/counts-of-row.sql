-- Returns the counts that a row belongs to: of all, of its group, of its label, of both.
--
-- Arguments:
--   p_practice_id, p_test, p_list  the list: practice, mode, and 'links', 'payments' or 'deliveries'
--   p_group_id  location or endpoint of the row
--   p_label     external reference or event type of the row; an external reference counts only if it is frequent
-- Returns: one row per count; '' stands for all.
-- Locks: none.
-- Callers: true_list_counts, fold_changes_of
-- Why in the database: part of folding.
create or replace function counts_of_row(p_practice_id text, p_test boolean, p_list text, p_group_id text, p_label text)
returns table (group_id text, label text) language sql stable as $$
  select g, l
  from unnest(array['', p_group_id]) as g,
    unnest(case when p_label is not null and (p_list = 'deliveries' or exists (
        select from frequent_references f
        where f.practice_id = p_practice_id and f.test = p_test and f.reference = p_label and f.is_counted))
      then array['', p_label] else array[''] end) as l
$$;
