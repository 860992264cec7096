import { ApiError } from '../base/errors.ts';
import { newId } from '../base/ids.ts';
import { dollarsFromCents } from '../base/money.ts';
import type { Scope } from '../base/scope.ts';
import { inTransaction } from '../base/scope.ts';
import { transition } from '../base/state-machine.ts';
import { Dispute } from './dispute.entity.ts';
import { emit } from './lifecycle.ts';
import { lockLink } from './service.ts';
import { Transaction } from './transaction.entity.ts';
import { DISPUTE } from './transitions.ts';

/** What the patient's bank tells when it opens a dispute. */
export interface NewDispute {
  /** Machine-readable snake_case. */
  reason: string;
  amountCents: number;
  evidenceDueBy: Date | null;
}

/** Opens a dispute. The link stays paid and its transaction as it is; the event carries the facts. */
export function openDispute(scope: Scope, linkId: string, input: NewDispute): Promise<Dispute> {
  if (!/^[a-z][a-z0-9_]{0,99}$/.test(input.reason))
    throw refuse('reason', 'A reason is snake_case, such as fraudulent.');
  return inTransaction(scope, async (scope) => {
    const link = await lockLink(scope, linkId);
    const settled = { paymentLinkId: link.id, status: { $in: ['succeeded' as const, 'refunded' as const] } };
    const transaction = await scope.em.findOne(Transaction, settled);
    if (transaction === null) throw refuse('link', 'The link has no settled payment that could be disputed.');
    if (input.amountCents < 1 || input.amountCents > transaction.amountCents) {
      throw refuse('amount', `At most ${dollarsFromCents(transaction.amountCents)} dollars can be disputed.`);
    }
    if ((await scope.em.count(Dispute, { paymentLinkId: link.id, status: 'open' })) > 0) {
      throw refuse('link', 'A dispute of this link is open already; close it first.');
    }
    const now = scope.clock.now();
    const dispute = scope.em.create(Dispute, {
      ...input,
      id: newId('dispute', now),
      practiceId: link.practiceId,
      paymentLinkId: link.id,
      transactionId: transaction.id,
      status: 'open',
      createdAt: now,
      closedAt: null,
    });
    await emit(scope, link, 'payment_link.disputed', {
      disputeReason: input.reason,
      disputeAmount: dollarsFromCents(input.amountCents),
      evidenceDueBy: input.evidenceDueBy?.toISOString() ?? null,
    });
    return dispute;
  });
}

/** Closes the open dispute of a link. @throws ApiError `not_found` when there is none */
export function closeDispute(scope: Scope, linkId: string, outcome: 'won' | 'lost'): Promise<Dispute> {
  return inTransaction(scope, async (scope) => {
    const link = await lockLink(scope, linkId);
    const dispute = await scope.em.findOne(Dispute, { paymentLinkId: link.id, status: 'open' });
    const to = dispute === null ? null : transition(DISPUTE, dispute.status, outcome === 'won' ? 'win' : 'lose');
    if (dispute === null || to === null) throw new ApiError('not_found', { message: 'The link has no open dispute.' });
    dispute.status = to;
    dispute.closedAt = scope.clock.now();
    await emit(scope, link, 'payment_link.dispute_closed', { disputeOutcome: outcome });
    return dispute;
  });
}

function refuse(param: string, message: string): ApiError {
  return new ApiError('validation_error', { param, message });
}
