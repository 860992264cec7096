import { ApiError } from '../../platform/base/errors.ts';
import type { Scope } from '../../platform/base/scope.ts';
import { sumRefundable } from '../decide/refundable.ts';
import type { PaymentAttempt } from '../model/payment-attempt.entity.ts';
import type { Viewer } from '../model/staff-status.ts';
import type { Transaction } from '../model/transaction.entity.ts';
import { findStaffLink, type LinkRecords, readRecords, type StaffLink } from '../office/link.ts';
import { type ListedPayment, listPayments } from './list-payments.ts';

/** A payment with everything that is on record about it. */
export interface PaymentDetails extends StaffLink, LinkRecords, ListedPayment {
  transaction: Transaction;
  /** The attempt that paid; null for a simulated payment. */
  attempt: PaymentAttempt | null;
  /** Amount that can still be refunded; zero unless the payment has settled. */
  refundableCents: number;
}

/**
 * Returns the payment of a link, with the state that the list of payments shows.
 *
 * @throws ApiError `not_found` for a link that is not paid, or that the viewer does not see
 */
export async function findPayment(scope: Scope, viewer: Viewer, linkId: string): Promise<PaymentDetails> {
  const found = await findStaffLink(scope, viewer, linkId);
  if (found === null || found.link.paidAt === null) throw new ApiError('not_found');
  const { link, transaction } = found;
  const filter = { state: null, method: null, from: null, before: null, linkIds: [linkId] };
  const [listed] = (await listPayments(scope, viewer, filter, null, 1)).rows;
  if (transaction === null || listed === undefined) throw new Error(`the paid link ${link.id} has no transaction`);
  const records = await readRecords(scope, link);
  const attempt = records.attempts.find(({ id }) => id === transaction.attemptId) ?? null;
  return {
    ...listed,
    ...found,
    ...records,
    transaction,
    attempt,
    refundableCents: sumRefundable({ transaction, ...records }),
  };
}
