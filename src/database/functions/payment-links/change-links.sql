-- Writes decisions about different links in one transaction, each if nothing changed since its link was read.
--
-- Arguments: arrays with one entry per link, all ids different:
--   p_ids            the links
--   p_versions       version of the link, as text, at the time of reading
--   p_subscriptions  JSON array of subscription_of of the practice's endpoints, as text; null if there is no event
--   p_closings       JSON of status, paid_at, closed_at and closed_by; null if they stay
--   p_fields         JSON of the fields that an update may change; null if they stay
--                    Both may have the rows of audit_log that record the change, as the array acts.
--   p_matches        true if the patient record is to be matched again
--   p_transactions   JSON of the row of a new transaction; null for none
--   and, for all links:
--   p_deliveries, p_now, p_shared_now  as for queue_deliveries
--   p_lock_wait_ms   longest wait for one lock; after it the statement fails with lock_not_available
--   p_leaves_out     true: links with a locked row are left out
-- Returns: one outcome per link, in their order:
--   changed  written
--   stale    nothing written: the link, or an endpoint of its practice, changed since it was read
--   busy     nothing written: left out
-- Locks, until commit: the links by id, then the endpoints of their practices by id. So no other transaction disables or deletes these.
--   Last come the foreign keys of patients. Payments, refunds, disputes and expiry lock the link first, too.
--   No transaction waits for a link while it has locked an endpoint.
-- Callers: pay_links, refund_link
-- Why in the database: one round trip and one commit for up to 32 links, and no lock outlasts the statement
--   (docs/decisions/0033-changes-of-links.md).
create or replace function change_links(
  p_ids text[], p_versions text[], p_subscriptions text[], p_closings json[], p_fields json[], p_matches boolean[],
  p_transactions json[], p_deliveries json, p_now timestamptz, p_shared_now timestamptz, p_lock_wait_ms integer,
  p_leaves_out boolean
) returns setof text language plpgsql
-- Plan hint CHANGE_PLANS.
set plan_cache_mode = force_generic_plan
as $$
declare
  -- Rows that were locked: one array per column.
  links record;
  endpoints record;
  outcomes text[];
  changed_ids text[];
begin
  perform set_config('lock_timeout', p_lock_wait_ms::text, true);
  if p_leaves_out then
    select array_agg(l.id) as ids, array_agg(l.practice_id) as practice_ids, array_agg(l.test) as tests,
      array_agg(l.version) as versions
    into links from (
      select id, practice_id, test, version::text as version from payment_links where id = any (p_ids)
      order by id for update skip locked
    ) as l;
  else
    select array_agg(l.id) as ids, array_agg(l.practice_id) as practice_ids, array_agg(l.test) as tests,
      array_agg(l.version) as versions
    into links from (
      select id, practice_id, test, version::text as version from payment_links where id = any (p_ids)
      order by id for update
    ) as l;
  end if;
  -- A statement of its own, so that it sees what was committed while this one waited for the links.
  select array_agg(o.practice_id) as practice_ids, array_agg(o.test) as tests, array_agg(o.subscriptions) as subscriptions
  into endpoints from (
    select e.practice_id, e.test, json_agg(e.subscription order by e.id)::text as subscriptions from (
      select w.id, w.practice_id, w.test, subscription_of(w) as subscription from webhook_endpoints w
      where (w.practice_id, w.test) in (select * from unnest(links.practice_ids, links.tests)) and w.deleted_at is null
      order by w.id for key share
    ) as e group by e.practice_id, e.test
  ) as o;
  select array_agg(case
      when l.id is null and p_leaves_out then 'busy'
      when l.id is null or l.version <> a.version then 'stale'
      when a.subscriptions <> coalesce(o.subscriptions, '[]') then 'stale'
      else 'changed' end order by a.place)
  into outcomes
  from unnest(p_ids, p_versions, p_subscriptions) with ordinality as a (id, version, subscriptions, place)
    left join unnest(links.ids, links.practice_ids, links.tests, links.versions) as l (id, practice_id, test, version)
      on l.id = a.id
    left join unnest(endpoints.practice_ids, endpoints.tests, endpoints.subscriptions) as o (practice_id, test, subscriptions)
      on o.practice_id = l.practice_id and o.test = l.test;
  changed_ids := array(select a.id from unnest(p_ids, outcomes) as a (id, outcome) where a.outcome = 'changed');
  if changed_ids = '{}' then return query select unnest(outcomes); return; end if;

  update payment_links l set status = c.status, paid_at = c.paid_at, closed_at = c.closed_at, closed_by = c.closed_by
  from unnest(p_ids, p_closings) as a (id, closing), json_to_record(a.closing)
    as c (status text, paid_at timestamptz, closed_at timestamptz, closed_by text)
  where a.id = any (changed_ids) and a.closing is not null and l.id = a.id;
  -- The reference apart: a trigger counts every update that names its column.
  update payment_links l set amount_cents = f.amount_cents, description = f.description, metadata = f.metadata,
    patient_phone = f.patient_phone, patient_email = f.patient_email, expires_at = f.expires_at,
    patient_id = case when a.matches and not l.test
      then match_patient(l.practice_id, l.patient_external_id, f.patient_phone) else l.patient_id end
  from unnest(p_ids, p_fields, p_matches) as a (id, fields, matches), json_populate_record(null::payment_links, a.fields) as f
  where a.id = any (changed_ids) and a.fields is not null and l.id = a.id;
  update payment_links l set external_reference = a.fields ->> 'external_reference'
  from unnest(p_ids, p_fields) as a (id, fields)
  where a.id = any (changed_ids) and a.fields is not null and l.id = a.id
    and l.external_reference is distinct from a.fields ->> 'external_reference';
  insert into transactions (id, practice_id, payment_link_id, attempt_id, status, amount_cents, fee_cents, net_cents,
    payment_method_type, payment_method_brand, payment_method_last4, statement_descriptor, failure_reason,
    processed_at, created_at, reconcile_at)
  select t.id, t.practice_id, t.payment_link_id, t.attempt_id, t.status, t.amount_cents, t.fee_cents, t.net_cents,
    t.payment_method_type, t.payment_method_brand, t.payment_method_last4, t.statement_descriptor, t.failure_reason,
    t.processed_at, t.created_at, t.reconcile_at
  from unnest(p_ids, p_transactions) as a (id, transaction), json_populate_record(null::transactions, a.transaction) as t
  where a.id = any (changed_ids) and a.transaction is not null;
  insert into audit_log select r.*
  from unnest(p_ids, p_closings, p_fields) as a (id, closing, fields),
    json_populate_recordset(null::audit_log, coalesce(a.closing -> 'acts', a.fields -> 'acts')) as r
  where a.id = any (changed_ids);
  perform queue_deliveries(p_deliveries, changed_ids, p_now, p_shared_now);
  return query select unnest(outcomes);
end $$;
