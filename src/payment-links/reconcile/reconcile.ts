import { ApiError } from '../../base/errors.ts';
import { fresh, type Scope } from '../../base/scope.ts';
import { withinBudget } from '../../base/time/time-budget.ts';
import { isLockTimeout } from '../../database/query/errors.ts';
import { sql } from '../../database/query/sql.ts';
import {
  type Account,
  AccountLost,
  type PaymentIntention,
  type Processor,
  ProcessorUnavailable,
} from '../../processors/processor.ts';
import { syncDisputes } from '../dispute/read-dispute.ts';
import { PaymentAttempt } from '../model/payment-attempt.entity.ts';
import { applyPayment } from '../payment/apply-payment.ts';
import { abandonAttempt, closeUnregistered } from '../payment/close-attempt.ts';
import { repeatRefunds, type SettledPayment, syncRefunds } from '../refund/apply-refunds.ts';
import { syncAccount } from './account.ts';

/** How long the patient may take for a step such as 3-D Secure before the payment is called off. */
const ACTION_MS = 15 * 60_000;

/** How long an attempt stays open whose account was taken away from us: time to notice, and to give it back. */
const ABANDON_AFTER_MS = 24 * 3_600_000;

/** For one payment at a time. A worker that is told to end finishes the one it is at. */
export const RECONCILE_BUDGET = { totalMs: 15_000, callsMs: 12_000 };

/** Attempts and payments looked into per turn of the sweep at most; the next turn takes the next ones. */
const BATCH = 50;

/** Seconds after which a client should come again when the processor is away. */
const RETRY_SECONDS = 30;

/** The attempt as the processor knows it. */
export function intentOf(attempt: PaymentAttempt): PaymentIntention {
  return {
    account: { id: attempt.processorAccountId },
    attemptId: attempt.id,
    paymentLinkId: attempt.paymentLinkId,
    amountCents: attempt.amountCents,
    currency: attempt.currency,
    methodType: attempt.methodType,
  };
}

/**
 * Looks a payment up at the processor and merges it, its refunds included.
 *
 * @throws ProcessorUnavailable, AttemptNotFound
 */
export async function syncPayment(
  scope: Scope,
  processor: Processor,
  account: Account,
  reference: string,
): Promise<void> {
  const snapshot = await retrieveFinal(scope, processor, account, reference);
  const attempt = snapshot === null ? null : await applyPayment(scope, account, snapshot);
  // Only of what became a transaction of ours: a payment that was refused has nothing to refund here.
  if (snapshot?.state === 'succeeded' && attempt?.status === 'accepted') {
    await syncRefunds(scope, processor, { account, attemptId: attempt.id, reference });
  }
}

/**
 * A payment as it is now; one of ours that was declined is closed, for only then can nothing more come of it. Ours is
 * what is on record here: the practice's own, and those of other environments at the same account, are left alone.
 */
async function retrieveFinal(scope: Scope, processor: Processor, account: Account, reference: string) {
  const snapshot = await processor.retrieve(account, reference);
  if (snapshot?.state !== 'declined' || snapshot.attemptId === null) return snapshot;
  const where = { id: snapshot.attemptId, processorAccountId: account.id };
  const isOurs = (await fresh(scope).em.count(PaymentAttempt, where)) > 0;
  return isOurs ? processor.cancel(account, reference) : snapshot;
}

/**
 * Looks up what became of an attempt, and merges it; closes a declined one. Null when the processor knows nothing of it;
 * without a reference it was never asked for money. @throws ProcessorUnavailable
 */
export async function lookUp(scope: Scope, processor: Processor, attempt: PaymentAttempt) {
  const { account } = intentOf(attempt);
  const { processorReference: reference } = attempt;
  requireSame(processor, attempt);
  const snapshot = reference === null ? null : await retrieveFinal(scope, processor, account, reference);
  if (snapshot !== null) await applyPayment(scope, account, snapshot);
  return snapshot;
}

/**
 * Calls an attempt off at the processor and merges what that says: it may have been too late. One that has no reference
 * yet is closed here, and that shuts it out. @throws ProcessorUnavailable
 */
export async function cancelAttempt(scope: Scope, processor: Processor, attempt: PaymentAttempt): Promise<void> {
  const { account } = intentOf(attempt);
  const reference = attempt.processorReference ?? (await closeUnregistered(scope, attempt.id, 'cancel'));
  if (reference !== null) requireSame(processor, attempt);
  if (reference !== null) await applyPayment(scope, account, await processor.cancel(account, reference));
}

/**
 * After a switch of processors, what was begun at the former one can't be asked of this one, which would answer that it
 * knows nothing. @throws ProcessorUnavailable
 */
function requireSame(processor: Processor, attempt: PaymentAttempt): void {
  if (attempt.processor === processor.name) return;
  throw new ProcessorUnavailable(new Error(`the attempt is one of ${attempt.processor}, not of ${processor.name}`));
}

/**
 * Calls off the attempt that stands in the way of a change to its link. Afterwards the link is free, or paid.
 *
 * @throws ApiError `service_unavailable` when the processor can't be reached, or doesn't let go of the payment
 */
export async function cancelOpenAttempt(scope: Scope, processor: Processor, attemptId: string): Promise<void> {
  const attempt = await fresh(scope).em.findOneOrFail(PaymentAttempt, { id: attemptId });
  try {
    await cancelAttempt(scope, processor, attempt);
  } catch (error) {
    if (error instanceof ProcessorUnavailable) throw blockedByAttempt(error);
    throw error;
  }
}

/** The refusal while a payment is under way that can't be called off at the moment. */
export function blockedByAttempt(cause?: unknown): ApiError {
  const message = 'A payment of this link is under way and cannot be called off at the moment; retry shortly.';
  return new ApiError('service_unavailable', { message, retryAfterSeconds: RETRY_SECONDS, cause });
}

/**
 * One turn of the sweep that finds out what became of attempts: after a time-out or a crash, in whatever phase. What
 * was never confirmed, and what a patient walked away from, is called off; what can't be looked up for a day, because its
 * account is not ours any more, is given up. Any number of workers may run it.
 *
 * @param goOn asked before each attempt: with a processor that is away, one alone takes its whole budget
 */
export async function reconcileAttempts(
  newScope: () => Scope,
  processor: Processor,
  goOn: () => boolean = () => true,
): Promise<void> {
  const scope = newScope();
  const now = scope.clock.now();
  await processEach(
    scope,
    goOn,
    (except) => claimAttempt(scope, processor, now, except),
    async ({ attemptId }) => {
      const attempt = await newScope().em.findOneOrFail(PaymentAttempt, { id: attemptId });
      const ageMs = now.getTime() - attempt.createdAt.getTime();
      try {
        await finish(newScope, processor, attempt, ageMs);
      } catch (error) {
        if (!(error instanceof AccountLost)) throw error;
        await syncAccount(newScope(), processor, { id: attempt.processorAccountId });
        if (ageMs < ABANDON_AFTER_MS) throw error;
        await abandonAttempt(newScope(), attemptId);
      }
    },
  );
}

/** Looks an attempt up, and calls it off unless it is final or the patient may yet do something. */
async function finish(newScope: () => Scope, processor: Processor, attempt: PaymentAttempt, ageMs: number) {
  const snapshot = await lookUp(newScope(), processor, attempt);
  const isUnderWay = snapshot === null || snapshot.state === 'created' || snapshot.state === 'requires_action';
  const mayWait = snapshot?.state === 'requires_action' && ageMs < ACTION_MS;
  if (isUnderWay && !mayWait) await cancelAttempt(newScope(), processor, attempt);
}

/**
 * Takes the attempt that has been due for longest. Its next look comes after as long as it is old, at least a minute and
 * at most an hour: one that can't be looked up goes behind the others.
 */
async function claimAttempt(
  scope: Scope,
  processor: Processor,
  now: Date,
  except: readonly string[],
): Promise<Claimed | null> {
  const [claimed] = await sql<Claimed>(
    scope.em,
    `update payment_attempts set reconcile_at = $1::timestamptz
       + least(greatest($1::timestamptz - created_at, interval '1 minute'), interval '1 hour')
     where id in (select id from payment_attempts where reconcile_at <= $1 and processor = $2
       and practice_id <> all ($3) order by reconcile_at limit 1 for update skip locked)
     returning id as "attemptId", practice_id as "practiceId"`,
    [now, processor.name, except],
  );
  return claimed ?? null;
}

/**
 * One turn of the sweep over payments of which something may be learnt yet: settlement, fee, refunds, disputes.
 *
 * @param goOn asked before each payment
 */
export async function reconcileTransactions(
  newScope: () => Scope,
  processor: Processor,
  goOn: () => boolean = () => true,
): Promise<void> {
  const scope = newScope();
  const now = scope.clock.now();
  await processEach(
    scope,
    goOn,
    (except) => claimPayment(scope, processor, now, except),
    async (payment) => {
      await repeatRefunds(newScope(), processor, payment);
      await syncPayment(newScope(), processor, payment.account, payment.reference);
      await syncDisputes(newScope(), processor, payment);
    },
  );
}

/** Takes the payment that has been due for longest; should it not be looked at, it is due again in an hour. */
async function claimPayment(
  scope: Scope,
  processor: Processor,
  now: Date,
  except: readonly string[],
): Promise<(SettledPayment & Claimed) | null> {
  const [claimed] = await sql<Claimed & { account: string; reference: string }>(
    scope.em,
    `with claimed as (
       update transactions set reconcile_at = $1::timestamptz + interval '1 hour'
       where id in (select t.id from transactions t join payment_attempts a on a.id = t.attempt_id
         where t.reconcile_at <= $1 and a.processor = $2 and a.processor_reference is not null
         and t.practice_id <> all ($3) order by t.reconcile_at limit 1 for update of t skip locked)
       returning attempt_id
     )
     select a.id as "attemptId", a.practice_id as "practiceId", a.processor_account_id as account, a.processor_reference as reference
     from claimed join payment_attempts a on a.id = claimed.attempt_id`,
    [now, processor.name, except],
  );
  if (claimed === undefined) return null;
  const { attemptId, practiceId, account, reference } = claimed;
  return { account: { id: account }, attemptId, practiceId, reference };
}

/** What a sweep took to look at. */
interface Claimed {
  attemptId: string;
  practiceId: string;
}

/**
 * Claims and attends to one after the other, until none is due, the turn is over, or it must end. One that fails must not
 * keep the others from being looked at; its turn comes again. If one meets a lock, the rest of its practice is left to a
 * later turn: each would wait for it.
 *
 * @param claim gets the practices that are left out
 */
async function processEach<Work extends Claimed>(
  { log }: Scope,
  goOn: () => boolean,
  claim: (except: readonly string[]) => Promise<Work | null>,
  work: (claimed: Work) => Promise<void>,
): Promise<void> {
  const locked: string[] = [];
  for (let count = 0; count < BATCH && goOn(); count++) {
    const claimed = await claim(locked);
    if (claimed === null) return;
    try {
      await withinBudget(RECONCILE_BUDGET, () => work(claimed));
    } catch (err) {
      if (isLockTimeout(err)) locked.push(claimed.practiceId);
      log.warn({ attemptId: claimed.attemptId, err }, 'payment could not be reconciled; it is tried again');
    }
  }
}
