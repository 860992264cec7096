import { CURRENCY } from '../../platform/base/money.ts';
import { fresh } from '../../platform/base/scope.ts';
import {
  type Account,
  type PaymentSnapshot,
  type Processor,
  ProcessorUnavailable,
  type RefundSnapshot,
} from '../../processors/processor.ts';
import { getAccount } from '../model/payment-attempt.entity.ts';
import { type AttemptState, requireAttempt } from '../state/state.ts';
import { readLink } from '../store/change.ts';
import { attemptRef } from '../store/port.ts';
import {
  applyDispute,
  applyPayment,
  applyRefunds,
  closeUnregistered,
  type Outcome,
  type PaymentScope,
} from './apply.ts';

/* Questions to the processor about a payment and what belongs to it. Each answer is applied. All throw ProcessorUnavailable. */

export interface SettledPayment {
  account: Account;
  attemptId: string;
  reference: string;
}

/**
 * Asks the processor for a payment and applies it, together with its refunds. Returns null for a payment that is not ours.
 * @param onChange called for each change of a debit that was pending, and of a refund, after its commit
 * @throws AttemptNotFound
 */
export async function syncPayment(
  scope: PaymentScope,
  account: Account,
  reference: string,
  onChange: (change: 'settled' | 'returned' | 'refund') => void = () => {},
): Promise<AttemptState | null> {
  const snapshot = await retrieveFinal(scope, account, reference);
  const result = snapshot === null ? null : await applyPayment(scope, account, snapshot);
  if (result === null) return null;
  const { attempt, debitChange } = result;
  if (debitChange !== null) onChange(debitChange);
  // A refused payment has no transaction of ours, so its refunds do not count.
  if (snapshot?.state === 'succeeded' && attempt.status === 'accepted') {
    const payment = { account, attemptId: attempt.id, reference };
    await syncRefunds(scope, payment, () => onChange('refund'));
  }
  return attempt;
}

/** Returns the present snapshot of a payment. Cancels a declined payment of ours at the processor, since only then is it final. */
async function retrieveFinal(
  scope: PaymentScope,
  account: Account,
  reference: string,
): Promise<PaymentSnapshot | null> {
  const snapshot = await scope.processor.retrieve(account, reference);
  if (snapshot?.state !== 'declined' || snapshot.attemptId === null) return snapshot;
  const isOurs = await wasBegunAt(scope, snapshot.attemptId, account);
  return isOurs ? scope.processor.cancel(account, reference) : snapshot;
}

/** Returns true if the attempt is on record here, and was begun at this account. */
async function wasBegunAt(scope: PaymentScope, attemptId: string, { id }: Account): Promise<boolean> {
  const read = await scope.store.read(fresh(scope), attemptRef(attemptId));
  return read !== null && requireAttempt(read.state, attemptId).processorAccountId === id;
}

/** Asks the processor for an attempt's payment and applies the snapshot. It is null if the processor does not know the payment. */
export async function syncAttempt(
  scope: PaymentScope,
  attempt: AttemptState,
): Promise<{ snapshot: PaymentSnapshot | null; outcomeChange: Outcome | null }> {
  const account = getAccount(attempt);
  const { processorReference: reference } = attempt;
  requireSameProcessor(scope.processor, attempt);
  const snapshot = reference === null ? null : await retrieveFinal(scope, account, reference);
  const result = snapshot === null ? null : await applyPayment(scope, account, snapshot);
  return { snapshot, outcomeChange: result?.outcomeChange ?? null };
}

/**
 * Cancels a payment attempt at the processor and applies the answer: the cancellation may have come too late. An attempt without reference
 * is closed here. Returns the outcome that the attempt got; null if it still has none, or had it before.
 */
export async function cancelAttempt(scope: PaymentScope, attempt: AttemptState): Promise<Outcome | null> {
  const account = getAccount(attempt);
  let reference = attempt.processorReference;
  if (reference === null) {
    const closing = await closeUnregistered(scope, attempt.id, 'cancel');
    if (closing.reference === null) return closing.isChanged ? 'cancelled' : null;
    reference = closing.reference;
  }
  requireSameProcessor(scope.processor, attempt);
  const result = await applyPayment(scope, account, await scope.processor.cancel(account, reference));
  return result?.outcomeChange ?? null;
}

/** @throws ProcessorUnavailable for an attempt at a former processor: the present one does not know it */
function requireSameProcessor(processor: Processor, attempt: AttemptState): void {
  if (attempt.processor === processor.name) return;
  throw new ProcessorUnavailable(new Error(`the attempt is one of ${attempt.processor}, not of ${processor.name}`));
}

/** Asks the processor for all refunds of a payment and applies them. Calls `onChange` for each that changes, after the commit. */
async function syncRefunds(
  scope: PaymentScope,
  { account, attemptId, reference }: SettledPayment,
  onChange: () => void,
): Promise<void> {
  const { link, refunds: records } = await readLink(scope, attemptRef(attemptId), scope.store);
  const presentSnapshots = await scope.processor.retrieveRefunds(account, reference);
  // A refund moves forward only, so a change after the read is newer than the snapshots.
  const isRecorded = ({ reference, state, amountCents, currency }: RefundSnapshot) =>
    reference !== null &&
    currency === CURRENCY &&
    records.some(
      (refund) =>
        refund.processorReference === reference && refund.status === state && refund.amountCents === amountCents,
    );
  const snapshots = presentSnapshots.filter((snapshot) => !isRecorded(snapshot));
  if (snapshots.length === 0) return;
  for (const _ of await applyRefunds(scope, attemptId, snapshots, link.version)) onChange();
}

/**
 * Looks for each pending refund without a reference in the processor's list, and requests it again if it is missing there. A repeated
 * request alone could refund twice, because processors forget idempotency keys after a day.
 */
export async function repeatRefunds(
  scope: PaymentScope,
  { account, attemptId, reference: paymentReference }: SettledPayment,
  onChange: () => void,
): Promise<void> {
  const { refunds } = await readLink(scope, attemptRef(attemptId), scope.store);
  const unansweredRefunds = refunds.filter(
    ({ status, processorReference }) => status === 'pending' && processorReference === null,
  );
  if (unansweredRefunds.length === 0) return;
  const snapshots = await scope.processor.retrieveRefunds(account, paymentReference);
  for (const { id: refundId, amountCents } of unansweredRefunds) {
    const snapshot =
      snapshots.find((one) => one.refundId === refundId) ??
      (await scope.processor.refund({ account, paymentReference, refundId, amountCents }));
    for (const _ of await applyRefunds(scope, attemptId, [snapshot])) onChange();
  }
}

/** Asks the processor for a dispute and applies it, after its payment and refunds, on which the amount of a reversal depends. */
export async function syncDispute(scope: PaymentScope, account: Account, reference: string): Promise<void> {
  const dispute = await scope.processor.retrieveDispute(account, reference);
  if (dispute === null) return;
  const attempt = await syncPayment(scope, account, dispute.paymentReference);
  if (attempt !== null) await applyDispute(scope, attempt.id, dispute);
}

/** Asks the processor for all disputes of a payment and applies them. Calls `onChange` for each that changes, after the commit. */
export async function syncDisputes(
  scope: PaymentScope,
  { account, attemptId, reference }: SettledPayment,
  onChange: (kind: 'dispute' | 'bank_reversal') => void,
): Promise<void> {
  for (const dispute of await scope.processor.retrieveDisputes(account, reference)) {
    const kind = await applyDispute(scope, attemptId, dispute);
    if (kind !== null) onChange(kind);
  }
}
