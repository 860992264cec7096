-- Records a refund of a link, or the success of one, in one transaction, if nothing changed since the link was read.
--
-- Arguments:
--   p_id             the link
--   p_payment        payment_for_refund of the link at the time of reading
--   p_subscriptions  JSON array of subscription_of of the practice's endpoints, as text; null if there is no event
--   p_recorded       JSON of the row of a new refund; null for none
--   p_succeeded      JSON of id, status and processor_reference of a recorded refund; null for none
--   p_transaction    JSON of id, status and reconcile_at of the transaction; null if they stay
--   p_acts           JSON array of rows of audit_log that record the refund
--   p_deliveries, p_now, p_shared_now  as for queue_deliveries
--   p_lock_wait_ms   longest wait for one lock; after it the statement fails with lock_not_available
-- Returns:
--   changed  written
--   stale    nothing written: the link, its payment, or an endpoint of its practice changed since it was read
--   taken    nothing written: a refund of another link has the id of the new one
-- Locks, until commit: the link, then those of change_links.
-- Callers: src/payment-links/refund/write-refund.ts
-- Why in the database: one round trip and one commit, and no lock outlasts the statement
--   (docs/decisions/0033-changes-of-links.md).
create or replace function refund_link(
  p_id text, p_payment text, p_subscriptions text, p_recorded json, p_succeeded json, p_transaction json, p_acts json,
  p_deliveries json, p_now timestamptz, p_shared_now timestamptz, p_lock_wait_ms integer
) returns text language plpgsql as $$
declare
  outcome text;
begin
  perform set_config('lock_timeout', p_lock_wait_ms::text, true);
  perform from payment_links where id = p_id for update;
  -- Statements of their own, so that they see what was committed while this one waited for the link.
  if payment_for_refund(p_id) is distinct from p_payment then return 'stale'; end if;
  if exists (select from refunds where id = p_recorded ->> 'id') then return 'taken'; end if;
  if p_subscriptions is not null then
    outcome := (
      select c from payment_links l, change_links(array[l.id], array[l.version::text], array[p_subscriptions],
        array[null::json], array[null::json], array[false], array[null::json], p_deliveries, p_now, p_shared_now,
        p_lock_wait_ms, false) as c
      where l.id = p_id);
    if outcome <> 'changed' then return outcome; end if;
  end if;

  insert into refunds (id, practice_id, payment_link_id, transaction_id, bank_reversal_id, processor_reference,
    amount_cents, status, reason, created_at)
  select r.id, r.practice_id, r.payment_link_id, r.transaction_id, r.bank_reversal_id, r.processor_reference,
    r.amount_cents, r.status, r.reason, r.created_at
  from json_populate_record(null::refunds, p_recorded) as r where p_recorded is not null;
  update refunds r set status = s.status, processor_reference = s.processor_reference
  from json_populate_record(null::refunds, p_succeeded) as s where r.id = s.id;
  update transactions t set status = c.status, reconcile_at = c.reconcile_at
  from json_populate_record(null::transactions, p_transaction) as c where t.id = c.id;
  insert into audit_log select a.* from json_populate_recordset(null::audit_log, p_acts) as a;
  return 'changed';
end $$;
