import type { RefundEvidence, Rule } from '../evidence.ts';
import { rule } from '../rules-of-tables.ts';

/** Refunds at the sandbox, with their state at the present time. */
const AT_SANDBOX = `
  select reference, payment, refund, amount_cents, case
    when state = 'pending' and final_at <= clock_timestamp() then case when arrives then 'succeeded' else 'failed' end
    else state end as state
  from sandbox.refunds`;

/**
 * Rules that compare refunds and disputes in the tables of the service with those of the sandbox. They hold once the service has
 * asked the processor about every payment. `paylinks check` compares refunds with their payments and links.
 */
export const AGREEMENT_RULES: readonly Rule[] = [
  // A refund that was made at the processor and failed there needs no record.
  rule(
    'Q10 a refund at the processor is recorded once, with its outcome',
    `select s.reference || ' is ' || s.state || ' over ' || s.amount_cents || ' cents, and recorded as ' ||
       coalesce(string_agg(r.id || ' ' || r.status, ', '), 'nothing') as broken
     from (${AT_SANDBOX}) as s
     join payment_attempts a on a.processor = 'sandbox' and a.processor_reference = s.payment and a.status = 'accepted'
     left join refunds r on r.processor_reference = s.reference and r.payment_link_id = a.payment_link_id
       and r.amount_cents = s.amount_cents
     where s.state <> 'failed' or s.refund is not null
     group by s.reference, s.state, s.amount_cents having count(r.id) <> 1 or min(r.status) <> s.state`,
  ),
  rule(
    'Q10 a recorded refund has ended, as it did at the processor',
    `select r.id || ' is ' || r.status || ', and at the processor ' || coalesce(s.state, 'unknown') as broken
     from refunds r
     join transactions t on t.id = r.transaction_id
     join payment_attempts a on a.id = t.attempt_id and a.processor = 'sandbox'
     left join (${AT_SANDBOX}) as s on s.reference = r.processor_reference and s.payment = a.processor_reference
     where r.status = 'pending' or (r.bank_reversal_id is null and r.status <> coalesce(s.state, 'failed'))`,
  ),
  rule(
    'Q10 the processor gives back no more than was paid',
    `select s.payment || ': ' || sum(s.amount_cents) || ' of ' || p.amount_cents || ' cents' as broken
     from (${AT_SANDBOX}) as s join sandbox.payments p on p.reference = s.payment
     where s.state <> 'failed' group by s.payment, p.amount_cents having sum(s.amount_cents) > p.amount_cents`,
  ),
  rule(
    'Q10 a dispute or reversal at the processor is recorded once, with its outcome',
    `select s.reference || ' is ' || s.state || ', and recorded as ' || coalesce(string_agg(r.state, ', '), 'nothing') as broken
     from sandbox.disputes s
     join payment_attempts a on a.processor = 'sandbox' and a.processor_reference = s.payment and a.status = 'accepted'
     left join (
       select processor_reference, payment_link_id, amount_cents, status as state, false as is_reversal from disputes
       union all
       select processor_reference, payment_link_id, amount_cents, 'open', true from bank_reversals
     ) as r on r.processor_reference = s.reference and r.payment_link_id = a.payment_link_id
       and r.amount_cents = s.amount_cents and r.is_reversal = s.is_bank_reversal
     group by s.reference, s.state having count(*) <> 1 or min(r.state) is distinct from s.state`,
  ),
];

/** Rules about refunds and disputes that need the tables alone. */
export const REFUND_RULES: readonly Rule[] = [
  ...AGREEMENT_RULES,
  // As events of changes, at each endpoint that listened at that moment. The refunds of a link differ by their amounts.
  rule(
    'Q1 every refund and dispute has its events',
    `with happened as (
       select payment_link_id, 'payment_link.refunded' as type, amount_cents, created_at from refunds where status = 'succeeded'
       union all select payment_link_id, 'payment_link.disputed', amount_cents, created_at from disputes
       union all select payment_link_id, 'payment_link.dispute_closed', null, created_at from disputes where status <> 'open'
     ), expected as (
       select h.payment_link_id, h.type, w.id as endpoint_id, array_agg(h.amount_cents order by h.amount_cents) as cents
       from happened h join payment_links l on l.id = h.payment_link_id
       join webhook_endpoints w on w.practice_id = l.practice_id and w.test = l.test and w.created_at <= h.created_at
         and (w.location_id is null or w.location_id = l.location_id)
         and (w.enabled_events = '{}' or h.type = any (w.enabled_events))
       group by h.payment_link_id, h.type, w.id
     ), published as (
       select d.payment_link_id, d.type, d.endpoint_id, array_agg(d.cents order by d.cents) as cents
       from (
         select *, (coalesce(payload::json #>> '{data,context,refundAmount}',
           payload::json #>> '{data,context,disputeAmount}')::numeric * 100)::integer as cents
         from webhook_deliveries
         where type in ('payment_link.refunded', 'payment_link.disputed', 'payment_link.dispute_closed')
       ) as d
       group by d.payment_link_id, d.type, d.endpoint_id
     )
     select payment_link_id || ' ' || type || ' at ' || endpoint_id || ': of ' || coalesce(e.cents::text, 'none') ||
       ' cents, published of ' || coalesce(p.cents::text, 'none') as broken
     from expected e full join published p using (payment_link_id, type, endpoint_id)
     where e.cents is distinct from p.cents`,
  ),
];

/** Rules about the refunds that a run asked for. */
export const ASKED_RULES: readonly Rule<RefundEvidence>[] = [
  {
    name: 'Q1 what was confirmed as refunded is there',
    async find(query, { asked, simulated }) {
      const rows = await query<{ id: string; linkId: string; cents: number; status: string }>(
        'select id, payment_link_id as "linkId", amount_cents as cents, status from refunds',
      );
      const recorded = new Map(rows.map((refund) => [refund.id, refund]));
      const missing = [...asked].filter(([id, { linkId, cents, isConfirmed }]) => {
        const refund = recorded.get(id);
        return isConfirmed && (refund?.linkId !== linkId || refund.cents !== cents);
      });
      const simulatedWrong = [...simulated].filter(([linkId, cents]) => {
        const of = rows.filter((refund) => refund.linkId === linkId);
        return of.length !== 1 || of[0]?.cents !== cents || of[0].status !== 'succeeded';
      });
      return [
        ...missing.map(([id, { linkId, cents }]) => `${id} of ${linkId} over ${cents} cents`),
        ...simulatedWrong.map(([linkId, cents]) => `the refund of the test link ${linkId} over ${cents} cents`),
      ];
    },
  },
  {
    name: 'Q10 the processor makes the refunds that were asked for, and no others',
    async find(query, { asked, madeOutside }) {
      const rows = await query<{ reference: string; refund: string | null; linkId: string; cents: number }>(
        `select s.reference, s.refund, s.amount_cents as cents, a.payment_link_id as "linkId"
         from sandbox.refunds s join payment_attempts a on a.processor_reference = s.payment`,
      );
      const made = new Set(rows.map(({ reference }) => reference));
      const unasked = rows.filter(({ reference, refund, linkId, cents }) => {
        if (refund === null) return madeOutside.get(reference) !== cents;
        const order = asked.get(refund);
        return order?.linkId !== linkId || order.cents !== cents;
      });
      return [
        ...unasked.map(
          ({ reference, refund, cents }) => `${reference} as ${refund ?? 'none of ours'} over ${cents} cents`,
        ),
        ...[...madeOutside.keys()]
          .filter((reference) => !made.has(reference))
          .map((reference) => `${reference} is gone`),
      ];
    },
  },
];
