import type { Scope } from '../../base/scope.ts';
import { afterCommit } from '../../database/query/transaction.ts';
import type { RefundSnapshot } from '../../processors/processor.ts';
import { queuePaymentMail } from '../admin-mail/queue.ts';
import { reportPayment } from '../link/report-payment.ts';
import type { PaymentLink } from '../model/payment-link.entity.ts';
import { Refund } from '../model/refund.entity.ts';
import type { Transaction } from '../model/transaction.entity.ts';
import type { TransactionStatus } from '../model/transitions.ts';
import { pendingRefund, type RefundInput, refundableCentsOf, statusWithRefund, sumCents } from './refund-decision.ts';

/** Longest time until `reconcile_transactions` asks again about refunds that were made at the processor. */
const OUTSIDE_REFUND_RECONCILE_MS = 3_600_000;

/** Returns the cents of the transaction that are not refunded yet. */
export async function findRefundableCents(scope: Scope, transaction: Transaction): Promise<number> {
  return refundableCentsOf(transaction, await scope.em.find(Refund, { transactionId: transaction.id }));
}

/**
 * Records a pending refund of a transaction. It is refunded once refunds that did not fail add up to its amount.
 *
 * @param refundableCents cents of the transaction that are not refunded yet
 */
export async function recordPendingRefund(
  scope: Scope,
  { link, transaction }: { link: PaymentLink; transaction: Transaction },
  refundableCents: number,
  input: RefundInput,
): Promise<Refund> {
  const refund = scope.em.create(Refund, pendingRefund(transaction, input, scope.clock.now()));
  moveTransaction(scope, link, transaction, statusWithRefund(transaction.status, input.amountCents, refundableCents));
  await scope.em.flush();
  return refund;
}

/** Moves the transaction to the status, and reports it after the commit. */
export function moveTransaction(
  scope: Scope,
  link: PaymentLink,
  transaction: Transaction,
  status: TransactionStatus,
): void {
  const { id, status: before } = transaction;
  transaction.status = status;
  afterCommit(scope, () => reportPayment(link, { id, status: before }, [{ id, status }]));
}

/**
 * Records a refund that was made at the processor. Returns null and reports it if it exceeds the amount that is left. It also
 * returns null if the amount is only reserved for our refunds without an answer. They are resolved first.
 */
export async function recordOutsideRefund(
  scope: Scope,
  link: PaymentLink,
  transaction: Transaction,
  { amountCents, reference, state }: RefundSnapshot,
): Promise<Refund | null> {
  // A failed refund that is not on record needs no record.
  if (state === 'failed') return null;
  const refunds = await scope.em.find(Refund, { transactionId: transaction.id });
  const refundableCents = refundableCentsOf(transaction, refunds);
  if (amountCents > refundableCents) {
    const unanswered = refunds.filter(
      ({ status, processorReference }) => status === 'pending' && processorReference === null,
    );
    if (amountCents <= refundableCents + sumCents(unanswered)) {
      reconcileSoon(scope, transaction);
      return null;
    }
    scope.log.error({ paymentLinkId: link.id, reference }, 'the processor refunded more than was paid');
    const subjectId = reference ?? transaction.id;
    await queuePaymentMail(scope, link, { kind: 'refunded_too_much', subjectId, amountCents });
    return null;
  }
  if (state === 'pending') reconcileSoon(scope, transaction);
  return recordPendingRefund(scope, { link, transaction }, refundableCents, {
    amountCents,
    reason: null,
    processorReference: reference,
  });
}

/** Lets `reconcile_transactions` ask within an hour: a notification may be lost, or refunds of ours must be resolved first. */
function reconcileSoon(scope: Scope, transaction: Transaction): void {
  const soon = new Date(scope.clock.now().getTime() + OUTSIDE_REFUND_RECONCILE_MS);
  const { reconcileAt } = transaction;
  if (reconcileAt === null || reconcileAt > soon) transaction.reconcileAt = soon;
}
