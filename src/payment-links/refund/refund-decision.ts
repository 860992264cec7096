import { ApiError } from '../../base/errors.ts';
import { newId } from '../../base/ids.ts';
import { dollarsFromCents } from '../../base/money.ts';
import { transition } from '../../base/state-machine.ts';
import type { RefundSnapshot } from '../../processors/processor.ts';
import {
  alarmed,
  announced,
  followedBy,
  logged,
  mailed,
  ofPayment,
  paymentMoved,
  paymentOf,
  unchanged,
  withRow,
} from '../link/decide.ts';
import { simulatedContext } from '../link/events.ts';
import type { AttemptState, Decision, LinkState } from '../link/state.ts';
import { BANK_REVERSAL, type Refund } from '../model/refund.entity.ts';
import { REFUND } from '../model/transitions.ts';
import { transactionOf } from '../payment/attempt-decision.ts';

/** Reason why a payment cannot be refunded, for callers with other texts, such as the console. */
export type RefundRefusal = 'not_settled' | 'other_processor' | 'too_much' | 'id_taken';

/** A refund was refused. Nothing was recorded. */
export class RefundRefused extends ApiError {
  readonly reason: RefundRefusal;
  /** Cents that can still be refunded; null unless the reason is `too_much`. */
  readonly refundableCents: number | null;

  constructor(reason: RefundRefusal, param: string, message: string, refundableCents: number | null = null) {
    super('validation_error', { param, message });
    this.reason = reason;
    this.refundableCents = refundableCents;
  }
}

/** Returns the cents that can still be refunded. Pending refunds reduce them, because they may succeed. */
export function refundableCentsOf(state: LinkState): number {
  return paymentOf(state).amountCents - sumCents(state.refunds.filter(({ status }) => status !== 'failed'));
}

export function sumCents(amounts: readonly { amountCents: number }[]): number {
  return amounts.reduce((sum, { amountCents }) => sum + amountCents, 0);
}

/**
 * Returns the cents to refund.
 *
 * @param amountCents null for all that can be refunded
 * @throws RefundRefused `too_much` for more than that, or if nothing is left
 */
export function amountToRefund(refundableCents: number, amountCents: number | null): number {
  const cents = amountCents ?? refundableCents;
  if (cents < 1 || cents > refundableCents) {
    const message = `At most ${dollarsFromCents(refundableCents)} dollars are left to refund.`;
    throw new RefundRefused('too_much', 'amount', message, refundableCents);
  }
  return cents;
}

/** Fields of a new refund. Without `id`, it gets a new id. */
export type RefundInput = Pick<Refund, 'amountCents' | 'reason' | 'processorReference'> &
  Partial<Pick<Refund, 'id' | 'bankReversalId'>>;

/**
 * Records a refund as the last refund of the state, and moves it to the status `to`. The transaction is `refunded` once pending
 * and succeeded refunds add up to its amount.
 */
export function refundRecorded(state: LinkState, input: RefundInput, to: RefundSnapshot['state'], now: Date): Decision {
  const isRest = input.amountCents >= refundableCentsOf(state);
  const refund: Refund = {
    bankReversalId: null,
    id: newId('refund', now),
    ...input,
    ...ofPayment(state),
    ...{ status: 'pending', createdAt: now },
  };
  return followedBy(
    paymentMoved({ ...state, refunds: [...state.refunds, refund] }, isRest ? 'refund_fully' : 'refund_partly'),
    (state) => refundMoved(state, refund.id, to, now),
  );
}

export function lastRefundOf({ refunds }: LinkState): Refund {
  const refund = refunds.at(-1);
  if (refund === undefined) throw new Error('the state has no refund');
  return refund;
}

/** Time until `reconcile_transactions` asks about a refund without an answer. */
const FIRST_RECONCILE_MS = 60_000;

/**
 * Records a refund before the processor is asked, as the last refund of the state. The refund of a simulated payment succeeds
 * at once.
 *
 * @param amountCents null for all that can still be refunded
 * @throws RefundRefused `not_settled`, `other_processor`, `too_much`
 */
export function refundRequested(
  state: LinkState,
  { id, amountCents, reason }: { id?: string | undefined; amountCents: number | null; reason: string | null },
  processor: string,
  now: Date,
): Decision {
  const { transaction } = state;
  if (transaction?.status !== 'succeeded') {
    throw new RefundRefused('not_settled', 'amount', 'The link has no settled payment that could be refunded.');
  }
  const attempt = payingAttemptOf(state);
  if (attempt !== null && attempt.processor !== processor) {
    throw new RefundRefused('other_processor', 'link', `The link was paid through ${attempt.processor}.`);
  }
  const cents = amountToRefund(refundableCentsOf(state), amountCents);
  const input = { ...(id !== undefined && { id }), amountCents: cents, reason, processorReference: null };
  if (attempt === null) return refundRecorded(state, input, 'succeeded', now);
  const soon = new Date(now.getTime() + FIRST_RECONCILE_MS);
  return followedBy(refundRecorded(state, input, 'pending', now), (state) =>
    unchanged({ ...state, transaction: { ...paymentOf(state), reconcileAt: soon } }),
  );
}

/** Returns the attempt that made the payment; null for a simulated payment, and without a payment. */
export function payingAttemptOf({ attempts, transaction }: LinkState): AttemptState | null {
  return attempts.find(({ id }) => id === transaction?.attemptId) ?? null;
}

/**
 * Applies snapshots of refunds of a payment. Refunds move forward only, by their table, and each publishes its event exactly
 * when it succeeds. Failed refunds come first, because their amount may have been refunded again. A second payment of a paid
 * link has no transaction, and a returned debit nothing to refund, so their refunds do not count.
 *
 * @param versionWhenAsked version of the link before the processor was asked; unset for the answer to a request of ours
 */
export function refundsReported(
  state: LinkState,
  attemptId: string,
  snapshots: readonly RefundSnapshot[],
  now: Date,
  versionWhenAsked?: number,
): Decision {
  if ((transactionOf(state, { id: attemptId })?.status ?? 'failed') === 'failed') return unchanged(state);
  const failed = snapshots.filter(({ state }) => state === 'failed');
  const others = snapshots.filter(({ state }) => state !== 'failed');
  const isPresent = state.link.version === versionWhenAsked;
  const steps = [...failed, ...others].map(
    (snapshot) => (state: LinkState) => refundReported(state, snapshot, isPresent, now),
  );
  return followedBy(unchanged(state), ...steps);
}

const UNKNOWN_ID = 'a refund has an id that is not on record here';

/**
 * Applies the snapshot of a refund. An unknown refund was made at the processor, or was lost when a backup was restored. It is
 * recorded, because the money was given back. A snapshot with another amount or currency is only reported.
 */
function refundReported(state: LinkState, snapshot: RefundSnapshot, isPresent: boolean, now: Date): Decision {
  const { refundId, reference, amountCents, currency } = snapshot;
  const { link } = state;
  const known = knownRefund(state, snapshot);
  const found =
    known === null && refundId !== null
      ? // A backup was restored, or another environment made the refund. In both cases this payment was refunded.
        logged(state, 'warn', { refundId, reference, paymentLinkId: link.id }, UNKNOWN_ID)
      : unchanged(state);
  if (currency !== link.currency || (known !== null && known.amountCents !== amountCents)) {
    const fields = { paymentLinkId: link.id, refundId, reference, amountCents, currency };
    const message = 'refund refused: amount or currency differ from the record';
    return followedBy(found, (state) => logged(state, 'error', fields, message));
  }
  if (known === null) return followedBy(found, (state) => outsideRefund(state, snapshot, isPresent, now));
  return followedBy(
    found,
    (state) => unchanged(withReference(state, known, reference)),
    (state) => refundMoved(state, known.id, snapshot.state, now),
  );
}

/** Finds a refund by its reference, or by our id as long as it has no reference. A snapshot with another reference is another refund. */
function knownRefund({ refunds }: LinkState, { refundId, reference }: RefundSnapshot): Refund | null {
  const known = refunds.find(
    ({ processorReference }) => processorReference !== null && processorReference === reference,
  );
  return known ?? refunds.find(({ id, processorReference }) => id === refundId && processorReference === null) ?? null;
}

function withReference(state: LinkState, refund: Refund, reference: string | null): LinkState {
  return refund.processorReference === null && reference !== null
    ? { ...state, refunds: withRow(state.refunds, { ...refund, processorReference: reference }) }
    : state;
}

/** Longest time until `reconcile_transactions` asks again after a refund that was made at the processor. */
const OUTSIDE_REFUND_RECONCILE_MS = 3_600_000;

/**
 * Records a refund that was made at the processor. A failed refund changes nothing. A refund of more than can still be refunded:
 * - waits for the next question, if our refunds without an answer reserve the amount, or if the snapshot may be out of date;
 * - otherwise it is reported, and not recorded.
 */
function outsideRefund(state: LinkState, snapshot: RefundSnapshot, isPresent: boolean, now: Date): Decision {
  const { amountCents, reference } = snapshot;
  if (snapshot.state === 'failed') return unchanged(state);
  const refundableCents = refundableCentsOf(state);
  if (amountCents <= refundableCents) {
    const input = { amountCents, reason: null, processorReference: reference };
    const asked = snapshot.state === 'pending' ? askedSoon(state, now) : state;
    return refundRecorded(asked, input, snapshot.state, now);
  }
  const unanswered = state.refunds.filter(
    ({ status, processorReference }) => status === 'pending' && processorReference === null,
  );
  // If the link has changed since the processor was asked, the refund may have failed by now.
  const mayFit = amountCents <= refundableCents + sumCents(unanswered) || !isPresent;
  if (mayFit) return unchanged(askedSoon(state, now));
  const fields = { paymentLinkId: state.link.id, reference };
  const subjectId = reference ?? paymentOf(state).id;
  const mail = { kind: 'refunded_too_much', subjectId, amountCents } as const;
  return alarmed(state, fields, 'the processor refunded more than was paid', mail);
}

/** Makes `reconcile_transactions` ask within an hour: a notification may be lost, or our refunds must be resolved first. */
function askedSoon(state: LinkState, now: Date): LinkState {
  const transaction = paymentOf(state);
  const soon = new Date(now.getTime() + OUTSIDE_REFUND_RECONCILE_MS);
  const { reconcileAt } = transaction;
  return reconcileAt === null || reconcileAt > soon
    ? { ...state, transaction: { ...transaction, reconcileAt: soon } }
    : state;
}

/** Event of the transition table, by the final state of a refund at the processor. */
const REFUND_EVENTS = { succeeded: 'succeed', failed: 'fail' } as const;

/** Moves a refund by its table. Without such a transition, nothing changes. If the refund fails, its payment is no longer `refunded`. */
function refundMoved(state: LinkState, refundId: string, to: RefundSnapshot['state'], now: Date): Decision {
  const refund = state.refunds.find(({ id }) => id === refundId);
  if (refund === undefined) throw new Error(`the state lacks the refund ${refundId}`);
  const status = to === 'pending' ? null : transition(REFUND, refund.status, REFUND_EVENTS[to]);
  if (status === null) return unchanged(state);
  const after = { ...state, refunds: withRow(state.refunds, { ...refund, status }) };
  if (status === 'succeeded') {
    const isReversal = refund.bankReversalId !== null;
    return followedBy(refunded(after, refund), isReversal ? unchanged : doubleRefundReported);
  }
  const { link } = state;
  const fields = { refundId, paymentLinkId: link.id, before: refund.status };
  const message = 'a refund failed: the patient has not got the money back';
  return followedBy(
    paymentMoved(after, 'refund_failed'),
    // A refund of a test link is simulated, so nobody waits for its money.
    (state) => (link.test ? unchanged(state) : logged(state, 'error', fields, message)),
    (state) => mailed(state, { kind: 'refund_failed', subjectId: refundId, amountCents: refund.amountCents }),
    (state) => reversalsRecorded(state, now),
  );
}

/** Publishes the event of a refund that succeeded. The event shows the state with this refund. */
function refunded(state: LinkState, { amountCents }: Refund): Decision {
  const { link } = state;
  const context = { refundAmount: dollarsFromCents(amountCents), ...simulatedContext(link.closedBy) };
  return announced(state, { type: 'payment_link.refunded', context });
}

/**
 * Records bank reversals as refunds, up to the amount that can still be refunded. Runs again when another refund fails. The
 * first refund of a reversal has the reversal's reference.
 */
export function reversalsRecorded(state: LinkState, now: Date): Decision {
  const steps = state.reversals.map(({ id: bankReversalId, amountCents, processorReference }) => (state: LinkState) => {
    const recorded = state.refunds.filter((refund) => refund.bankReversalId === bankReversalId);
    const cents = Math.min(amountCents - sumCents(recorded), refundableCentsOf(state));
    if (cents < 1) return unchanged(state);
    const reference = recorded.length === 0 ? processorReference : null;
    const input = { amountCents: cents, reason: BANK_REVERSAL, processorReference: reference, bankReversalId };
    return refundRecorded(state, input, 'succeeded', now);
  });
  return followedBy(unchanged(state), ...steps);
}

/**
 * Reports an amount that was both refunded and taken back by the bank. Pending refunds do not count, because they may fail.
 * Test links are not reported, because their money is simulated.
 */
export function doubleRefundReported(state: LinkState): Decision {
  const { link, reversals, refunds } = state;
  const latest = reversals.at(-1);
  const given = refunds.filter(({ status, bankReversalId }) => status === 'succeeded' && bankReversalId === null);
  const doubleCents = sumCents(reversals) + sumCents(given) - paymentOf(state).amountCents;
  if (link.test || latest === undefined || doubleCents < 1) return unchanged(state);
  const { processorReference: reference } = latest;
  const message = 'the bank took a debit back that was refunded already';
  const mail = { kind: 'returned_after_refund', subjectId: reference, amountCents: doubleCents } as const;
  return alarmed(state, { paymentLinkId: link.id, reference }, message, mail);
}
