import { formatTimeSql, type Invariant } from '../../platform/database/query/rule-invariant.ts';
import { sandboxPracticeSql } from '../../processors/sandbox.ts';
import { latestTransactionSql } from '../model/transaction.entity.ts';

/** Next step where money is concerned: only the processor knows what is right. */
const COMPARE = 'Compare it with the payment at the processor before anybody refunds or charges, and report it.';

/** Next step where only the answer of the processor ends something. */
const ASK = 'See that a worker runs with the PROCESSOR of the payment, and that the processor answers.';

export const LINK_INVARIANTS: readonly Invariant[] = [
  {
    name: 'links_expire_in_time',
    next: 'Start a worker.',
    statement: `select l.practice_id as "practiceId", l.id || ' should have expired at ' ||
       ${formatTimeSql('l.expires_at')} || ': is a worker running?' as problem
     from payment_links l
     where l.status = 'active' and l.expires_at < present.at - interval '10 minutes' and l.open_attempt_id is null`,
  },
  // Only if its account is disconnected is an attempt closed without an answer, after 24 hours.
  {
    name: 'attempts_end_in_a_day',
    next: ASK,
    statement: `select a.practice_id as "practiceId", a.id || ' of ' || a.payment_link_id || ' has been ' || a.status || ' since ' ||
       ${formatTimeSql('a.created_at')} ||
       ': does ' || a.processor || ' answer, is it the PROCESSOR of the workers, and is one running?' as problem
     from payment_attempts a
     where a.status in ('open', 'requires_action') and a.created_at < present.at - interval '25 hours'`,
  },
  // A notification arrives after its attempt was recorded. Without the attempt, the database was restored to an earlier moment.
  {
    name: 'notifications_are_processed',
    next: 'See "Payments of the lost time" in docs/operations/recover.md.',
    statement: `select coalesce(p.id, n.account_id) as "practiceId", 'the notification ' || n.id || ' of ' ||
       ${formatTimeSql('n.received_at')} || ' about ' ||
       coalesce(n.subject ->> 'reference', n.account_id) || ' failed ' || n.tries ||
       ' times: does the processor answer, and does the database have the payment attempt?' as problem
     from processor_notifications n left join practices p on p.id = coalesce(
       (select id from practices where processor_account_id = n.account_id), ${sandboxPracticeSql('n.account_id')})
     where n.due_at is not null and n.received_at < present.at - interval '10 minutes'`,
  },
  {
    name: 'links_agree_with_attempts',
    table: 'payment_links',
    next: 'Report it: the link cannot be paid, or can change during a payment.',
    statement: `select l.practice_id as "practiceId", l.id || ' names the open attempt ' || coalesce(l.open_attempt_id, 'none') || ', but the open one is ' ||
       coalesce(a.id, 'none') as problem
     from payment_links l
       left join payment_attempts a on a.payment_link_id = l.id and a.status in ('open', 'requires_action')
     where l.id = any ($2) and l.open_attempt_id is distinct from a.id`,
  },
  {
    name: 'links_agree_with_payments',
    table: 'payment_links',
    next: COMPARE,
    statement: `select l.practice_id as "practiceId", l.id || ' is ' || l.status || ' over ' || l.amount_cents || ' cents, but its payment is ' ||
       coalesce(t.status || ' over ' || t.amount_cents || ' cents', 'missing') as problem
     from payment_links l
       left join lateral (${latestTransactionSql('t.*')}) as t on true
     where l.id = any ($2) and ((l.status = 'paid') <> (t.id is not null) or t.amount_cents <> l.amount_cents)`,
  },
  {
    name: 'payments_agree_with_attempts',
    table: 'payment_links',
    next: COMPARE,
    statement: `select t.practice_id as "practiceId", t.id || ' of ' || t.payment_link_id || ' has ' || t.amount_cents || ' cents, but its attempt is ' || a.status ||
       ' over ' || a.amount_cents || ' cents' as problem
     from transactions t join payment_attempts a on a.id = t.attempt_id
     where t.payment_link_id = any ($2) and (a.status <> 'accepted' or a.amount_cents <> t.amount_cents)
     union all
     select a.practice_id as "practiceId", a.id || ' of ' || a.payment_link_id || ' took ' || a.amount_cents || ' cents, but the link has no payment'
     from payment_attempts a
     where a.payment_link_id = any ($2) and a.status = 'accepted'
       and not exists (select from transactions t where t.payment_link_id = a.payment_link_id)
       and not exists (select from payment_admin_mails m where m.kind = 'payment_refused' and m.subject_id = a.id)`,
  },
  // Pending refunds count. A bank may take back what was refunded already.
  {
    name: 'refunds_agree_with_payments',
    table: 'payment_links',
    next: COMPARE,
    statement: `select t.practice_id as "practiceId", t.id || ' of ' || t.payment_link_id || ' is ' || t.status || ' over ' || t.amount_cents || ' cents, but ' ||
       r.cents || ' cents were given back or are pending' as problem
     from transactions t,
       lateral (
         select coalesce(sum(amount_cents), 0) as cents,
           coalesce(sum(amount_cents) filter (where bank_reversal_id is null), 0) as refunded from refunds
         where transaction_id = t.id and status <> 'failed'
       ) as r,
       lateral (select coalesce(sum(amount_cents), 0) as cents from bank_reversals where transaction_id = t.id) as v,
       lateral (select coalesce(sum(amount_cents), 0) as cents from disputes where transaction_id = t.id and status = 'lost') as d
     where t.payment_link_id = any ($2)
       and (r.refunded > t.amount_cents or (t.status = 'refunded') <>
           (r.refunded + v.cents + case when v.cents > 0 then d.cents else 0 end >= t.amount_cents)
         or t.status in ('pending', 'failed') and r.cents > 0)`,
  },
  // While a refund is pending, the processor is asked each hour. A refund without an answer is requested again by the same job.
  {
    name: 'pending_refunds_are_asked_about',
    table: 'payment_links',
    next: ASK,
    statement: `select t.practice_id as "practiceId", r.id || ' of ' || t.payment_link_id || ' is pending, but the next time to ask the processor is ' ||
       coalesce(${formatTimeSql('t.reconcile_at')}, 'none') ||
       ': is the processor of the payment the PROCESSOR of the workers, and is one running?' as problem
     from refunds r join transactions t on t.id = r.transaction_id
     where r.payment_link_id = any ($2) and r.status = 'pending' and (t.reconcile_at is null
       or t.reconcile_at not between present.at - interval '1 day' and present.at + interval '1 day')`,
  },
];
