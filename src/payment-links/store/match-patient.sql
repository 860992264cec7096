-- Returns the patient record that matches a link: by external id, else by telephone.
--
-- Arguments:
--   p_practice_id  the practice; records of other practices never match
--   p_external_id  the caller's id of the patient, or null
--   p_phone        telephone number in E.164, or null
-- Returns: the id of the oldest matching record; null if there is none.
-- Locks: none.
-- Callers: create_links, record_patient, write_links
-- Why in the database: SQL functions need the rule; all callers share it.
create or replace function match_patient(p_practice_id text, p_external_id text, p_phone text) returns text
language sql stable as $$
  select coalesce(
    (select id from patients where practice_id = p_practice_id and external_id = p_external_id order by id limit 1),
    (select id from patients where practice_id = p_practice_id and phone = p_phone order by id limit 1))
$$;
