-- Pays different links by their open payment attempts, each if nothing changed since its link was read.
--
-- Arguments: arrays with one entry per link, all ids different:
--   p_ids            the links
--   p_versions       version of the link, as text, at the time of reading
--   p_subscriptions  JSON array of subscription_of of the practice's endpoints, as text
--   p_closings       JSON of status, paid_at, closed_at and closed_by of the link
--   p_transactions   JSON of the row of the new transaction
--   p_attempts       JSON of id, status, closed_at and reconcile_at of the attempt after the payment
--   p_patient_ids    id of a new patient record, if none matches; null if the link needs no record
--   and, for all links:
--   p_status_before  status of the attempts on which the decisions are based
--   p_deliveries, p_now, p_shared_now  as for queue_deliveries
--   p_lock_wait_ms   longest wait for one lock; after it the statement fails with lock_not_available
--   p_leaves_out     true: links with a locked row are left out
-- Returns: one outcome per link, in their order:
--   changed  written: link, transaction, attempt, patient record and events
--   stale    nothing written: the link, its attempt or an endpoint of its practice changed since it was read
--   busy     nothing written: left out
-- Locks, until commit: the links by id, then those of change_links, then those of record_patient by practice.
-- Callers: src/payment-links/payment/apply-answer.ts
-- Why in the database: payments that arrive together share one round trip and one commit
--   (docs/decisions/0033-changes-of-links.md).
create or replace function pay_links(
  p_ids text[], p_versions text[], p_subscriptions text[], p_closings json[], p_transactions json[], p_attempts json[],
  p_patient_ids text[], p_status_before text, p_deliveries json, p_now timestamptz, p_shared_now timestamptz,
  p_lock_wait_ms integer, p_leaves_out boolean
) returns setof text language plpgsql
-- Plan hint CHANGE_PLANS.
set plan_cache_mode = force_generic_plan
as $$
declare
  versions text[];
  outcomes text[];
  changed_ids text[];
begin
  perform set_config('lock_timeout', p_lock_wait_ms::text, true);
  if p_leaves_out then
    perform from payment_links where id = any (p_ids) order by id for update skip locked;
  else
    perform from payment_links where id = any (p_ids) order by id for update;
  end if;
  -- A statement of its own, so that it sees what was committed while this one waited. No transaction ends an attempt without
  -- the lock of its link. No link has an empty version, so a link whose attempt has ended is stale.
  versions := array(
    select case when exists (
        select from payment_attempts t
        where t.id = a.attempt ->> 'id' and t.payment_link_id = a.id and t.status = p_status_before
      ) then a.version else '' end
    from unnest(p_ids, p_versions, p_attempts) with ordinality as a (id, version, attempt, place)
    order by a.place);
  outcomes := array(
    select c.outcome from change_links(p_ids, versions, p_subscriptions, p_closings,
      array_fill(null::json, array[cardinality(p_ids)]), array_fill(false, array[cardinality(p_ids)]), p_transactions,
      p_deliveries, p_now, p_shared_now, p_lock_wait_ms, p_leaves_out) with ordinality as c (outcome, place)
    order by c.place);
  changed_ids := array(select a.id from unnest(p_ids, outcomes) as a (id, outcome) where a.outcome = 'changed');
  if changed_ids = '{}' then return query select unnest(outcomes); return; end if;

  update payment_attempts a set status = c.status, closed_at = c.closed_at, reconcile_at = c.reconcile_at
  from unnest(p_ids, p_attempts) as g (id, attempt), json_populate_record(null::payment_attempts, g.attempt) as c
  where g.id = any (changed_ids) and a.id = c.id;
  -- In one order, so that two statements that make records of the same practices never wait for each other.
  perform lock_patients(p.practice_id) from (
    select distinct l.practice_id from unnest(p_ids, p_patient_ids) as g (id, patient_id)
      join payment_links l on l.id = g.id
    where g.id = any (changed_ids) and g.patient_id is not null
    order by l.practice_id
  ) as p;
  update payment_links l set open_attempt_id = null,
    patient_id = case when g.patient_id is null then l.patient_id
      else record_patient(g.patient_id, l.practice_id, l.patient_external_id, l.patient_first_name, l.patient_last_name,
        l.patient_phone, l.patient_email, p_now) end
  from unnest(p_ids, p_patient_ids) as g (id, patient_id)
  where g.id = any (changed_ids) and l.id = g.id;
  return query select unnest(outcomes);
end $$;
