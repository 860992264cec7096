import { newId } from '../../base/ids.ts';
import { dollarsFromCents } from '../../base/money.ts';
import { fresh, type Scope } from '../../base/scope.ts';
import { transition } from '../../base/state-machine.ts';
import { inTransaction } from '../../database/query/transaction.ts';
import type { Account, Processor, RefundSnapshot } from '../../processors/processor.ts';
import { queueAdminMail } from '../admin-mail/queue.ts';
import { emit, moveTransaction } from '../link/lifecycle.ts';
import { BankReversal } from '../model/bank-reversal.entity.ts';
import type { PaymentLink } from '../model/payment-link.entity.ts';
import { BANK_REVERSAL, Refund } from '../model/refund.entity.ts';
import { Transaction } from '../model/transaction.entity.ts';
import { REFUND } from '../model/transitions.ts';
import { lockAttempt } from '../payment/locked-attempt.ts';

/** How soon the processor is asked again about a refund that was made there and is under way. */
const ADOPTED_LOOK_MS = 3_600_000;

/** A payment whose refunds and disputes are looked at. */
export interface SettledPayment {
  account: Account;
  attemptId: string;
  reference: string;
}

/**
 * Looks up all refunds of a payment at the processor and merges them, failed ones first: what they gave back may have
 * been refunded again. @throws ProcessorUnavailable
 */
export async function syncRefunds(scope: Scope, processor: Processor, payment: SettledPayment): Promise<void> {
  const snapshots = await processor.retrieveRefunds(payment.account, payment.reference);
  const failed = snapshots.filter(({ state }) => state === 'failed');
  for (const snapshot of [...failed, ...snapshots.filter(({ state }) => state !== 'failed')]) {
    await applyRefund(scope, payment.attemptId, snapshot);
  }
}

/**
 * Finds out about refunds of which the processor never told us that it took them, because our process died or the answer
 * was lost, and asks again for those that it doesn't have. Their ids alone would not do: processors forget what they
 * were asked for after a day. @throws ProcessorUnavailable
 */
export async function repeatRefunds(scope: Scope, processor: Processor, payment: SettledPayment): Promise<void> {
  const transaction = await fresh(scope).em.findOneOrFail(Transaction, { attemptId: payment.attemptId });
  const untold = await fresh(scope).em.find(Refund, {
    transactionId: transaction.id,
    status: 'pending',
    processorReference: null,
  });
  if (untold.length === 0) return;
  const { account, reference: paymentReference } = payment;
  const there = await processor.retrieveRefunds(account, paymentReference);
  for (const { id: refundId, amountCents } of untold) {
    const snapshot =
      there.find((made) => made.refundId === refundId) ??
      (await processor.refund({ account, paymentReference, refundId, amountCents }));
    await applyRefund(scope, payment.attemptId, snapshot);
  }
}

/**
 * Merges what a refund is at the processor, in a transaction of its own, like a payment: forward only, by the table,
 * its event exactly when it succeeds. One that we don't know, made at the processor itself or lost with a backup that
 * was restored, becomes a record of ours: the money was given back. One of another amount or currency than on record is
 * refused and reported.
 *
 * @returns the refund as it is now; null for one that doesn't fit and was reported
 */
export function applyRefund(scope: Scope, attemptId: string, snapshot: RefundSnapshot): Promise<Refund | null> {
  return inTransaction(fresh(scope), async (scope) => {
    const { link, transaction } = await lockAttempt(scope, attemptId);
    // A second payment of a link that was paid already: reported then, and no transaction of ours.
    if (transaction === null) return null;
    const known = await findRefund(scope, transaction, snapshot);
    const { refundId, reference } = snapshot;
    if (known === null && refundId !== null) {
      // Of a backup that was restored, or another environment's: the money is gone from this payment all the same.
      scope.log.warn({ refundId, reference, paymentLinkId: link.id }, 'a refund has an id that is not known here');
    }
    if (snapshot.currency !== link.currency || (known !== null && known.amountCents !== snapshot.amountCents)) {
      const { refundId, reference, amountCents, currency } = snapshot;
      const fields = { paymentLinkId: link.id, refundId, reference, amountCents, currency };
      scope.log.error(fields, 'refund refused: it is not what was asked for');
      return null;
    }
    const refund = known ?? (await adopt(scope, link, transaction, snapshot));
    if (refund === null) return null;
    refund.processorReference ??= snapshot.reference;
    await moveRefund(scope, { link, transaction, refund }, snapshot.state);
    return refund;
  });
}

/** By its reference, or by our id as long as it has none: a second one by the same id is another refund. */
async function findRefund(scope: Scope, { id: transactionId }: Transaction, { refundId, reference }: RefundSnapshot) {
  const known =
    reference === null ? null : await scope.em.findOne(Refund, { processorReference: reference, transactionId });
  if (known !== null || refundId === null) return known;
  return scope.em.findOne(Refund, { id: refundId, transactionId, processorReference: null });
}

/** Cents of the transaction that no refund has taken up. */
export async function leftToRefund(scope: Scope, transaction: Transaction): Promise<number> {
  const earlier = await scope.em.find(Refund, { transactionId: transaction.id, status: { $ne: 'failed' } });
  return transaction.amountCents - sumOf(earlier);
}

function sumOf(amounts: readonly { amountCents: number }[]): number {
  return amounts.reduce((sum, { amountCents }) => sum + amountCents, 0);
}

/** Records a refund and counts it: the transaction is refunded as soon as those that did not fail add up to it. */
export async function reserve(
  scope: Scope,
  link: PaymentLink,
  transaction: Transaction,
  input: Pick<Refund, 'amountCents' | 'reason' | 'processorReference'> & Partial<Pick<Refund, 'bankReversalId'>>,
): Promise<Refund> {
  const left = await leftToRefund(scope, transaction);
  const now = scope.clock.now();
  const refund = scope.em.create(Refund, {
    bankReversalId: null,
    ...input,
    id: newId('refund', now),
    practiceId: link.practiceId,
    paymentLinkId: link.id,
    transactionId: transaction.id,
    status: 'pending',
    createdAt: now,
  });
  moveTransaction(transaction, input.amountCents >= left ? 'refund_fully' : 'refund_partly');
  await scope.em.flush();
  return refund;
}

/** Moves a refund by its table: the event when it succeeds; the transaction owes again when it fails. */
export async function moveRefund(
  scope: Scope,
  { link, transaction, refund }: { link: PaymentLink; transaction: Transaction; refund: Refund },
  state: RefundSnapshot['state'],
): Promise<void> {
  if (state === 'pending') return;
  const before = refund.status;
  const to = transition(REFUND, before, state === 'succeeded' ? 'succeed' : 'fail');
  if (to === null) return;
  refund.status = to;
  if (to === 'succeeded') {
    await emit(scope, link, 'payment_link.refunded', { refundAmount: dollarsFromCents(refund.amountCents) });
    if (refund.bankReversalId === null) await reportGivenTwice(scope, link, transaction);
    return;
  }
  moveTransaction(transaction, 'refund_failed');
  const fields = { refundId: refund.id, paymentLinkId: link.id, before };
  scope.log.error(fields, 'a refund failed: the patient has not got the money back');
  const { id: subjectId, amountCents } = refund;
  await queueAdminMail(scope, link, { kind: 'refund_failed', subjectId, amountCents });
  await recordReversals(scope, link, transaction);
}

/**
 * Records as refunds what banks took back and no refund tells yet: at once, and again when a refund that stood in the
 * way fails. The first of a reversal has its reference.
 */
export async function recordReversals(scope: Scope, link: PaymentLink, transaction: Transaction): Promise<void> {
  await scope.em.flush();
  const where = { transactionId: transaction.id };
  const reversals = await scope.em.find(BankReversal, where, { orderBy: { createdAt: 'asc', id: 'asc' } });
  for (const { id: bankReversalId, amountCents, processorReference } of reversals) {
    const recorded = await scope.em.find(Refund, { bankReversalId });
    const missing = amountCents - sumOf(recorded);
    const taken = Math.min(missing, await leftToRefund(scope, transaction));
    if (taken < 1) continue;
    const refund = await reserve(scope, link, transaction, {
      amountCents: taken,
      reason: BANK_REVERSAL,
      processorReference: recorded.length === 0 ? processorReference : null,
      bankReversalId,
    });
    await moveRefund(scope, { link, transaction, refund }, 'succeeded');
  }
}

/** Reports what was refunded and taken back by the bank as well. A refund that is under way may fail yet. */
export async function reportGivenTwice(scope: Scope, link: PaymentLink, transaction: Transaction): Promise<void> {
  await scope.em.flush();
  const { id: transactionId, amountCents } = transaction;
  const orderBy = { createdAt: 'desc' as const, id: 'desc' as const };
  const reversals = await scope.em.find(BankReversal, { transactionId }, { orderBy });
  const refunds = await scope.em.find(Refund, { transactionId, status: 'succeeded', bankReversalId: null });
  const [latest] = reversals;
  const twice = sumOf(reversals) + sumOf(refunds) - amountCents;
  if (latest === undefined || twice < 1) return;
  const { processorReference: reference } = latest;
  scope.log.error({ paymentLinkId: link.id, reference }, 'the bank took a debit back that was refunded already');
  await queueAdminMail(scope, link, { kind: 'returned_after_refund', subjectId: reference, amountCents: twice });
}

/** A refund made at the processor itself; null, and reported, when it gives back more than is left. */
async function adopt(
  scope: Scope,
  link: PaymentLink,
  transaction: Transaction,
  { amountCents, reference, state }: RefundSnapshot,
): Promise<Refund | null> {
  // It never was anything here.
  if (state === 'failed') return null;
  if (amountCents > (await leftToRefund(scope, transaction))) {
    scope.log.error({ paymentLinkId: link.id, reference }, 'the processor refunded more than was paid');
    const subjectId = reference ?? transaction.id;
    await queueAdminMail(scope, link, { kind: 'refunded_too_much', subjectId, amountCents });
    return null;
  }
  // Until it is done, should the processor not tell.
  const soon = new Date(scope.clock.now().getTime() + ADOPTED_LOOK_MS);
  const { reconcileAt } = transaction;
  if (state === 'pending' && (reconcileAt === null || reconcileAt > soon)) transaction.reconcileAt = soon;
  return reserve(scope, link, transaction, { amountCents, reason: null, processorReference: reference });
}
