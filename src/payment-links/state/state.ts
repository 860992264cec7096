import type { BankReversal, Dispute, Refund } from '../model/after-payment.entity.ts';
import type { PaymentAttempt } from '../model/payment-attempt.entity.ts';
import type { PaymentLink } from '../model/payment-link.entity.ts';
import type { Transaction } from '../model/transaction.entity.ts';

/**
 * A link with its location, attempts, payment, refunds, disputes and bank reversals, as plain data. A decision depends on nothing but
 * the state, a command and the time. Work marks, such as the submission mark, are no state.
 */
export interface LinkState {
  link: PaymentLink;
  location: { id: string; name: string };
  /** Open attempts, attempts in doubt, accepted attempts, and the attempt by which the link was found. */
  attempts: readonly AttemptState[];
  /** The latest payment; null for a link that is not paid. */
  transaction: TransactionState | null;
  /** Oldest first, as are disputes and reversals. */
  refunds: readonly Refund[];
  disputes: readonly Dispute[];
  reversals: readonly BankReversal[];
}

/** Properties of an attempt that record the patient's authorisation. No decision needs them. */
export const EVIDENCE = ['locale', 'address', 'authorisationText', 'authorisationHash'] as const;

export type AttemptState = Omit<PaymentAttempt, (typeof EVIDENCE)[number]>;

/** Properties of a transaction that the database sets when it inserts the row. */
export const SET_BY_DATABASE = ['paymentNumber'] as const;

export type TransactionState = Omit<Transaction, (typeof SET_BY_DATABASE)[number]>;
