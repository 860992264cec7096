import type { Scope } from '../../platform/base/scope.ts';
import { sql } from '../../platform/database/query/sql.ts';
import {
  type Account,
  AccountLost,
  type PaymentSnapshot,
  type Processor,
  ProcessorUnavailable,
} from '../../processors/processor.ts';
import { getAccount, PaymentAttempt } from '../model/payment-attempt.entity.ts';
import { requireAttempt } from '../state/draft.ts';
import type { AttemptState } from '../state/state.ts';
import { AttemptNotFound, readLink } from '../store/change.ts';
import type { SingleLinkStore } from '../store/gathered.ts';
import { attemptRef } from '../store/port.ts';
import { separately } from '../store/separately.ts';
import { syncAccount } from './account.ts';
import { applyDispute, syncDisputes } from './apply-dispute.ts';
import {
  abandonAttempt,
  applyPayment,
  closeUnregistered,
  type Outcome,
  type PaymentDependencies,
  readOutcome,
} from './apply-payment.ts';
import { repeatRefunds, type SettledPayment, syncRefunds } from './apply-refunds.ts';
import { type Answer, type Claimed, reconcileBatch } from './reconcile-batch.ts';

/** Time for a patient's step such as 3-D Secure before the attempt is cancelled. */
const ACTION_MS = 15 * 60_000;

/**
 * Time before an attempt of a disconnected account is abandoned. The practice may connect the account again until then.
 */
const ABANDON_AFTER_MS = 24 * 3_600_000;

/**
 * Asks the processor for a payment and applies it, together with its refunds.
 *
 * @param onChange called for each change of a debit that was pending, and of a refund, after its commit
 * @returns the attempt of the payment; null for a payment that is not ours
 * @throws ProcessorUnavailable, AttemptNotFound
 */
export async function syncPayment(
  scope: Scope,
  dependencies: PaymentDependencies,
  account: Account,
  reference: string,
  onChange: (change: 'settled' | 'returned' | 'refund') => void = () => {},
): Promise<AttemptState | null> {
  const snapshot = await retrieveFinal(scope, dependencies, account, reference);
  const applied = snapshot === null ? null : await applyPayment(scope, account, snapshot, dependencies.change);
  if (applied === null) return null;
  const { attempt, debitChange } = applied;
  if (debitChange !== null) onChange(debitChange);
  // A refused payment has no transaction of ours, so its refunds do not count.
  if (snapshot?.state === 'succeeded' && attempt.status === 'accepted') {
    const payment = { account, attemptId: attempt.id, reference };
    await syncRefunds(scope, dependencies, payment, () => onChange('refund'));
  }
  return attempt;
}

/**
 * Asks the processor for a dispute and applies it. Applies its payment and refunds first. The notification of a dispute
 * may arrive before the notification of its payment, and the amount of a reversal depends on earlier refunds.
 *
 * @throws ProcessorUnavailable, AttemptNotFound
 */
export async function syncDispute(
  scope: Scope,
  dependencies: PaymentDependencies,
  account: Account,
  reference: string,
): Promise<void> {
  const dispute = await dependencies.processor.retrieveDispute(account, reference);
  if (dispute === null) return;
  const attempt = await syncPayment(scope, dependencies, account, dispute.paymentReference);
  if (attempt !== null) await applyDispute(scope, attempt.id, dispute, dependencies.change);
}

/**
 * Returns the present snapshot of a payment. Cancels a declined payment at the processor, since only then is it final.
 * Payments without an attempt on record here are ignored: the practice's own, and payments of other environments.
 */
async function retrieveFinal(
  scope: Scope,
  { processor, store }: PaymentDependencies,
  account: Account,
  reference: string,
): Promise<PaymentSnapshot | null> {
  const snapshot = await processor.retrieve(account, reference);
  if (snapshot?.state !== 'declined' || snapshot.attemptId === null) return snapshot;
  const isOurs = await wasBegunAt(scope, snapshot.attemptId, account, store);
  return isOurs ? processor.cancel(account, reference) : snapshot;
}

/** Returns true if the attempt is on record here, and was begun at this account. */
async function wasBegunAt(scope: Scope, attemptId: string, { id }: Account, store: SingleLinkStore): Promise<boolean> {
  try {
    return requireAttempt(await readLink(scope, attemptRef(attemptId), store), attemptId).processorAccountId === id;
  } catch (error) {
    if (error instanceof AttemptNotFound) return false;
    throw error;
  }
}

/**
 * Asks the processor for an attempt's payment and applies the snapshot; closes a declined payment. The snapshot is null if
 * the processor does not know the payment. Without a reference nothing was charged.
 *
 * @returns the snapshot, and the outcome that the attempt got by it, as `applyPayment` returns it
 * @throws ProcessorUnavailable, also for an attempt of another processor
 */
export async function syncAttempt(
  scope: Scope,
  dependencies: PaymentDependencies,
  attempt: AttemptState,
): Promise<{ snapshot: PaymentSnapshot | null; outcomeChange: Outcome | null }> {
  const account = getAccount(attempt);
  const { processorReference: reference } = attempt;
  requireSame(dependencies.processor, attempt);
  const snapshot = reference === null ? null : await retrieveFinal(scope, dependencies, account, reference);
  const applied = snapshot === null ? null : await applyPayment(scope, account, snapshot, dependencies.change);
  return { snapshot, outcomeChange: applied?.outcomeChange ?? null };
}

/**
 * Cancels a payment attempt at the processor and applies the answer: the cancellation may have come too late. An attempt
 * without reference is closed here, so that it cannot be confirmed any more.
 *
 * @returns the outcome that the attempt got; null if it still has none, or had its outcome before
 * @throws ProcessorUnavailable, also for an attempt of another processor
 */
export async function cancelAttempt(
  scope: Scope,
  { processor, change }: PaymentDependencies,
  attempt: AttemptState,
): Promise<Outcome | null> {
  const account = getAccount(attempt);
  let reference = attempt.processorReference;
  if (reference === null) {
    const closed = await closeUnregistered(scope, attempt.id, 'cancel', change);
    if (closed.reference === null) return closed.isChanged ? 'cancelled' : null;
    reference = closed.reference;
  }
  requireSame(processor, attempt);
  const applied = await applyPayment(scope, account, await processor.cancel(account, reference), change);
  return applied?.outcomeChange ?? null;
}

/**
 * Requires that the attempt was begun at this processor. After a switch, the present processor does not know attempts
 * of the former one. @throws ProcessorUnavailable
 */
function requireSame(processor: Processor, attempt: AttemptState): void {
  if (attempt.processor === processor.name) return;
  throw new ProcessorUnavailable(new Error(`the attempt is one of ${attempt.processor}, not of ${processor.name}`));
}

/**
 * Asks once about all due payment attempts, after a timeout or crash in any phase. Cancels attempts that were never
 * confirmed or whose patient did not finish the action. Abandons attempts whose account has been disconnected for a
 * day. Any number of workers may run it.
 *
 * @param shouldContinue called before each attempt; false ends the run. Without an answer, one attempt takes its whole budget
 */
export async function reconcileAttempts(
  newScope: () => Scope,
  processor: Processor,
  shouldContinue: () => boolean = () => true,
): Promise<void> {
  const scope = newScope();
  const now = scope.clock.now();
  await reconcileBatch(scope, {
    subject: 'attempt',
    shouldContinue,
    claim: (except) => claimAttempt(scope, processor, now, except),
    async work({ attemptId }, onAnswer) {
      const attempt = await newScope().em.findOneOrFail(PaymentAttempt, { id: attemptId });
      const ageMs = now.getTime() - attempt.createdAt.getTime();
      try {
        onAnswer(await finishAttempt(newScope, { processor, ...separately }, attempt, ageMs));
      } catch (error) {
        if (!(error instanceof AccountLost)) throw error;
        await syncAccount(newScope(), processor, { id: attempt.processorAccountId });
        if (ageMs < ABANDON_AFTER_MS) throw error;
        onAnswer((await abandonAttempt(newScope(), attemptId, separately.change)) ? 'abandoned' : 'disconnected');
      }
    },
  });
}

/** Asks about an attempt, and cancels it unless it is final or the patient may still take the action. */
export async function finishAttempt(
  newScope: () => Scope,
  dependencies: PaymentDependencies,
  attempt: AttemptState,
  ageMs: number,
): Promise<Answer<'attempt'>> {
  const { snapshot, outcomeChange } = await syncAttempt(newScope(), dependencies, attempt);
  const isUnderWay = snapshot === null || snapshot.state === 'created' || snapshot.state === 'requires_action';
  const mayWait = snapshot?.state === 'requires_action' && ageMs < ACTION_MS;
  const outcome = isUnderWay && !mayWait ? await cancelAttempt(newScope(), dependencies, attempt) : outcomeChange;
  if (outcome !== null) return outcome;
  // A notification or the patient's return may have closed the attempt since the claim.
  const link = await readLink(newScope(), attemptRef(attempt.id), dependencies.store);
  return readOutcome(requireAttempt(link, attempt.id)) === null ? 'undecided' : 'unchanged';
}

/**
 * Claims the attempt that has been due longest. It is due again after its present age, at least a minute and at most an
 * hour. So an attempt without an answer does not delay the others. A claim raises no version: it postpones the time of the next
 * question by at most an hour, and asks now.
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
     where id = (select id from payment_attempts where reconcile_at <= $1 and processor = $2
       and practice_id <> all ($3) order by reconcile_at limit 1 for update skip locked)
     returning id as "attemptId", practice_id as "practiceId"`,
    [now, processor.name, except],
  );
  return claimed ?? null;
}

/**
 * Asks once about all due payments that may still change: settlement, fee, refunds, disputes.
 *
 * @param shouldContinue called before each payment; false ends the run
 */
export async function reconcileTransactions(
  newScope: () => Scope,
  processor: Processor,
  shouldContinue: () => boolean = () => true,
): Promise<void> {
  const scope = newScope();
  const now = scope.clock.now();
  await reconcileBatch(scope, {
    subject: 'payment',
    shouldContinue,
    claim: (except) => claimPayment(scope, processor, now, except),
    async work(payment, onAnswer) {
      let isUnchanged = true;
      const onChange = (answer: Answer<'payment'>) => {
        isUnchanged = false;
        onAnswer(answer);
      };
      await finishPayment(newScope, { processor, ...separately }, payment, onChange);
      if (isUnchanged) onAnswer('unchanged');
    },
  });
}

/** Asks about a payment: our refunds without an answer, the payment itself, its refunds and disputes. Calls `onChange` after each commit. */
export async function finishPayment(
  newScope: () => Scope,
  dependencies: PaymentDependencies,
  payment: SettledPayment,
  onChange: (answer: Answer<'payment'>) => void,
): Promise<void> {
  await repeatRefunds(newScope(), dependencies, payment, () => onChange('repeated_refund'));
  await syncPayment(newScope(), dependencies, payment.account, payment.reference, onChange);
  await syncDisputes(newScope(), dependencies, payment, onChange);
}

/** Claims the payment that has been due longest. If its check fails, it is due again in an hour. A claim raises no version, as above. */
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
       where id = (select t.id from transactions t join payment_attempts a on a.id = t.attempt_id
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
