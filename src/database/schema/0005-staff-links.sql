-- Lists and searches of a practice's staff. Every search reads a bounded range of one of these indexes.

-- Patients by last name, without case and the accents of Spanish. `read/staff-search.ts` has the same expressions. Every new
-- link writes this index, and the next three if it has such a value. So they are narrow, and there is none for first names.
create index payment_links_patient_name on payment_links (
  practice_id, test,
  (translate(lower(patient_last_name), 'ÁÉÍÓÚÜÑáéíóúüñ', 'aeiouunaeiouun') collate "C"),
  (translate(lower(patient_first_name), 'ÁÉÍÓÚÜÑáéíóúüñ', 'aeiouunaeiouun') collate "C"),
  created_at desc
);
create index payment_links_patient_email on payment_links (practice_id, (lower(patient_email) collate "C"))
  where patient_email is not null;
create index payment_links_patient_phone on payment_links (practice_id, patient_phone) where patient_phone is not null;
create index payment_links_patient_external_id on payment_links (practice_id, patient_external_id)
  where patient_external_id is not null;

-- Payments under way, and bank debits that were returned.
create index payment_attempts_under_way on payment_attempts (practice_id, created_at desc, payment_link_id desc)
  where status in ('open', 'requires_action');
create index transactions_unsettled on transactions (practice_id, status, created_at desc, payment_link_id desc)
  where status in ('pending', 'failed');

-- Acts on one record.
create index audit_log_target on audit_log (practice_id, target_id, id);
