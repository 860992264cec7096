-- Returns the patient record of a paid link: the one that matches, else a new one.
--
-- Arguments:
--   p_id           id of the new record, if one is needed
--   p_practice_id  the practice
--   p_external_id, p_first_name, p_last_name, p_phone, p_email  the patient, as the link names them
--   p_now          the present
-- Returns: the id of the record.
-- Locks: as lock_patients, until commit. So two links of one new patient that are paid at
--   the same time create one record. The match sees what was committed before the lock.
-- Callers: write_links
-- Why in the database: one round trip instead of three per payment, under the lock of the link.
create or replace function record_patient(
  p_id text, p_practice_id text, p_external_id text, p_first_name text, p_last_name text, p_phone text, p_email text,
  p_now timestamptz
) returns text language plpgsql as $$
declare
  matched_id text;
begin
  perform lock_patients(p_practice_id);
  matched_id := match_patient(p_practice_id, p_external_id, p_phone);
  if matched_id is not null then return matched_id; end if;
  insert into patients (id, practice_id, external_id, first_name, last_name, phone, email, created_at)
    values (p_id, p_practice_id, p_external_id, p_first_name, p_last_name, p_phone, p_email, p_now);
  return p_id;
end $$;
