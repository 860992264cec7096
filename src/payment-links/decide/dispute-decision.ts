import { ApiError } from '../../platform/base/errors.ts';
import { newId } from '../../platform/base/ids.ts';
import { dollarsFromCents } from '../../platform/base/money.ts';
import { transition } from '../../platform/base/state-machine.ts';
import type { DisputeSnapshot } from '../../processors/processor.ts';
import { BANK_REVERSAL, type Dispute } from '../model/after-payment.entity.ts';
import { DISPUTE } from '../model/transitions.ts';
import { simulatedContext } from '../state/events.ts';
import { type Draft, findTransaction, type LinkState, requirePayment } from '../state/state.ts';
import { copyPaymentFields, movePayment } from './link-decision.ts';
import { addRefund, isGivenBack, reportDoubleRefund } from './refund-decision.ts';
import { describeTakenBack, sumTakenBack } from './refundable.ts';

export type NewDispute = Pick<Dispute, 'reason' | 'amountCents' | 'evidenceDueBy'>;

/** Outcome of each state at the processor. The practice keeps the money of a withdrawn dispute. */
const OUTCOMES = { open: null, won: 'won', lost: 'lost', withdrawn: 'won' } as const;

/**
 * Applies the snapshot of a dispute. A dispute that is closed before we know it is opened first; a withdrawn one is ignored.
 * A bank reversal becomes a refund. A second payment of a paid link has no transaction, so nothing is recorded.
 */
export function applyDisputeSnapshot(draft: Draft, attemptId: string, snapshot: DisputeSnapshot, now: Date): void {
  const transaction = findTransaction(draft.state, { id: attemptId });
  if (transaction === null) return;
  // A pending debit has settled at the processor since it was asked, and the next answer says that first. A failed one was returned.
  const isSettled = transaction.status !== 'pending' && transaction.status !== 'failed';
  if (snapshot.isBankReversal && !isSettled) return;
  const { reference, state } = snapshot;
  const find = () => draft.state.disputes.find(({ processorReference }) => processorReference === reference) ?? null;
  reportMismatch(draft, find(), snapshot);
  if (snapshot.isBankReversal && state !== 'withdrawn') {
    recordReversal(draft, snapshot, now);
    return;
  }
  if (find() === null && state !== 'withdrawn') openDispute(draft, snapshot, reference, now);
  const dispute = find();
  const outcome = OUTCOMES[state];
  if (dispute !== null && outcome !== null) closeDispute(draft, dispute, outcome, now);
}

/** Logs a mismatch. The dispute is recorded all the same, since it exists at the bank. */
function reportMismatch(draft: Draft, dispute: Dispute | null, snapshot: DisputeSnapshot): void {
  const { link } = draft.state;
  const { reference, amountCents, currency } = snapshot;
  const fits = dispute === null ? amountCents <= link.amountCents : amountCents === dispute.amountCents;
  if (fits && currency === link.currency) return;
  const fields = { paymentLinkId: link.id, reference, amountCents, currency };
  draft.log('error', fields, 'a dispute is of another amount or currency than our record');
}

/** Checks that a bank could open this dispute: of a settled payment without an open dispute. @throws ApiError `validation_error` */
export function requireDisputable(state: LinkState, { reason, amountCents }: NewDispute): void {
  if (!/^[a-z][a-z0-9_]{0,99}$/.test(reason)) throw refusal('reason', 'A reason is snake_case, such as fraudulent.');
  const { transaction } = state;
  if (transaction?.status !== 'succeeded' && transaction?.status !== 'refunded') {
    throw refusal('link', 'The link has no settled payment that could be disputed.');
  }
  if (findOpenDispute(state) !== null) throw refusal('link', 'A dispute of this link is open already; close it first.');
  requireDisputedAmount(state, amountCents);
}

/** Returns the cents that a bank can still dispute: what it has not taken back. Also refunded money can be disputed. */
export function sumDisputable(state: LinkState): number {
  return Math.max(0, requirePayment(state).amountCents - sumTakenBack(state));
}

/** Checks that a bank could dispute the amount. @throws ApiError `validation_error` for `amount`, or for `link` if nothing is left */
export function requireDisputedAmount(state: LinkState, amountCents: number): void {
  const leftCents = sumDisputable(state);
  if (amountCents >= 1 && amountCents <= leftCents) return;
  const takenBack = describeTakenBack(state);
  const message = `At most ${dollarsFromCents(leftCents)} dollars can be disputed.`;
  throw refusal(leftCents === 0 ? 'link' : 'amount', takenBack === null ? message : `${message} ${takenBack}`);
}

function refusal(param: string, message: string): ApiError {
  return new ApiError('validation_error', { param, message });
}

export function findOpenDispute({ disputes }: LinkState): Dispute | null {
  return disputes.find(({ status }) => status === 'open') ?? null;
}

/** Records a dispute of a paid link as the last one, with its event. Link and transaction stay unchanged. */
export function openDispute(draft: Draft, facts: NewDispute, processorReference: string | null, now: Date): void {
  const { reason, amountCents, evidenceDueBy } = facts;
  const dispute: Dispute = {
    id: newId('dispute', now),
    ...copyPaymentFields(draft.state),
    status: 'open',
    reason,
    amountCents,
    evidenceDueBy,
    processorReference,
    createdAt: now,
    closedAt: null,
    answeredAt: null,
  };
  const context = {
    disputeReason: reason,
    disputeAmount: dollarsFromCents(amountCents),
    evidenceDueBy: evidenceDueBy?.toISOString() ?? null,
    ...simulatedContext(draft.state.link.closedBy),
  };
  draft.put('disputes', dispute);
  draft.addEvent({ type: 'payment_link.disputed', context });
  draft.mails.push({ kind: 'dispute_opened', subjectId: dispute.id, amountCents });
}

/**
 * Closes a dispute, with its event, unless it was closed before. The transaction stays unchanged, with one exception: a lost dispute
 * may take the rest of a payment that the bank reversed in part. Then it is `refunded`.
 */
export function closeDispute(draft: Draft, dispute: Dispute, outcome: 'won' | 'lost', now: Date): void {
  const status = transition(DISPUTE, dispute.status, outcome === 'won' ? 'win' : 'lose');
  if (status === null) return;
  draft.put('disputes', { ...dispute, status, closedAt: now });
  if (draft.state.reversals.length > 0 && isGivenBack(draft.state)) movePayment(draft, 'refund_fully');
  const context = { disputeOutcome: outcome, ...simulatedContext(draft.state.link.closedBy) };
  draft.addEvent({ type: 'payment_link.dispute_closed', context });
  draft.mails.push({ kind: 'dispute_closed', subjectId: dispute.id, amountCents: dispute.amountCents });
}

/** Records when the practice sent its answer to an open dispute; null takes that back. Any other dispute stays as it is. */
export function answerDispute(draft: Draft, disputeId: string, answeredAt: Date | null): void {
  const { disputes, link } = draft.state;
  const dispute = disputes.find(({ id, status }) => id === disputeId && status === 'open');
  if (dispute === undefined || (dispute.answeredAt === null) === (answeredAt === null)) return;
  draft.put('disputes', { ...dispute, answeredAt });
  draft.acts.push({
    practiceId: link.practiceId,
    action: answeredAt === null ? 'dispute.unanswered' : 'dispute.answered',
    target: { kind: 'payment_link', id: link.id },
    after: { disputeId },
  });
}

type ReversalFacts = Pick<DisputeSnapshot, 'reference' | 'amountCents'>;

/** Records a bank reversal once, with a refund of its whole amount, also if the payment was refunded before. */
export function recordReversal(draft: Draft, { reference, amountCents }: ReversalFacts, now: Date): void {
  if (draft.state.reversals.some(({ processorReference }) => processorReference === reference)) return;
  const id = newId('bankReversal', now);
  const payment = copyPaymentFields(draft.state);
  draft.put('reversals', { id, ...payment, processorReference: reference, amountCents, createdAt: now });
  const refund = { amountCents, reason: BANK_REVERSAL, processorReference: reference, bankReversalId: id };
  addRefund(draft, refund, 'succeeded', now);
  if (!reportDoubleRefund(draft)) draft.mails.push({ kind: 'debit_returned', subjectId: id, amountCents });
}
