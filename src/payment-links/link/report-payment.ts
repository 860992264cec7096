import { report } from '../../base/diagnostics.ts';
import type { PaymentLink } from '../model/payment-link.entity.ts';
import type { Transaction } from '../model/transaction.entity.ts';
import type { Decision } from './state.ts';

/** Fields of a transaction that show whether its status has changed. */
type PaymentStatus = Pick<Transaction, 'id' | 'status'>;

/**
 * Reports each status that the payment of a link has moved to. Call it after the commit.
 *
 * @param before null if the link had no payment
 * @param after the payment after each step of the change
 */
export function reportPayment(
  { test }: Pick<PaymentLink, 'test'>,
  before: PaymentStatus | null,
  after: readonly (PaymentStatus | null)[],
): void {
  let last = before;
  for (const payment of after) {
    if (payment !== null && (payment.id !== last?.id || payment.status !== last.status)) {
      report('payment_status', () => ({ status: payment.status, mode: test ? 'test' : 'live' }));
    }
    last = payment;
  }
}

/** Returns the payment after each step of a decision. A debit may settle before its submission is known: two steps. */
export function paymentsOf({ state, events }: Decision): (PaymentStatus | null)[] {
  return [...events.map(({ state }) => state.transaction), state.transaction];
}
