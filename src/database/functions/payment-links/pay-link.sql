-- Pays a link by an open payment attempt, if nothing changed since the link was read.
--
-- Arguments:
--   p_id             the link
--   p_version        xmin of the link's row, as text, at the time of reading
--   p_subscriptions  JSON array of subscription_of of the practice's endpoints, as text
--   p_closing        JSON of status, paid_at, closed_at and closed_by of the link
--   p_transaction    JSON of the row of the new transaction
--   p_attempt        JSON of id, status, closed_at and reconcile_at of the attempt after the payment
--   p_status_before  status of the attempt on which the decision is based
--   p_patient_id     id of a new patient record, if none matches; null if the link needs no record
--   p_deliveries, p_now, p_shared_now  as for queue_deliveries
--   p_lock_wait_ms   longest wait for one lock; after it the statement fails with lock_not_available
-- Returns:
--   changed  written: link, transaction, attempt, patient record and events
--   stale    nothing written: the link, its attempt or an endpoint of its practice changed since it was read
-- Locks, until commit: the link, then those of change_links, then those of record_patient.
-- Callers: src/payment-links/payment/apply-answer.ts
-- Why in the database: a card payment takes two statements instead of eleven (docs/decisions/0033-changes-of-links.md).
create or replace function pay_link(
  p_id text, p_version text, p_subscriptions text, p_closing json, p_transaction json, p_attempt json,
  p_status_before text, p_patient_id text, p_deliveries json, p_now timestamptz, p_shared_now timestamptz,
  p_lock_wait_ms integer
) returns text language plpgsql as $$
declare
  outcome text;
begin
  perform set_config('lock_timeout', p_lock_wait_ms::text, true);
  perform from payment_links where id = p_id for update;
  -- A statement of its own, so that it sees what was committed while this one waited. Nobody ends an attempt without the
  -- lock of its link.
  if not exists (
    select from payment_attempts where id = p_attempt ->> 'id' and payment_link_id = p_id and status = p_status_before
  ) then
    return 'stale';
  end if;
  outcome := change_links(array[p_id], array[p_version], array[p_subscriptions], array[p_closing], array[null::json],
    array[false], array[p_transaction], p_deliveries, p_now, p_shared_now, p_lock_wait_ms, false);
  if outcome <> 'changed' then return outcome; end if;
  update payment_attempts a set status = c.status, closed_at = c.closed_at, reconcile_at = c.reconcile_at
  from json_populate_record(null::payment_attempts, p_attempt) as c
  where a.id = c.id;
  update payment_links l set open_attempt_id = null,
    patient_id = case when p_patient_id is null then l.patient_id
      else record_patient(p_patient_id, l.practice_id, l.patient_external_id, l.patient_first_name, l.patient_last_name,
        l.patient_phone, l.patient_email, p_now) end
  where l.id = p_id;
  return outcome;
end $$;
