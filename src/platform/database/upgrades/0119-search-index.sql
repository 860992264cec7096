create index payment_links_search on payment_links using gin (
  search_words(right(practice_id, 8) || case when test then 't' else 'l' end, fold_search_text(
    patient_first_name || ' ' || patient_last_name || E'\x1f' || coalesce(left(external_reference, 100), '')
    || E'\x1f' || coalesce(left(patient_external_id, 100), '')))
) with (gin_pending_list_limit = 128);
-- Searches of the release before read the links of their practice instead, until its processes have ended.
drop index payment_links_patient_name;
drop index payment_links_patient_external_id;
-- No release has it.
drop index if exists payment_links_words;
