import type { PaymentEvidence, Rule } from '../evidence.ts';
import { rule } from '../rules-of-tables.ts';

/** Payments at the sandbox, with their state at the present time. A bank can return a debit that it took. */
const AT_SANDBOX = `
  select reference, attempt, amount_cents, final_at, case
    when state = 'processing' and final_at <= clock_timestamp()
      then case when failure_reason is null then 'succeeded' else 'failed' end
    else state end as state
  from sandbox.payments`;

/** Payments that took money, or were about to. A debit that was returned is among them, because it has a record as well. */
const TAKEN = `select * from (${AT_SANDBOX}) as s where state in ('succeeded', 'processing') or (state = 'failed' and final_at is not null)`;

export const PAID_TWICE = 'Q11 no link is paid twice';

/**
 * Rules that compare the payments of live links with those of the sandbox. They hold once the service has asked the processor about
 * every attempt.
 */
export const PAYMENT_RULES: readonly Rule[] = [
  rule(
    'Q11 a payment at the processor is recorded once',
    `select s.reference || ' is ' || s.state || ' over ' || s.amount_cents || ' cents, its attempt is ' ||
       coalesce(min(a.status), 'unknown') || ', its link is ' || coalesce(min(l.status), 'unknown') || ', and recorded are ' ||
       count(t.id) as broken
     from (${TAKEN}) as s
     left join payment_attempts a on a.id = s.attempt and a.processor_reference = s.reference
     left join payment_links l on l.id = a.payment_link_id
     left join transactions t on t.attempt_id = a.id and t.payment_link_id = l.id and t.amount_cents = s.amount_cents
     group by s.reference, s.state, s.amount_cents
     having count(t.id) <> 1 or min(a.status) <> 'accepted' or min(l.status) <> 'paid'`,
  ),
  rule(
    'Q11 a recorded payment was made at the processor, with its outcome',
    `select t.id || ' of ' || t.payment_link_id || ' is ' || t.status || ', and at the processor ' || coalesce(s.state, 'unknown') as broken
     from transactions t
     join payment_attempts a on a.id = t.attempt_id and a.processor = 'sandbox'
     left join (${AT_SANDBOX}) as s on s.reference = a.processor_reference and s.amount_cents = t.amount_cents
     where coalesce(s.state, '') <> case when t.status = 'refunded' then 'succeeded' else t.status end`,
  ),
  rule(
    PAID_TWICE,
    `select l.id || ': ' || count(s.reference) || ' payments at the processor, ' || count(t.id) || ' recorded' as broken
     from payment_links l join payment_attempts a on a.payment_link_id = l.id
     left join (${TAKEN}) as s on s.attempt = a.id
     left join transactions t on t.attempt_id = a.id
     group by l.id having count(s.reference) > 1 or count(t.id) > 1`,
  ),
  rule(
    'Q11 every payment attempt has ended',
    `select a.id || ' of ' || a.payment_link_id || ' is ' || a.status as broken from payment_attempts a
     where a.status in ('open', 'requires_action') or a.closed_at is null or a.reconcile_at is not null`,
  ),
];

export const SHOWN_RULE: Rule<PaymentEvidence> = {
  name: 'Q1 what a patient saw as paid is recorded as paid',
  async find(query, { shown }) {
    const rows = await query<{ id: string; link: string; payment: string | null }>(
      `select l.id, l.status as link, t.status as payment from payment_links l
       left join transactions t on t.payment_link_id = l.id where l.id = any ($1)`,
      [[...shown.keys()]],
    );
    const recorded = new Map(rows.map(({ id, link, payment }) => [id, { link, payment: payment ?? 'none' }]));
    return [...shown].flatMap(([id, payment]) => {
      const { link, payment: status } = recorded.get(id) ?? { link: 'unknown', payment: 'none' };
      if (link === 'paid' && MAY_BE_RECORDED_AS[payment].includes(status)) return [];
      return [`${id} was shown as ${payment}, and is ${link} with the payment ${status}`];
    });
  },
};

/** Statuses of a transaction after its debits have settled and its refunds are made, by what the page showed before. */
const MAY_BE_RECORDED_AS: Readonly<Record<'paid' | 'pending' | 'returned', readonly string[]>> = {
  paid: ['succeeded', 'refunded'],
  pending: ['succeeded', 'refunded', 'failed'],
  returned: ['failed'],
};
