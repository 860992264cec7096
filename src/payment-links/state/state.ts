import type { Act } from '../../practices/audit/audit.ts';
import type { BankReversal } from '../model/bank-reversal.entity.ts';
import type { Dispute } from '../model/dispute.entity.ts';
import type { PaymentAttempt } from '../model/payment-attempt.entity.ts';
import type { PaymentLink } from '../model/payment-link.entity.ts';
import type { Refund } from '../model/refund.entity.ts';
import type { Transaction } from '../model/transaction.entity.ts';
import type { AttemptStatus, TransactionStatus } from '../model/transitions.ts';
import type { PaymentMail } from './admin-mail-queue.ts';
import type { LinkEvent } from './events.ts';

/*
 * State of a link and decisions about it, as plain data. `store` reads and writes it. A decision depends on nothing but the
 * state, a command and the time. Work marks, such as the submission mark, are no state.
 */

/** A link with its location, attempts, payment, refunds, disputes and bank reversals. */
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

/** A payment attempt without the record of the patient's authorisation. */
export type AttemptState = Omit<PaymentAttempt, (typeof EVIDENCE)[number]>;

/** Properties of a transaction that the database sets when it inserts the row. */
export const SET_BY_DATABASE = ['paymentNumber'] as const;

/** A transaction without the properties that the database sets. */
export type TransactionState = Omit<Transaction, (typeof SET_BY_DATABASE)[number]>;

/** New state of a link, and all that the change causes. Lists are in the order of occurrence. */
export interface Decision {
  state: LinkState;
  /** The events, each with the state that it shows. */
  events: { event: LinkEvent; state: LinkState }[];
  /** Patient record of the link: `match` looks for one that matches; `ensure` also makes one if none matches. */
  patient: 'match' | 'ensure' | undefined;
  /** Mails to the administrator. Test links send none. A second mail with the same kind and subject is not queued. */
  mails: Omit<PaymentMail, 'paymentLinkId'>[];
  /** Entries of the audit log. They are written only if the scope has an actor. */
  acts: Act[];
  /** Reports, sent after the commit. */
  reports: Report[];
}

/** A line of the log, or a fact for the metrics. */
export type Report =
  | { kind: 'log'; level: 'warn' | 'error'; fields: object; message: string }
  | { kind: 'attempt_closed'; outcome: AttemptStatus }
  | { kind: 'payment_status'; status: TransactionStatus; test: boolean };
