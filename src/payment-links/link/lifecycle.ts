import { ApiError } from '../../base/errors.ts';
import { newId } from '../../base/ids.ts';
import type { Scope } from '../../base/scope.ts';
import { transition } from '../../base/state-machine.ts';
import type { PaymentLinkEventType } from '../../contract/operations-type.ts';
import { publish } from '../../webhooks/events/publish.ts';
import { type ClosedBy, type PaymentLink, statusAt } from '../model/payment-link.entity.ts';
import { Transaction } from '../model/transaction.entity.ts';
import { LINK, TRANSACTION } from '../model/transitions.ts';
import { recordPatient } from './patients.ts';
import { linkEventView, loadParts } from './views.ts';

/*
 * All changes of state of a link or its transaction: by the API, the office, the clock, a processor or a simulation.
 * The caller must have locked the link in the scope's transaction. Each function moves the link by the tables of
 * `transitions.ts` and publishes the event in the same transaction.
 */

/** Origin of a payment. Events of a simulated payment name `simulated` as their trigger. */
export type PaymentOrigin = 'real' | 'simulated';

/** Method, fee and attempt of a payment. The amount is the link's. */
export interface PaymentMethod {
  type: 'card' | 'us_bank_account';
  brand: string | null;
  last4: string | null;
  /** Null until the processor reports it. */
  feeCents: number | null;
  /** Name of the payment on the patient's statement; null or absent until the processor reports it. */
  statementDescriptor?: string | null;
  /** The attempt that made the payment; null when simulated. */
  attemptId: string | null;
}

/** Records a card payment: the link is paid, the transaction succeeded. */
export async function payByCard(scope: Scope, link: PaymentLink, method: PaymentMethod, origin: PaymentOrigin) {
  const transaction = await pay(scope, link, method, closedBy(origin));
  moveTransaction(transaction, 'settle');
  transaction.processedAt = scope.clock.now();
  await emit(scope, link, 'payment_link.paid', simulatedContext(origin));
}

/** Records a submitted bank debit: the link is paid, so that nobody pays it again; the transaction is pending. */
export async function submitDebit(scope: Scope, link: PaymentLink, method: PaymentMethod, origin: PaymentOrigin) {
  const transaction = await pay(scope, link, method, closedBy(origin));
  await emit(scope, link, 'payment_link.processing', simulatedContext(origin));
  return transaction;
}

/** Records that the bank debit settled. */
export async function settleDebit(
  scope: Scope,
  link: PaymentLink,
  transaction: Transaction,
  feeCents: number | null,
  origin: PaymentOrigin,
) {
  moveTransaction(transaction, 'settle');
  recordFee(transaction, feeCents);
  transaction.processedAt = scope.clock.now();
  await emit(scope, link, 'payment_link.paid', simulatedContext(origin));
}

/** Records the processor's fee, which may arrive after the payment. A known fee stays. Publishes no event. */
export function recordFee(transaction: Transaction, feeCents: number | null): void {
  if (feeCents === null || transaction.feeCents !== null) return;
  transaction.feeCents = feeCents;
  transaction.netCents = transaction.amountCents - feeCents;
}

/** Records the name of the payment on the patient's statement. A known name stays. */
export function recordStatementDescriptor(transaction: Transaction, statementDescriptor: string | null): void {
  transaction.statementDescriptor ??= statementDescriptor;
}

/** Records that the bank returned the debit: the link stays paid, and the patient owes the balance again. */
export async function returnDebit(
  scope: Scope,
  link: PaymentLink,
  transaction: Transaction,
  failureReason: string,
  origin: PaymentOrigin,
) {
  moveTransaction(transaction, 'return');
  transaction.failureReason = failureReason;
  await emit(scope, link, 'payment_link.failed', { failureReason, ...simulatedContext(origin) });
}

/** Expires unpaid links. The number of statements does not depend on the number of links. */
export async function expire(scope: Scope, links: readonly PaymentLink[], triggeredBy: 'system' | 'simulated') {
  for (const link of links) moveLink(scope, link, 'expire', triggeredBy);
  await emitAll(scope, links, 'payment_link.expired', { triggeredBy });
}

/** Cancels an active link. A cancelled link stays unchanged, without an event. */
export async function cancel(scope: Scope, link: PaymentLink, triggeredBy: 'api' | 'staff') {
  const before = link.status;
  moveLink(scope, link, 'cancel', triggeredBy);
  if (before !== link.status) await emit(scope, link, 'payment_link.cancelled', { triggeredBy });
}

/** Throws `link_not_active` unless the link is active and not overdue. */
export function requireActive(scope: Scope, link: PaymentLink): void {
  if (transition(LINK, statusAt(link, scope.clock.now()), 'update') === null) throw new ApiError('link_not_active');
}

/** Writes the change, then publishes an event with the link's present state. */
export function emit(scope: Scope, link: PaymentLink, type: PaymentLinkEventType, context: object | null) {
  return emitAll(scope, [link], type, context);
}

async function emitAll(
  scope: Scope,
  links: readonly PaymentLink[],
  type: PaymentLinkEventType,
  context: object | null,
): Promise<void> {
  await scope.em.flush();
  const parts = await loadParts(scope, links);
  const domainEvents = links.flatMap((link) => {
    const own = parts.get(link.id);
    if (own === undefined) return [];
    const { practiceId, test, locationId } = link;
    const data = { paymentLink: linkEventView(scope, link, own), context };
    return [{ practiceId, test, locationId, type, paymentLinkId: link.id, data }];
  });
  await publish(scope, ...domainEvents);
}

function closedBy(origin: PaymentOrigin): ClosedBy | null {
  return origin === 'simulated' ? 'simulated' : null;
}

function simulatedContext(origin: PaymentOrigin): { triggeredBy: 'simulated' } | null {
  return origin === 'simulated' ? { triggeredBy: 'simulated' } : null;
}

/** Pays the link. Real money also pays a link that has expired or was cancelled; a simulation needs an active one. */
async function pay(scope: Scope, link: PaymentLink, method: PaymentMethod, by: ClosedBy | null): Promise<Transaction> {
  await recordPatient(scope, link);
  const isLate = method.attemptId !== null && transition(LINK, link.status, 'pay_late') !== null;
  moveLink(scope, link, isLate ? 'pay_late' : 'pay', by);
  const now = scope.clock.now();
  link.paidAt = now;
  return scope.em.create(Transaction, {
    id: newId('transaction', now),
    practiceId: link.practiceId,
    paymentLinkId: link.id,
    status: 'pending',
    amountCents: link.amountCents,
    feeCents: method.feeCents,
    netCents: method.feeCents === null ? null : link.amountCents - method.feeCents,
    paymentMethodType: method.type,
    paymentMethodBrand: method.brand,
    paymentMethodLast4: method.last4,
    failureReason: null,
    processedAt: null,
    statementDescriptor: method.statementDescriptor ?? null,
    attemptId: method.attemptId,
    reconcileAt: null,
    createdAt: now,
  });
}

function moveLink(
  scope: Scope,
  link: PaymentLink,
  event: 'pay' | 'pay_late' | 'expire' | 'cancel',
  by: ClosedBy | null,
): void {
  const to = transition(LINK, link.status, event);
  if (to === null) throw new ApiError('link_not_active');
  if (to === link.status) return;
  link.status = to;
  link.closedAt = scope.clock.now();
  link.closedBy = by;
}

/** Moves a transaction by its table. Throws for a move that is not in the table: the caller must check it. */
export function moveTransaction(
  transaction: Transaction,
  event: 'settle' | 'return' | 'refund_fully' | 'refund_partly' | 'refund_failed',
): void {
  const to = transition(TRANSACTION, transaction.status, event);
  if (to === null) throw new Error(`a ${transaction.status} transaction has no transition ${event}`);
  transaction.status = to;
}
