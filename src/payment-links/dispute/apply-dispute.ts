import { ApiError } from '../../base/errors.ts';
import { newId } from '../../base/ids.ts';
import { dollarsFromCents } from '../../base/money.ts';
import { fresh, type Scope } from '../../base/scope.ts';
import { transition } from '../../base/state-machine.ts';
import { inTransaction } from '../../database/query/transaction.ts';
import type { DisputeSnapshot } from '../../processors/processor.ts';
import { queuePaymentMail } from '../admin-mail/queue.ts';
import { changeLocked } from '../link/change.ts';
import { announced } from '../link/decide.ts';
import { simulatedContext } from '../link/events.ts';
import { lockLink } from '../link/lock.ts';
import { BankReversal } from '../model/bank-reversal.entity.ts';
import { Dispute } from '../model/dispute.entity.ts';
import type { PaymentLink } from '../model/payment-link.entity.ts';
import { Transaction } from '../model/transaction.entity.ts';
import { DISPUTE } from '../model/transitions.ts';
import { lockAttempt } from '../payment/locked-attempt.ts';
import { recordReversals, reportDoubleRefund } from '../refund/apply-refunds.ts';

/** Facts of a dispute when a bank opens it. */
export interface NewDispute {
  /** Machine-readable snake_case. */
  reason: string;
  amountCents: number;
  evidenceDueBy: Date | null;
}

/**
 * Applies the snapshot of a dispute, in a database transaction of its own. Each dispute is opened once and closed once,
 * each with its event. A dispute that is closed before we know it is opened first; a withdrawn one is ignored. A bank
 * reversal is not a dispute: it becomes a refund.
 *
 * @returns what was recorded; null if nothing has changed
 */
export function applyDispute(
  scope: Scope,
  attemptId: string,
  snapshot: DisputeSnapshot,
): Promise<'dispute' | 'bank_reversal' | null> {
  return inTransaction(fresh(scope), async (scope) => {
    const { link, transaction } = await lockAttempt(scope, attemptId);
    // This is a second payment of a paid link. It was reported, and it has no transaction.
    if (transaction === null) return null;
    const known = await scope.em.findOne(Dispute, { processorReference: snapshot.reference });
    reportMismatch(scope, link, known, snapshot);
    if (snapshot.isBankReversal && snapshot.state !== 'withdrawn')
      return (await recordBankReversal(scope, link, transaction, snapshot)) ? 'bank_reversal' : null;
    if (known === null && snapshot.state === 'withdrawn') return null;
    const dispute = known ?? (await recordOpening(scope, link, transaction, snapshot, snapshot.reference));
    const outcome = outcomeOf(snapshot);
    const isClosed = outcome !== null && (await recordClosing(scope, link, dispute, outcome));
    return known === null || isClosed ? 'dispute' : null;
  });
}

/** Returns the outcome of a dispute; null while it is open. A withdrawn one counts as won: the practice keeps the money. */
function outcomeOf({ state }: DisputeSnapshot): 'won' | 'lost' | null {
  switch (state) {
    case 'open':
      return null;
    case 'won':
    case 'withdrawn':
      return 'won';
    case 'lost':
      return 'lost';
    default:
      state satisfies never;
      throw new Error('a dispute has a state that the dispute table does not know');
  }
}

/** Logs a mismatch of amount or currency. The dispute is recorded all the same, since it exists at the bank. */
function reportMismatch(scope: Scope, link: PaymentLink, known: Dispute | null, snapshot: DisputeSnapshot): void {
  const { reference, amountCents, currency } = snapshot;
  const fits = known === null ? amountCents <= link.amountCents : amountCents === known.amountCents;
  if (fits && currency === link.currency) return;
  const fields = { paymentLinkId: link.id, reference, amountCents, currency };
  scope.log.error(fields, 'a dispute is of another amount or currency than our record');
}

/** Opens a dispute on a test link, whose payment no processor knows. */
export function openDispute(scope: Scope, linkId: string, input: NewDispute): Promise<Dispute> {
  return inTransaction(fresh(scope), async (scope) => {
    const link = await lockLink(scope, linkId);
    return recordOpening(scope, link, await disputable(scope, link, input), input, null);
  });
}

/** Closes the open dispute of a test link. @throws ApiError `not_found` when there is none */
export function closeDispute(scope: Scope, linkId: string, outcome: 'won' | 'lost'): Promise<Dispute> {
  return inTransaction(fresh(scope), async (scope) => {
    const link = await lockLink(scope, linkId);
    const dispute = await openDisputeOf(scope, link);
    if (dispute === null) throw noOpenDispute();
    await recordClosing(scope, link, dispute, outcome);
    return dispute;
  });
}

/**
 * Returns the settled payment of a link if a bank could open this dispute.
 *
 * @throws ApiError `validation_error` when there is none, or a dispute is open already
 */
export async function disputable(scope: Scope, link: PaymentLink, input: NewDispute): Promise<Transaction> {
  if (!/^[a-z][a-z0-9_]{0,99}$/.test(input.reason)) {
    throw refuse('reason', 'A reason is snake_case, such as fraudulent.');
  }
  const settled = { paymentLinkId: link.id, status: { $in: ['succeeded' as const, 'refunded' as const] } };
  const transaction = await scope.em.findOne(Transaction, settled);
  if (transaction === null) throw refuse('link', 'The link has no settled payment that could be disputed.');
  requireDisputedAmount(transaction, input.amountCents);
  if ((await openDisputeOf(scope, link)) !== null) {
    throw refuse('link', 'A dispute of this link is open already; close it first.');
  }
  return transaction;
}

/** Checks that a bank could dispute the amount. @throws ApiError `validation_error` for `amount` */
export function requireDisputedAmount(transaction: Transaction, amountCents: number): void {
  if (amountCents < 1 || amountCents > transaction.amountCents) {
    throw refuse('amount', `At most ${dollarsFromCents(transaction.amountCents)} dollars can be disputed.`);
  }
}

/** Returns the open dispute of the link, or null. */
export function openDisputeOf(scope: Scope, link: PaymentLink): Promise<Dispute | null> {
  return scope.em.findOne(Dispute, { paymentLinkId: link.id, status: 'open' });
}

/** Returns the error for a link without open dispute. */
export function noOpenDispute(): ApiError {
  return new ApiError('not_found', { message: 'The link has no open dispute.' });
}

/** Records a dispute and publishes its event. Link and transaction stay unchanged. */
export async function recordOpening(
  scope: Scope,
  link: PaymentLink,
  transaction: Transaction,
  { reason, amountCents, evidenceDueBy }: NewDispute,
  processorReference: string | null,
): Promise<Dispute> {
  const now = scope.clock.now();
  const dispute = scope.em.create(Dispute, {
    reason,
    amountCents,
    evidenceDueBy,
    processorReference,
    id: newId('dispute', now),
    practiceId: link.practiceId,
    paymentLinkId: link.id,
    transactionId: transaction.id,
    status: 'open',
    createdAt: now,
    closedAt: null,
  });
  const context = {
    disputeReason: reason,
    disputeAmount: dollarsFromCents(amountCents),
    evidenceDueBy: evidenceDueBy?.toISOString() ?? null,
    ...simulatedContext(link.closedBy),
  };
  await changeLocked(scope, link, (state) => announced(state, { type: 'payment_link.disputed', context }));
  await queuePaymentMail(scope, link, { kind: 'dispute_opened', subjectId: dispute.id, amountCents });
  return dispute;
}

/** Event of a dispute by the bank's decision. */
const DISPUTE_EVENTS = { won: 'win', lost: 'lose' } as const;

/**
 * Closes a dispute and publishes the event. Link and transaction stay unchanged.
 *
 * @returns false if the dispute was closed before: it stays as it is
 */
export async function recordClosing(
  scope: Scope,
  link: PaymentLink,
  dispute: Dispute,
  outcome: 'won' | 'lost',
): Promise<boolean> {
  const to = transition(DISPUTE, dispute.status, DISPUTE_EVENTS[outcome]);
  if (to === null) return false;
  dispute.status = to;
  dispute.closedAt = scope.clock.now();
  const context = { disputeOutcome: outcome, ...simulatedContext(link.closedBy) };
  await changeLocked(scope, link, (state) => announced(state, { type: 'payment_link.dispute_closed', context }));
  const { id: subjectId, amountCents } = dispute;
  await queuePaymentMail(scope, link, { kind: 'dispute_closed', subjectId, amountCents });
  return true;
}

/**
 * Records a bank reversal once, and the amount that was not refunded before as a refund. If a pending refund fails
 * later, the rest of the reversal is recorded then.
 *
 * @returns false if the reversal was recorded before
 */
export async function recordBankReversal(
  scope: Scope,
  link: PaymentLink,
  transaction: Transaction,
  { reference, amountCents }: Pick<DisputeSnapshot, 'reference' | 'amountCents'>,
): Promise<boolean> {
  if ((await scope.em.count(BankReversal, { processorReference: reference })) > 0) return false;
  const now = scope.clock.now();
  scope.em.create(BankReversal, {
    id: newId('bankReversal', now),
    practiceId: link.practiceId,
    paymentLinkId: link.id,
    transactionId: transaction.id,
    processorReference: reference,
    amountCents,
    createdAt: now,
  });
  await recordReversals(scope, link, transaction);
  await reportDoubleRefund(scope, link, transaction);
  return true;
}

function refuse(param: string, message: string): ApiError {
  return new ApiError('validation_error', { param, message });
}
