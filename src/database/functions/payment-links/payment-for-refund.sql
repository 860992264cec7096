-- Returns the facts about a paid link that decide about refunds, beyond those that every change reads. They are the attempt,
-- the references of refunds, and bank reversals. Includes the version of the link, so its text differs after each change of state.
--
-- Arguments:
--   p_link_id  the link
-- Returns: the text of a JSON object, equal for equal rows; null for a link without a payment.
-- Locks: none.
-- Callers: refund_link, src/payment-links/link/read-states.ts
-- Why in the database: refund_link compares it with what the caller read, in the transaction that writes the refund.
create or replace function payment_for_refund(p_link_id text) returns text language plpgsql stable as $$
begin
  return (
    select json_build_object(
      'version', l.version,
      'attempt', (
        select json_build_object('id', a.id, 'processor', a.processor, 'processorAccountId', a.processor_account_id,
          'processorReference', a.processor_reference)
        from payment_attempts a where a.id = t.attempt_id
      ),
      'refunds', (
        select coalesce(json_agg(json_build_object('id', r.id, 'processorReference', r.processor_reference) order by r.id), '[]')
        from refunds r where r.payment_link_id = l.id
      ),
      'hasReversals', exists (select from bank_reversals b where b.transaction_id = t.id)
    )::text
    from payment_links l join transactions t on t.payment_link_id = l.id
    where l.id = p_link_id order by t.created_at desc, t.id desc limit 1);
end $$;
