import { newId } from '../../platform/base/ids.ts';
import { dollarsFromCents } from '../../platform/base/money.ts';
import { transition } from '../../platform/base/state-machine.ts';
import type { RefundSnapshot } from '../../processors/processor.ts';
import type { Refund } from '../model/after-payment.entity.ts';
import { REFUND } from '../model/transitions.ts';
import { simulatedContext } from '../state/events.ts';
import { type AttemptState, type Draft, findTransaction, type LinkState, requirePayment } from '../state/state.ts';
import { copyPaymentFields, movePayment } from './link-decision.ts';
import { amountToRefund, RefundRefused, sumCents, sumRefunded, sumTakenBack } from './refundable.ts';

type RefundInput = Pick<Refund, 'amountCents' | 'reason' | 'processorReference'> &
  Partial<Pick<Refund, 'id' | 'bankReversalId'>>;

/** Records a refund as the last refund of the state, and moves it to the status `to`. The payment is `refunded` once all is given back. */
export function addRefund(draft: Draft, input: RefundInput, to: RefundSnapshot['state'], now: Date): void {
  const refund: Refund = {
    bankReversalId: null,
    id: newId('refund', now),
    ...input,
    ...copyPaymentFields(draft.state),
    status: 'pending',
    createdAt: now,
  };
  draft.put('refunds', refund);
  movePayment(draft, isGivenBack(draft.state) ? 'refund_fully' : 'refund_partly');
  moveRefund(draft, refund.id, to);
}

/** Refunds that did not fail count. Once the bank reversed the debit, lost disputes count as well. A dispute alone moves no status. */
export function isGivenBack(state: LinkState): boolean {
  const takenBackCents = state.reversals.length === 0 ? 0 : sumTakenBack(state);
  return sumRefunded(state) + takenBackCents >= requirePayment(state).amountCents;
}

export function requireLastRefund({ refunds }: LinkState): Refund {
  const refund = refunds.at(-1);
  if (refund === undefined) throw new Error('the state has no refund');
  return refund;
}

/** Time until the first question about a refund without an answer. */
const FIRST_RECONCILE_MS = 60_000;

/**
 * Records a refund as the last refund of the state, before the processor is asked. The refund of a simulated payment succeeds at once.
 * @param amountCents null for all that can still be refunded
 * @throws RefundRefused `not_settled`, `other_processor`, `too_much`, `taken_back`
 */
export function requestRefund(
  draft: Draft,
  { id, amountCents, reason }: { id?: string | undefined; amountCents: number | null; reason: string | null },
  processor: string,
  now: Date,
): void {
  if (draft.state.transaction?.status !== 'succeeded') {
    throw new RefundRefused('not_settled', 'amount', 'The link has no settled payment that could be refunded.');
  }
  const attempt = findPayingAttempt(draft.state);
  if (attempt !== null && attempt.processor !== processor) {
    throw new RefundRefused('other_processor', 'link', `The link was paid through ${attempt.processor}.`);
  }
  const cents = amountToRefund(draft.state, amountCents);
  const input = { ...(id !== undefined && { id }), amountCents: cents, reason, processorReference: null };
  addRefund(draft, input, attempt === null ? 'succeeded' : 'pending', now);
  if (attempt !== null) draft.setTransaction({ reconcileAt: new Date(now.getTime() + FIRST_RECONCILE_MS) });
}

/** Returns the attempt that made the payment; null for a simulated payment, and without a payment. */
export function findPayingAttempt({ attempts, transaction }: LinkState): AttemptState | null {
  return attempts.find(({ id }) => id === transaction?.attemptId) ?? null;
}

/**
 * Applies snapshots of refunds of a payment. Failed refunds come first, because their amount may have been refunded again. A second
 * payment of a paid link has no transaction, and a returned debit nothing to refund, so their refunds do not count.
 * @param versionWhenAsked version of the link before the processor was asked; unset for the answer to a request of ours
 */
export function applyRefundSnapshots(
  draft: Draft,
  attemptId: string,
  snapshots: readonly RefundSnapshot[],
  now: Date,
  versionWhenAsked?: number,
): void {
  if ((findTransaction(draft.state, { id: attemptId })?.status ?? 'failed') === 'failed') return;
  const isPresent = draft.state.link.version === versionWhenAsked;
  const failedFirst = snapshots.toSorted((a, b) => Number(b.state === 'failed') - Number(a.state === 'failed'));
  for (const snapshot of failedFirst) applyRefundSnapshot(draft, snapshot, isPresent, now);
}

/** Applies the snapshot of a refund. An unknown refund is recorded, because the money was given back. A mismatch is only reported. */
function applyRefundSnapshot(draft: Draft, snapshot: RefundSnapshot, isPresent: boolean, now: Date): void {
  const { refundId, reference, amountCents, currency, state } = snapshot;
  const { id: paymentLinkId, currency: ours } = draft.state.link;
  const refund = findRefund(draft.state, snapshot);
  // A backup was restored, or another environment made the refund.
  if (refund === null && refundId !== null) {
    draft.log('warn', { refundId, reference, paymentLinkId }, 'a refund has an id that is not on record here');
  }
  if (currency !== ours || (refund !== null && refund.amountCents !== amountCents)) {
    const fields = { paymentLinkId, refundId, reference, amountCents, currency };
    draft.log('error', fields, 'refund refused: amount or currency differ from the record');
  } else if (refund === null) {
    addOutsideRefund(draft, snapshot, isPresent, now);
  } else {
    if (refund.processorReference === null) draft.put('refunds', { ...refund, processorReference: reference });
    moveRefund(draft, refund.id, state);
  }
}

/** Finds a refund by its reference, or by our id as long as it has no reference. A snapshot with another reference is another refund. */
function findRefund({ refunds }: LinkState, { refundId, reference }: RefundSnapshot): Refund | null {
  const refund = refunds.find(
    ({ processorReference }) => processorReference !== null && processorReference === reference,
  );
  return refund ?? refunds.find(({ id, processorReference }) => id === refundId && processorReference === null) ?? null;
}

/** Longest time until the next question after a refund that was made at the processor. */
const OUTSIDE_REFUND_RECONCILE_MS = 3_600_000;

/**
 * Records a refund that was made at the processor, also one of money that the bank has taken back since. A refund of more than was left
 * is only reported. If our refunds without an answer reserve the amount, or the snapshot may be out of date, it waits for the next question.
 */
function addOutsideRefund(draft: Draft, snapshot: RefundSnapshot, isPresent: boolean, now: Date): void {
  const { amountCents, reference } = snapshot;
  if (snapshot.state === 'failed') return;
  const leftCents = requirePayment(draft.state).amountCents - sumRefunded(draft.state);
  if (amountCents <= leftCents) {
    if (snapshot.state === 'pending') askSoon(draft, now);
    addRefund(draft, { amountCents, reason: null, processorReference: reference }, snapshot.state, now);
    return;
  }
  const unansweredRefunds = draft.state.refunds.filter(
    ({ status, processorReference }) => status === 'pending' && processorReference === null,
  );
  // If the link has changed since the processor was asked, the refund may have failed by now.
  if (amountCents <= leftCents + sumCents(unansweredRefunds) || !isPresent) {
    askSoon(draft, now);
    return;
  }
  const fields = { paymentLinkId: draft.state.link.id, reference };
  const subjectId = reference ?? requirePayment(draft.state).id;
  const mail = { kind: 'refunded_too_much', subjectId, amountCents } as const;
  draft.alarm(fields, 'the processor refunded more than was paid', mail);
}

/** Makes `reconcile_transactions` ask within an hour: a notification may be lost, or our refunds must be resolved first. */
function askSoon(draft: Draft, now: Date): void {
  const soon = new Date(now.getTime() + OUTSIDE_REFUND_RECONCILE_MS);
  const { reconcileAt } = requirePayment(draft.state);
  if (reconcileAt === null || reconcileAt > soon) draft.setTransaction({ reconcileAt: soon });
}

/** Moves a refund by its table, with the event of its success. */
function moveRefund(draft: Draft, refundId: string, to: RefundSnapshot['state']): void {
  const refund = draft.state.refunds.find(({ id }) => id === refundId);
  if (refund === undefined) throw new Error(`the state lacks the refund ${refundId}`);
  if (to === 'pending') return;
  const status = transition(REFUND, refund.status, to === 'succeeded' ? 'succeed' : 'fail');
  if (status === null) return;
  draft.put('refunds', { ...refund, status });
  const { link } = draft.state;
  const { amountCents } = refund;
  if (status === 'succeeded') {
    // The event shows the state with this refund.
    const context = { refundAmount: dollarsFromCents(amountCents), ...simulatedContext(link.closedBy) };
    draft.addEvent({ type: 'payment_link.refunded', context });
    if (refund.bankReversalId === null) reportDoubleRefund(draft);
    return;
  }
  if (!isGivenBack(draft.state)) movePayment(draft, 'refund_failed');
  const fields = { refundId, paymentLinkId: link.id, before: refund.status };
  // A refund of a test link is simulated, so nobody waits for its money.
  if (!link.test) draft.log('error', fields, 'a refund failed: the patient has not got the money back');
  draft.mails.push({ kind: 'refund_failed', subjectId: refundId, amountCents });
}

/** Reports an amount that was both refunded and taken back by the bank. Returns true if there is one. Pending refunds may still fail. */
export function reportDoubleRefund(draft: Draft): boolean {
  const { link, reversals, refunds } = draft.state;
  const latestReversal = reversals.at(-1);
  const ownRefunds = refunds.filter(({ status, bankReversalId }) => status === 'succeeded' && bankReversalId === null);
  const doubleCents = sumCents(reversals) + sumCents(ownRefunds) - requirePayment(draft.state).amountCents;
  if (link.test || latestReversal === undefined || doubleCents < 1) return false;
  const { processorReference: reference } = latestReversal;
  const mail = { kind: 'returned_after_refund', subjectId: reference, amountCents: doubleCents } as const;
  draft.alarm({ paymentLinkId: link.id, reference }, 'the bank took a debit back that was refunded already', mail);
  return true;
}
