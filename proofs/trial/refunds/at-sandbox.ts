import { randomBytes } from 'node:crypto';
import { NOTIFICATION_TASK } from '../../../src/payment-links/payments/notifications.ts';
import { SANDBOX_NOTIFY_TASK } from '../../../src/processors/sandbox-ledger.ts';
import { until } from '../../../test/harness/until.ts';
import type { Query } from '../evidence.ts';

/* Acts of banks and practices at the sandbox itself. The service learns of them by a notification, or must ask. */

/** Longest time for a step that is slowed down, in seconds. */
const SLOW_SECONDS = 2;

/** Time for which an act is repeated while the database is down. No election lasts longer. */
const RETRY_MS = 180_000;

/**
 * Makes the processor take up to two seconds for each refund. If the API that asked is killed in that time, PostgreSQL
 * completes the statement: the refund is made, and its answer is lost.
 */
export function slowDownRefunds(query: Query): Promise<void> {
  return slowDown(query, 'refund', 'infinity', ['before insert on sandbox.refunds for each row']);
}

/**
 * Makes the processor take up to two seconds for each charge, and the database as long for the record of it. So the next fault meets
 * payments that are being charged, and others that are charged and not yet recorded.
 *
 * @param forSeconds time after which both are as fast as before
 */
export function slowDownPayments(query: Query, forSeconds: number): Promise<void> {
  return slowDown(query, 'pay', new Date(Date.now() + forSeconds * 1_000).toISOString(), [
    `before update on sandbox.payments for each row when (old.state = 'created')`,
    'before insert on transactions for each row when (new.attempt_id is not null)',
  ]);
}

/** Lets each of the events take time until a moment. */
async function slowDown(query: Query, name: string, until: string, events: readonly string[]): Promise<void> {
  await query(
    `create function sandbox.take_time_to_${name}() returns trigger language plpgsql as $$
     begin
       if clock_timestamp() < '${until}'::timestamptz then perform pg_sleep(random() * ${SLOW_SECONDS}); end if;
       return new;
     end $$`,
  );
  for (const event of events) {
    await query(`create trigger take_time_to_${name} ${event} execute function sandbox.take_time_to_${name}()`);
  }
}

/** A refund or a dispute at the processor. */
export interface OutsideAct {
  /** The processor's id of the payment. */
  payment: string;
  cents: number;
  /** False if the notification is lost. */
  isNotified: boolean;
}

/** Refunds a payment at the processor. Returns the processor's id of the refund. */
export async function refundOutside(query: Query, { payment, cents, isNotified }: OutsideAct): Promise<string> {
  const reference = newReference('ref');
  const made = `insert into sandbox.refunds (reference, payment, amount_cents, state) values ($1, $5, $6, 'succeeded')
    on conflict (reference) do nothing returning payment`;
  await act(query, made, "'payment', 'reference', p.reference", [reference, isNotified, payment, cents]);
  return reference;
}

const DISPUTE = "'dispute', 'reference', $1::text";

/** Opens a dispute of a card payment, or takes a bank debit back. Returns the processor's id of the dispute. */
export async function disputeOutside(
  query: Query,
  { payment, cents, isNotified, isBankReversal }: OutsideAct & { isBankReversal: boolean },
): Promise<string> {
  const reference = newReference('dsp');
  const reason = isBankReversal ? 'insufficient_funds' : 'fraudulent';
  const made = `insert into sandbox.disputes (reference, payment, amount_cents, reason, state, is_bank_reversal)
    values ($1, $5, $6, $7, 'open', $8) on conflict (reference) do nothing returning payment`;
  await act(query, made, DISPUTE, [reference, isNotified, payment, cents, reason, isBankReversal]);
  return reference;
}

export async function closeDisputeOutside(
  query: Query,
  { reference, outcome, isNotified }: { reference: string; outcome: 'won' | 'lost'; isNotified: boolean },
): Promise<void> {
  const made = `update sandbox.disputes set state = $5 where reference = $1 and state = 'open' returning payment`;
  await act(query, made, DISPUTE, [reference, isNotified, outcome]);
}

/**
 * Deletes the notifications that are not processed, and the jobs of all. Then the service learns what they are about only if it
 * asks the processor.
 */
export async function loseNotifications(query: Query): Promise<void> {
  // One statement, so that a notification that arrives at that moment keeps its row and its job.
  await query(
    `with lost as (delete from processor_notifications where due_at is not null)
     delete from graphile_worker._private_jobs where task_id in (
       select id from graphile_worker._private_tasks where identifier = any ($1))`,
    [[SANDBOX_NOTIFY_TASK, NOTIFICATION_TASK]],
  );
}

/**
 * Lets the time come at which workers ask the processor again. It comes only for payments and attempts that have such a time: others
 * are never asked about. What is due keeps its place before the rest, so that each is asked about in the end.
 */
export async function bringReconciliationForward(query: Query): Promise<void> {
  await query('update transactions set reconcile_at = clock_timestamp() where reconcile_at > clock_timestamp()');
  await query('update payment_attempts set reconcile_at = clock_timestamp() where reconcile_at > clock_timestamp()');
}

/**
 * Runs the statement of an act until it is done. Sends a notification about the payments that it returns.
 *
 * @param made has the reference as $1, and further values from $5 on
 */
async function act(
  query: Query,
  made: string,
  subject: string,
  [reference, isNotified, ...values]: [reference: string, isNotified: boolean, ...unknown[]],
): Promise<void> {
  const text = `with made as (${made}), notified as (
    select graphile_worker.add_job($2, json_build_object('id', $3::text, 'accountId', p.account,
      'subject', json_build_object('kind', ${subject})))
    from made join sandbox.payments p on p.reference = made.payment where $4::boolean
  )
  select count(*) from notified`;
  await untilDone(query, text, [reference, SANDBOX_NOTIFY_TASK, newReference('msg'), isNotified, ...values]);
}

function newReference(kind: 'ref' | 'dsp' | 'msg'): string {
  return `sbx_${kind}_${randomBytes(12).toString('hex')}`;
}

/** Repeats a statement that can be repeated, while connections break or the database is down. */
export async function untilDone<Row extends object>(query: Query, text: string, values: unknown[]): Promise<Row[]> {
  return until(() => query<Row>(text, values).catch(() => null), { withinMs: RETRY_MS, everyMs: 100, failure: text });
}
