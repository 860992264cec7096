import { ApiError } from '../../base/errors.ts';
import { newId } from '../../base/ids.ts';
import { dollarsFromCents } from '../../base/money.ts';
import { fresh, type Scope } from '../../base/scope.ts';
import { transition } from '../../base/state-machine.ts';
import { inTransaction } from '../../database/query/transaction.ts';
import type { DisputeSnapshot } from '../../processors/processor.ts';
import { queueAdminMail } from '../admin-mail/queue.ts';
import { emit } from '../link/lifecycle.ts';
import { lockLink } from '../link/lock.ts';
import { BankReversal } from '../model/bank-reversal.entity.ts';
import { Dispute } from '../model/dispute.entity.ts';
import type { PaymentLink } from '../model/payment-link.entity.ts';
import { Transaction } from '../model/transaction.entity.ts';
import { DISPUTE } from '../model/transitions.ts';
import { lockAttempt } from '../payment/locked-attempt.ts';
import { recordReversals, reportGivenTwice } from '../refund/apply-refunds.ts';

/** What the patient's bank tells when it opens a dispute. */
export interface NewDispute {
  /** Machine-readable snake_case. */
  reason: string;
  amountCents: number;
  evidenceDueBy: Date | null;
}

/**
 * Merges what a dispute is at the processor, in a transaction of its own: opened, closed, each once, with its event.
 * One that is closed before we heard of it is opened first; one that was withdrawn before that never was. A bank reversal
 * is no dispute but a refund of the whole.
 */
export function applyDispute(scope: Scope, attemptId: string, snapshot: DisputeSnapshot): Promise<void> {
  return inTransaction(fresh(scope), async (scope) => {
    const { link, transaction } = await lockAttempt(scope, attemptId);
    // A second payment of a link that was paid already: reported then, and no transaction of ours.
    if (transaction === null) return;
    const known = await scope.em.findOne(Dispute, { processorReference: snapshot.reference });
    reportMismatch(scope, link, known, snapshot);
    if (snapshot.isBankReversal && snapshot.state !== 'withdrawn') return reverse(scope, link, transaction, snapshot);
    if (known === null && snapshot.state === 'withdrawn') return;
    const dispute = known ?? (await open(scope, link, transaction, snapshot, snapshot.reference));
    // Withdrawn by the bank is won: the practice keeps the money, as far as this dispute goes.
    if (snapshot.state === 'withdrawn') await close(scope, link, dispute, 'won');
    else if (snapshot.state !== 'open') await close(scope, link, dispute, snapshot.state);
  });
}

/** A dispute is a fact, whatever it says: that it doesn't fit our record is for a person to see to. */
function reportMismatch(scope: Scope, link: PaymentLink, known: Dispute | null, snapshot: DisputeSnapshot): void {
  const { reference, amountCents, currency } = snapshot;
  const fits = known === null ? amountCents <= link.amountCents : amountCents === known.amountCents;
  if (fits && currency === link.currency) return;
  const fields = { paymentLinkId: link.id, reference, amountCents, currency };
  scope.log.error(fields, 'a dispute is of another amount or currency than our record');
}

/** Plays the opening of a dispute on a link whose payment no processor knows: a test link. */
export function openDispute(scope: Scope, linkId: string, input: NewDispute): Promise<Dispute> {
  return inTransaction(fresh(scope), async (scope) => {
    const link = await lockLink(scope, linkId);
    return open(scope, link, await disputable(scope, link, input), input, null);
  });
}

/** Plays the closing of the open dispute of a test link. @throws ApiError `not_found` when there is none */
export function closeDispute(scope: Scope, linkId: string, outcome: 'won' | 'lost'): Promise<Dispute> {
  return inTransaction(fresh(scope), async (scope) => {
    const link = await lockLink(scope, linkId);
    const dispute = await scope.em.findOne(Dispute, { paymentLinkId: link.id, status: 'open' });
    if (dispute === null) throw noOpenDispute();
    await close(scope, link, dispute, outcome);
    return dispute;
  });
}

/**
 * The settled payment of a link that a bank could dispute like this.
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
  if (input.amountCents < 1 || input.amountCents > transaction.amountCents) {
    throw refuse('amount', `At most ${dollarsFromCents(transaction.amountCents)} dollars can be disputed.`);
  }
  if ((await scope.em.count(Dispute, { paymentLinkId: link.id, status: 'open' })) > 0) {
    throw refuse('link', 'A dispute of this link is open already; close it first.');
  }
  return transaction;
}

/** The refusal to close what is not open. */
export function noOpenDispute(): ApiError {
  return new ApiError('not_found', { message: 'The link has no open dispute.' });
}

/** The link stays paid and its transaction as it is; the event carries the facts. */
async function open(
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
  await emit(scope, link, 'payment_link.disputed', {
    disputeReason: reason,
    disputeAmount: dollarsFromCents(amountCents),
    evidenceDueBy: evidenceDueBy?.toISOString() ?? null,
  });
  await queueAdminMail(scope, link, { kind: 'dispute_opened', subjectId: dispute.id, amountCents });
  return dispute;
}

async function close(scope: Scope, link: PaymentLink, dispute: Dispute, outcome: 'won' | 'lost'): Promise<void> {
  const to = transition(DISPUTE, dispute.status, outcome === 'won' ? 'win' : 'lose');
  if (to === null) return;
  dispute.status = to;
  dispute.closedAt = scope.clock.now();
  await emit(scope, link, 'payment_link.dispute_closed', { disputeOutcome: outcome });
  const { id: subjectId, amountCents } = dispute;
  await queueAdminMail(scope, link, { kind: 'dispute_closed', subjectId, amountCents });
}

/**
 * The bank took a settled debit back: a refund that nobody asked for, of what had not been given back already. What a
 * refund that is under way keeps from being recorded follows if that one fails.
 */
async function reverse(
  scope: Scope,
  link: PaymentLink,
  transaction: Transaction,
  { reference, amountCents }: DisputeSnapshot,
): Promise<void> {
  if ((await scope.em.count(BankReversal, { processorReference: reference })) > 0) return;
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
  await reportGivenTwice(scope, link, transaction);
}

function refuse(param: string, message: string): ApiError {
  return new ApiError('validation_error', { param, message });
}
