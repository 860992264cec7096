import { ApiError } from '../../base/errors.ts';
import type { Scope } from '../../base/scope.ts';
import type { PaymentAttempt } from '../model/payment-attempt.entity.ts';
import type { Viewer } from '../model/staff-status.ts';
import type { Transaction } from '../model/transaction.entity.ts';
import { findStaffLink, type LinkRecords, readRecords, type StaffLink } from '../staff/link.ts';
import type { PaymentState } from './payment-filter.ts';

/** A payment with everything that is on record about it. */
export interface PaymentDetails extends Pick<StaffLink, 'link' | 'location'>, LinkRecords {
  transaction: Transaction;
  /** The attempt that paid; null for a simulated payment. */
  attempt: PaymentAttempt | null;
  state: PaymentState;
  /** Amount of refunds that did not fail, with reversals. */
  refundedCents: number;
  /** Amount that can still be refunded; zero unless the payment has settled. */
  refundableCents: number;
}

/**
 * Returns the payment of a link.
 *
 * @throws ApiError `not_found` for a link that is not paid, or that the viewer does not see
 */
export async function findPayment(scope: Scope, viewer: Viewer, linkId: string): Promise<PaymentDetails> {
  const found = await findStaffLink(scope, viewer, linkId);
  if (found === null || found.link.paidAt === null) throw new ApiError('not_found');
  const { link, location, transaction } = found;
  if (transaction === null) throw new Error(`the paid link ${link.id} has no transaction`);
  const records = await readRecords(scope, link);
  const refundedCents = records.refunds
    .filter(({ status }) => status !== 'failed')
    .reduce((sum, { amountCents }) => sum + amountCents, 0);
  return {
    link,
    location,
    transaction,
    refundedCents,
    ...records,
    attempt: records.attempts.find(({ id }) => id === transaction.attemptId) ?? null,
    state: stateOf(transaction, refundedCents, records),
    refundableCents: transaction.status === 'succeeded' ? transaction.amountCents - refundedCents : 0,
  };
}

/** Returns the state in one word, by the rule of the list. */
function stateOf({ status }: Transaction, refundedCents: number, { reversals, disputes }: LinkRecords): PaymentState {
  if (disputes.some((dispute) => dispute.status === 'open')) return 'disputed';
  if (disputes.some((dispute) => dispute.status === 'lost')) return 'dispute_lost';
  if (status === 'failed' || reversals.length > 0) return 'returned';
  if (status === 'pending') return 'processing';
  if (status === 'refunded') return 'refunded';
  return refundedCents > 0 ? 'partly_refunded' : 'paid';
}
