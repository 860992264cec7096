import { ApiError } from '../../base/errors.ts';
import { isId } from '../../base/ids.ts';
import type { Scope } from '../../base/scope.ts';
import { Location } from '../../practices/location.entity.ts';
import { BankReversal } from '../model/bank-reversal.entity.ts';
import { Dispute } from '../model/dispute.entity.ts';
import { PageOpenings } from '../model/page-openings.entity.ts';
import { PaymentAttempt } from '../model/payment-attempt.entity.ts';
import { PaymentLink } from '../model/payment-link.entity.ts';
import { Refund } from '../model/refund.entity.ts';
import type { Viewer } from '../model/staff-status.ts';
import { Transaction } from '../model/transaction.entity.ts';
import type { PaymentState } from './list-payments.ts';

/** A payment with everything that is on record about it. */
export interface PaymentDetails {
  link: PaymentLink;
  location: Location;
  transaction: Transaction;
  /** The attempt that paid; null for a simulated payment. */
  attempt: PaymentAttempt | null;
  /** All attempts, oldest first. */
  attempts: readonly PaymentAttempt[];
  /** Oldest first, as the next two. */
  refunds: readonly Refund[];
  reversals: readonly BankReversal[];
  disputes: readonly Dispute[];
  /** Null if nobody has opened the page, as far as it is on record. */
  openings: PageOpenings | null;
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
  const { em } = scope;
  const link = await findPaidLink(scope, viewer, linkId);
  const { practiceId } = viewer;
  const of = { practiceId, paymentLinkId: link.id };
  const orderBy = { createdAt: 'asc' as const, id: 'asc' as const };
  const location = await em.findOneOrFail(Location, { id: link.locationId, practiceId });
  const transaction = (await em.find(Transaction, of, { orderBy })).at(-1);
  if (transaction === undefined) throw new Error(`the paid link ${link.id} has no transaction`);
  const attempts = await em.find(PaymentAttempt, of, { orderBy });
  const refunds = await em.find(Refund, of, { orderBy });
  const reversals = await em.find(BankReversal, of, { orderBy });
  const disputes = await em.find(Dispute, of, { orderBy });
  const openings = await em.findOne(PageOpenings, of);
  const refundedCents = refunds
    .filter(({ status }) => status !== 'failed')
    .reduce((sum, { amountCents }) => sum + amountCents, 0);
  return {
    link,
    location,
    transaction,
    attempt: attempts.find(({ id }) => id === transaction.attemptId) ?? null,
    attempts,
    refunds,
    reversals,
    disputes,
    openings,
    state: stateOf(transaction, refundedCents, reversals, disputes),
    refundedCents,
    refundableCents: transaction.status === 'succeeded' ? transaction.amountCents - refundedCents : 0,
  };
}

async function findPaidLink({ em }: Scope, viewer: Viewer, linkId: string): Promise<PaymentLink> {
  const { practiceId, test, locationIds } = viewer;
  const link = isId('paymentLink', linkId)
    ? await em.findOne(PaymentLink, { id: linkId, practiceId, test, paidAt: { $ne: null } })
    : null;
  if (link === null || (locationIds !== null && !locationIds.includes(link.locationId))) {
    throw new ApiError('not_found');
  }
  return link;
}

/** Returns the state in one word, by the rule of the list. */
function stateOf(
  { status }: Transaction,
  refundedCents: number,
  reversals: readonly BankReversal[],
  disputes: readonly Dispute[],
): PaymentState {
  if (disputes.some((dispute) => dispute.status === 'open')) return 'disputed';
  if (disputes.some((dispute) => dispute.status === 'lost')) return 'dispute_lost';
  if (status === 'failed' || reversals.length > 0) return 'returned';
  if (status === 'pending') return 'processing';
  if (status === 'refunded') return 'refunded';
  return refundedCents > 0 ? 'partly_refunded' : 'paid';
}
