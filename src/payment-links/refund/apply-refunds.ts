import { raw } from '@mikro-orm/postgresql';
import { CURRENCY } from '../../base/money.ts';
import { fresh, type Scope } from '../../base/scope.ts';
import { transition } from '../../base/state-machine.ts';
import { inTransaction } from '../../database/query/transaction.ts';
import type { Account, Processor, RefundSnapshot } from '../../processors/processor.ts';
import { queuePaymentMail } from '../admin-mail/queue.ts';
import { changeLocked } from '../link/change.ts';
import { moved } from '../link/decide.ts';
import { BankReversal } from '../model/bank-reversal.entity.ts';
import type { PaymentLink } from '../model/payment-link.entity.ts';
import { BANK_REVERSAL, Refund } from '../model/refund.entity.ts';
import { Transaction } from '../model/transaction.entity.ts';
import { REFUND } from '../model/transitions.ts';
import { lockAttempt } from '../payment/locked-attempt.ts';
import { findRefundableCents, moveTransaction, recordOutsideRefund, recordPendingRefund } from './record-refund.ts';
import { refunded, sumCents } from './refund-decision.ts';

/** A payment with its account and references at the processor. */
export interface SettledPayment {
  account: Account;
  attemptId: string;
  reference: string;
}

/** A refund after a snapshot was applied. */
export interface AppliedRefund {
  refund: Refund;
  /** True if the snapshot recorded the refund or moved its status. */
  isChanged: boolean;
}

/**
 * Asks the processor for all refunds of a payment and applies them. Failed refunds come first, because their amount may
 * have been refunded again. Refunds that have not changed take no lock.
 *
 * @param onChange called for each refund that is recorded or moves its status, after the commit
 * @throws ProcessorUnavailable
 */
export async function syncRefunds(
  scope: Scope,
  processor: Processor,
  payment: SettledPayment,
  onChange: () => void = () => {},
): Promise<void> {
  const listed = await processor.retrieveRefunds(payment.account, payment.reference);
  const snapshots = listed.length === 0 ? [] : await snapshotsToApply(scope, payment.attemptId, listed);
  const failed = snapshots.filter(({ state }) => state === 'failed');
  for (const snapshot of [...failed, ...snapshots.filter(({ state }) => state !== 'failed')]) {
    const applied = await applyRefund(scope, payment.attemptId, snapshot);
    if (applied?.isChanged === true) onChange();
  }
}

/**
 * Returns the snapshots that differ from the recorded refunds. It reads without a lock: a refund moves forward only, so a change
 * after the read is newer than the snapshots.
 */
async function snapshotsToApply(scope: Scope, attemptId: string, snapshots: readonly RefundSnapshot[]) {
  const transactionId = raw('(select id from transactions where attempt_id = ?)', [attemptId]);
  const recorded = await fresh(scope).em.find(Refund, { transactionId: { $eq: transactionId } });
  const isRecorded = ({ reference, state, amountCents, currency }: RefundSnapshot) =>
    reference !== null &&
    currency === CURRENCY &&
    recorded.some(
      (refund) =>
        refund.processorReference === reference && refund.status === state && refund.amountCents === amountCents,
    );
  return snapshots.filter((snapshot) => !isRecorded(snapshot));
}

/**
 * Resolves pending refunds without a reference: our process died, or the processor's answer was lost. Requests those
 * again that the processor does not list. Repeating the request alone is not enough, because processors forget
 * idempotency keys after a day.
 *
 * @param onChange called for each refund that moves its status, after the commit
 * @throws ProcessorUnavailable
 */
export async function repeatRefunds(
  scope: Scope,
  processor: Processor,
  payment: SettledPayment,
  onChange: () => void,
): Promise<void> {
  const transaction = await fresh(scope).em.findOneOrFail(Transaction, { attemptId: payment.attemptId });
  const unanswered = await fresh(scope).em.find(Refund, {
    transactionId: transaction.id,
    status: 'pending',
    processorReference: null,
  });
  if (unanswered.length === 0) return;
  const { account, reference: paymentReference } = payment;
  const listed = await processor.retrieveRefunds(account, paymentReference);
  for (const { id: refundId, amountCents } of unanswered) {
    const snapshot =
      listed.find((made) => made.refundId === refundId) ??
      (await processor.refund({ account, paymentReference, refundId, amountCents }));
    const applied = await applyRefund(scope, payment.attemptId, snapshot);
    if (applied?.isChanged === true) onChange();
  }
}

/**
 * Applies the snapshot of a refund, in a database transaction of its own. The refund moves forward only, by its table.
 * Its event is published exactly when it succeeds. An unknown refund was made at the processor, or was lost with a
 * restored backup; it is recorded here, because the money was given back. A mismatch of amount or currency is reported.
 *
 * @returns null if nothing was recorded. Then there is a mismatch, which was reported, or a second payment. Or an unknown refund has
 *   failed, or its amount is reserved for refunds of ours
 */
export function applyRefund(scope: Scope, attemptId: string, snapshot: RefundSnapshot): Promise<AppliedRefund | null> {
  return inTransaction(fresh(scope), async (scope) => {
    const { link, transaction } = await lockAttempt(scope, attemptId);
    // This is a second payment of a paid link. It was reported, and it has no transaction.
    if (transaction === null) return null;
    const known = await findRefund(scope, transaction, snapshot);
    const { refundId, reference } = snapshot;
    if (known === null && refundId !== null) {
      // A backup was restored, or another environment made the refund. The money left this payment in both cases.
      scope.log.warn({ refundId, reference, paymentLinkId: link.id }, 'a refund has an id that is not on record here');
    }
    if (snapshot.currency !== link.currency || (known !== null && known.amountCents !== snapshot.amountCents)) {
      const { refundId, reference, amountCents, currency } = snapshot;
      const fields = { paymentLinkId: link.id, refundId, reference, amountCents, currency };
      scope.log.error(fields, 'refund refused: amount or currency differ from the record');
      return null;
    }
    const refund = known ?? (await recordOutsideRefund(scope, link, transaction, snapshot));
    if (refund === null) return null;
    refund.processorReference ??= snapshot.reference;
    const isMoved = await moveRefund(scope, { link, transaction, refund }, snapshot.state);
    return { refund, isChanged: known === null || isMoved };
  });
}

/**
 * Finds a refund by its reference, or by our id while it has no reference. A second refund with our id is another one.
 */
async function findRefund(scope: Scope, { id: transactionId }: Transaction, { refundId, reference }: RefundSnapshot) {
  const known =
    reference === null ? null : await scope.em.findOne(Refund, { processorReference: reference, transactionId });
  if (known !== null || refundId === null) return known;
  return scope.em.findOne(Refund, { id: refundId, transactionId, processorReference: null });
}

/** Event of a refund by the state that ends it at the processor. */
const REFUND_EVENTS = { succeeded: 'succeed', failed: 'fail' } as const;

/**
 * Moves a refund by its table. Publishes the event if it succeeds; moves the transaction back if it fails.
 *
 * @returns false if the table has no such transition: nothing changes
 */
export async function moveRefund(
  scope: Scope,
  { link, transaction, refund }: { link: PaymentLink; transaction: Transaction; refund: Refund },
  state: RefundSnapshot['state'],
): Promise<boolean> {
  if (state === 'pending') return false;
  const before = refund.status;
  const to = transition(REFUND, before, REFUND_EVENTS[state]);
  if (to === null) return false;
  refund.status = to;
  if (to === 'succeeded') {
    await changeLocked(scope, link, (state) => refunded(state, refund));
    if (refund.bankReversalId === null) await reportDoubleRefund(scope, link, transaction);
    return true;
  }
  moveTransaction(scope, link, transaction, moved(transaction.status, 'refund_failed'));
  const fields = { refundId: refund.id, paymentLinkId: link.id, before };
  // A refund of a test link is simulated, so nobody waits for its money.
  if (!link.test) scope.log.error(fields, 'a refund failed: the patient has not got the money back');
  const { id: subjectId, amountCents } = refund;
  await queuePaymentMail(scope, link, { kind: 'refund_failed', subjectId, amountCents });
  await recordReversals(scope, link, transaction);
  return true;
}

/**
 * Records bank reversals as refunds, as far as other refunds leave an amount. Runs again when such a refund fails. The
 * first refund of a reversal has its reference.
 */
export async function recordReversals(scope: Scope, link: PaymentLink, transaction: Transaction): Promise<void> {
  await scope.em.flush();
  const where = { transactionId: transaction.id };
  const reversals = await scope.em.find(BankReversal, where, { orderBy: { createdAt: 'asc', id: 'asc' } });
  for (const { id: bankReversalId, amountCents, processorReference } of reversals) {
    const recorded = await scope.em.find(Refund, { bankReversalId });
    const missingCents = amountCents - sumCents(recorded);
    const refundableCents = await findRefundableCents(scope, transaction);
    const recordedCents = Math.min(missingCents, refundableCents);
    if (recordedCents < 1) continue;
    const refund = await recordPendingRefund(scope, { link, transaction }, refundableCents, {
      amountCents: recordedCents,
      reason: BANK_REVERSAL,
      processorReference: recorded.length === 0 ? processorReference : null,
      bankReversalId,
    });
    await moveRefund(scope, { link, transaction, refund }, 'succeeded');
  }
}

/**
 * Reports an amount that was both refunded and taken back by the bank. Pending refunds do not count: they may fail. The
 * money of test links is simulated, and not reported.
 */
export async function reportDoubleRefund(scope: Scope, link: PaymentLink, transaction: Transaction): Promise<void> {
  if (link.test) return;
  await scope.em.flush();
  const { id: transactionId, amountCents } = transaction;
  const orderBy = { createdAt: 'desc' as const, id: 'desc' as const };
  const reversals = await scope.em.find(BankReversal, { transactionId }, { orderBy });
  const refunds = await scope.em.find(Refund, { transactionId, status: 'succeeded', bankReversalId: null });
  const [latest] = reversals;
  const doubleCents = sumCents(reversals) + sumCents(refunds) - amountCents;
  if (latest === undefined || doubleCents < 1) return;
  const { processorReference: reference } = latest;
  scope.log.error({ paymentLinkId: link.id, reference }, 'the bank took a debit back that was refunded already');
  await queuePaymentMail(scope, link, {
    kind: 'returned_after_refund',
    subjectId: reference,
    amountCents: doubleCents,
  });
}
