-- Selects the links that are final: closed, without an open payment, refund, dispute, delivery or mail, and without any act
-- since then.
--
-- Arguments:
--   p_ids     the links
--   p_before  nothing of the link may be newer
-- Returns: the ids of the links among them that can be archived, in order.
-- Locks: none. The caller asks again under the locks of the links.
-- Callers: archive_chosen_links
-- Why in the database: part of archive_links, which asks twice.
create or replace function archivable_links(p_ids text[], p_before timestamptz) returns text[] language sql as $$
  select coalesce(array_agg(l.id order by l.id), '{}') from only payment_links l
  where l.id = any (p_ids) and l.status <> 'active' and l.closed_at < p_before and l.open_attempt_id is null
    -- The tables of a practice that moves refuse writes.
    -- An attempt or payment with a time of reconciliation may still change.
    and not exists (select from only payment_attempts a where a.payment_link_id = l.id
      and (a.closed_at is null or a.closed_at >= p_before or a.reconcile_at is not null))
    and not exists (select from only transactions t where t.payment_link_id = l.id
      and (t.status = 'pending' or t.reconcile_at is not null or t.created_at >= p_before or t.processed_at >= p_before))
    and not exists (select from only refunds r where r.payment_link_id = l.id
      and (r.status = 'pending' or r.created_at >= p_before))
    and not exists (select from only disputes d where d.payment_link_id = l.id
      and (d.closed_at is null or d.closed_at >= p_before))
    and not exists (select from only bank_reversals v where v.payment_link_id = l.id and v.created_at >= p_before)
    and not exists (select from only payment_admin_mails m where m.payment_link_id = l.id and m.queued_at >= p_before)
    and not exists (select from receipt_requests q where q.payment_link_id = l.id)
    and not exists (select from webhook_deliveries w where w.payment_link_id = l.id)
$$;
