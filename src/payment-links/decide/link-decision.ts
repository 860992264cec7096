import { ApiError } from '../../platform/base/errors.ts';
import { newId } from '../../platform/base/ids.ts';
import { transition } from '../../platform/base/state-machine.ts';
import type { ClosedBy, PaymentLink } from '../model/payment-link.entity.ts';
import { LINK, statusAt, TRANSACTION, type TransactionEvent } from '../model/transitions.ts';
import { stateEvent } from '../state/events.ts';
import type { LinkValues } from '../state/fields.ts';
import { type Draft, type LinkState, requirePayment, type TransactionState } from '../state/state.ts';

/** Method, fee and attempt of a payment. Fee and descriptor are null until the processor reports them. */
export interface PaymentMethod {
  type: 'card' | 'us_bank_account';
  brand: string | null;
  last4: string | null;
  feeCents: number | null;
  statementDescriptor?: string | null;
  /** The attempt that made the payment; null when simulated. */
  attemptId: string | null;
}

/** Pays the link by a card, which succeeds at once. */
export function payByCard(draft: Draft, method: PaymentMethod, now: Date): void {
  pay(draft, method, now);
  moveTransaction(draft, 'settle', { processedAt: now });
  publishState(draft);
  mailAboutPayment(draft, 'payment_received');
}

/** Submits a bank debit, which is pending. The link is paid already, so that nobody pays it again. */
export function submitDebit(draft: Draft, method: PaymentMethod, now: Date): void {
  pay(draft, method, now);
  publishState(draft);
}

export function settleDebit(draft: Draft, feeCents: number | null, now: Date): void {
  moveTransaction(draft, 'settle', { ...applyFee(requirePayment(draft.state), feeCents), processedAt: now });
  publishState(draft);
  mailAboutPayment(draft, 'payment_received');
}

/** Returns the pending debit. The link stays paid, and the patient owes the amount again. */
export function returnDebit(draft: Draft, failureReason: string, now: Date): void {
  moveTransaction(draft, 'return', { failureReason, returnedAt: now });
  publishState(draft);
  mailAboutPayment(draft, 'debit_returned');
}

function mailAboutPayment(draft: Draft, kind: 'payment_received' | 'debit_returned'): void {
  const { id: subjectId, amountCents } = requirePayment(draft.state);
  draft.mails.push({ kind, subjectId, amountCents });
}

/** Expires an unpaid link. @throws ApiError `link_not_active` */
export function expire(draft: Draft, by: 'system' | 'simulated', now: Date): void {
  if (closeLink(draft, 'expire', by, now)) publishState(draft);
}

/** Cancels an active link; a cancelled one stays as it is, without an event. An open attempt blocks it. @throws ApiError `link_not_active` */
export function cancel(draft: Draft, by: 'api' | 'staff', now: Date): void {
  const { link } = draft.state;
  draft.blockedBy = link.openAttemptId;
  if (draft.blockedBy !== null) return;
  if (link.status === 'active') requireActive(link, now);
  if (closeLink(draft, 'cancel', by, now)) publishState(draft);
}

/** Updates fields of an active link. An open attempt blocks a new amount, because the patient agreed to the old one. @throws ApiError `link_not_active` */
export function update(draft: Draft, changes: LinkValues, now: Date): void {
  const { link } = draft.state;
  requireActive(link, now);
  const { amountCents = link.amountCents, patientPhone } = changes;
  draft.blockedBy = amountCents === link.amountCents ? null : link.openAttemptId;
  if (draft.blockedBy !== null) return;
  draft.setLink(changes);
  // The new telephone number may belong to another patient record.
  if (patientPhone !== undefined) draft.patient = 'match';
}

/** @throws ApiError `link_not_active` unless the link is active and not overdue */
export function requireActive(link: PaymentLink, now: Date): void {
  if (transition(LINK, statusAt(link, now), 'update') === null) throw new ApiError('link_not_active');
}

/** Returns fee and net amount of a transaction. A recorded fee stays; null leaves both as they are. */
export function applyFee(
  { amountCents, feeCents: bookedCents, netCents }: TransactionState,
  feeCents: number | null,
): Pick<TransactionState, 'feeCents' | 'netCents'> {
  if (feeCents === null || bookedCents !== null) return { feeCents: bookedCents, netCents };
  return { feeCents, netCents: amountCents - feeCents };
}

/** Moves the payment's status by the transition table. Publishes no event. */
export function movePayment(draft: Draft, event: TransactionEvent): void {
  const { status } = requirePayment(draft.state);
  moveTransaction(draft, event);
  if (requirePayment(draft.state).status !== status) reportStatus(draft);
}

/** @throws Error for a move that is not in the table; callers prevent it */
function moveTransaction(draft: Draft, event: TransactionEvent, fields: Partial<TransactionState> = {}): void {
  const { status: from } = requirePayment(draft.state);
  const status = transition(TRANSACTION, from, event);
  if (status === null) throw new Error(`a ${from} transaction has no transition ${event}`);
  draft.setTransaction({ ...fields, status });
}

function publishState(draft: Draft): void {
  draft.addEvent(stateEvent(draft.state));
  reportStatus(draft);
}

function reportStatus({ state: { link, transaction }, reports }: Draft): void {
  if (transaction !== null) reports.push({ kind: 'payment_status', status: transaction.status, test: link.test });
}

/** Pays the link, with a pending transaction. Real money also pays an expired or cancelled link. Test links have simulated payments only. */
function pay(draft: Draft, method: PaymentMethod, now: Date): void {
  const { link } = draft.state;
  const isLate = !link.test && transition(LINK, link.status, 'pay_late') !== null;
  closeLink(draft, isLate ? 'pay_late' : 'pay', link.test ? 'simulated' : null, now);
  draft.setLink({ paidAt: now });
  const transaction: TransactionState = {
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
    returnedAt: null,
    statementDescriptor: method.statementDescriptor ?? null,
    attemptId: method.attemptId,
    reconcileAt: null,
    createdAt: now,
  };
  draft.state = { ...draft.state, transaction };
  draft.patient = 'ensure';
}

type Closing = 'pay' | 'pay_late' | 'expire' | 'cancel';

/** Closes the link. Returns false if its status does not change. @throws ApiError `link_not_active` */
function closeLink(draft: Draft, event: Closing, closedBy: ClosedBy | null, now: Date): boolean {
  const { link } = draft.state;
  const status = transition(LINK, link.status, event);
  if (status === null) throw new ApiError('link_not_active');
  if (status === link.status) return false;
  draft.setLink({ status, closedAt: now, closedBy });
  return true;
}

/** Returns the fields of a refund, dispute or reversal that come from its payment and link. Lists filter by them. */
export function copyPaymentFields(state: LinkState) {
  const { id: transactionId, practiceId, paymentLinkId, paymentMethodType } = requirePayment(state);
  const { test, paidAt, locationId } = state.link;
  return { practiceId, paymentLinkId, transactionId, test, paidAt, locationId, paymentMethodType };
}
