-- Locks the patient records of a practice against new ones.
--
-- Arguments:
--   p_practice_id  the practice
-- Returns: nothing.
-- Locks: an advisory lock on the patients of the practice, until commit.
-- Callers: record_patient, write_links, src/payment-links/upkeep/erase-patient.ts
-- Why in the database: SQL functions take the lock, and all of them name it in the same way.
create or replace function lock_patients(p_practice_id text) returns void language sql as $$
  select pg_advisory_xact_lock(hashtextextended('patients:' || p_practice_id, 0))
$$;
