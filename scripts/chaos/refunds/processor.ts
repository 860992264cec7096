import { randomBytes } from 'node:crypto';
import { NOTIFICATION_TASK } from '../../../src/payment-links/reconcile/notifications.ts';
import { SANDBOX_NOTIFY_TASK } from '../../../src/processors/sandbox-ledger.ts';
import { pause } from '../caller.ts';
import type { Query } from '../evidence.ts';

/* Acts of banks and practices at the sandbox itself. The service learns of them by a notification, or must ask. */

/** Longest time that the processor takes for a refund, in seconds. */
const SLOW_SECONDS = 2;

/** Time for which an act is repeated while the database is down. */
const RETRY_MS = 60_000;

/**
 * Makes the processor take up to two seconds for each refund. If the API that asked is killed in that time, PostgreSQL
 * completes the statement: the refund is made, and its answer is lost.
 */
export async function slowDownRefunds(query: Query): Promise<void> {
  await query(
    `create function sandbox.take_time() returns trigger language plpgsql as $$
     begin
       perform pg_sleep(random() * ${SLOW_SECONDS});
       return new;
     end $$`,
  );
  await query(
    'create trigger take_time before insert on sandbox.refunds for each row execute function sandbox.take_time()',
  );
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
  await untilDone(
    query,
    `with made as (
       insert into sandbox.refunds (reference, payment, amount_cents, state) values ($1, $2, $3, 'succeeded')
       on conflict (reference) do nothing returning payment
     ) ${notified("'payment', 'reference', p.reference")}`,
    [reference, payment, cents, SANDBOX_NOTIFY_TASK, newReference('msg'), isNotified],
  );
  return reference;
}

/** Opens a dispute of a card payment, or takes a bank debit back. Returns the processor's id of the dispute. */
export async function disputeOutside(
  query: Query,
  { payment, cents, isNotified, isBankReversal }: OutsideAct & { isBankReversal: boolean },
): Promise<string> {
  const reference = newReference('dsp');
  const reason = isBankReversal ? 'insufficient_funds' : 'fraudulent';
  await untilDone(
    query,
    `with made as (
       insert into sandbox.disputes (reference, payment, amount_cents, reason, state, is_bank_reversal)
       values ($1, $2, $3, $7, 'open', $8) on conflict (reference) do nothing returning payment
     ) ${notified("'dispute', 'reference', $1::text")}`,
    [reference, payment, cents, SANDBOX_NOTIFY_TASK, newReference('msg'), isNotified, reason, isBankReversal],
  );
  return reference;
}

/** Lets the bank decide a dispute. */
export async function closeOutside(
  query: Query,
  { reference, outcome, isNotified }: { reference: string; outcome: 'won' | 'lost'; isNotified: boolean },
): Promise<void> {
  await untilDone(
    query,
    `with made as (
       update sandbox.disputes set state = $2 where reference = $1 and state = 'open' returning payment
     ) ${notified("'dispute', 'reference', $1::text")}`,
    [reference, outcome, null, SANDBOX_NOTIFY_TASK, newReference('msg'), isNotified],
  );
}

/** Deletes the jobs of all notifications, so that only a question to the processor finds what they are about. */
export async function loseNotifications(query: Query): Promise<void> {
  await query(
    `delete from graphile_worker._private_jobs where task_id in (
       select id from graphile_worker._private_tasks where identifier = any ($1))`,
    [[SANDBOX_NOTIFY_TASK, NOTIFICATION_TASK]],
  );
}

/**
 * Lets the time come at which workers ask the processor again. It comes only for payments and notifications that have such a
 * time: others are never asked about.
 */
export async function bringQuestionsForward(query: Query): Promise<void> {
  await query('update transactions set reconcile_at = clock_timestamp() where reconcile_at is not null');
  await query('update processor_notifications set due_at = clock_timestamp() where due_at is not null');
}

/** Returns the rest of a statement that sends a notification about what `made` returns, if `$6` is true. */
function notified(subject: string): string {
  return `, notified as (
    select graphile_worker.add_job($4, json_build_object('id', $5::text, 'accountId', p.account,
      'subject', json_build_object('kind', ${subject})))
    from made join sandbox.payments p on p.reference = made.payment where $6::boolean
  )
  select count(*), $3::integer as cents from notified`;
}

function newReference(kind: 'ref' | 'dsp' | 'msg'): string {
  return `sbx_${kind}_${randomBytes(12).toString('hex')}`;
}

/** Repeats a statement that can be repeated, while connections break or the database is down. */
async function untilDone(query: Query, text: string, values: unknown[]): Promise<void> {
  const deadline = performance.now() + RETRY_MS;
  for (;;) {
    try {
      await query(text, values);
      return;
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await pause(100);
    }
  }
}
