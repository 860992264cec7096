import { ApiError } from '../base/errors.ts';
import { newId } from '../base/ids.ts';
import { dollarsFromCents } from '../base/money.ts';
import type { Scope } from '../base/scope.ts';
import { inTransaction } from '../base/scope.ts';
import { emit, moveTransaction } from './lifecycle.ts';
import { Refund } from './refund.entity.ts';
import { lockLink } from './service.ts';
import { Transaction } from './transaction.entity.ts';

/**
 * Gives back all of a payment, or a part of it, through the sandbox, which completes refunds at once. The transaction
 * becomes `refunded` when refunds that did not fail add up to its amount.
 *
 * @param amountCents null: what is left
 * @throws ApiError `not_found`; `validation_error` when there is nothing to refund, or less than asked for
 */
export function createRefund(
  scope: Scope,
  linkId: string,
  amountCents: number | null,
  reason: string | null,
): Promise<Refund> {
  return inTransaction(scope, async (scope) => {
    const link = await lockLink(scope, linkId);
    const transaction = await scope.em.findOne(Transaction, { paymentLinkId: link.id, status: 'succeeded' });
    if (transaction === null) throw refuse('The link has no settled payment that could be refunded.');
    const earlier = await scope.em.find(Refund, { transactionId: transaction.id, status: { $ne: 'failed' } });
    const left = transaction.amountCents - earlier.reduce((sum, refund) => sum + refund.amountCents, 0);
    const amount = amountCents ?? left;
    if (amount < 1 || amount > left) throw refuse(`At most ${dollarsFromCents(left)} dollars are left to refund.`);
    const now = scope.clock.now();
    const refund = scope.em.create(Refund, {
      id: newId('refund', now),
      practiceId: link.practiceId,
      paymentLinkId: link.id,
      transactionId: transaction.id,
      amountCents: amount,
      status: 'succeeded',
      reason,
      createdAt: now,
    });
    moveTransaction(transaction, amount === left ? 'refund_fully' : 'refund_partly');
    await emit(scope, link, 'payment_link.refunded', { refundAmount: dollarsFromCents(amount) });
    return refund;
  });
}

function refuse(message: string): ApiError {
  return new ApiError('validation_error', { param: 'amount', message });
}
