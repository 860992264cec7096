import type { Act } from '../../practices/audit/audit.ts';
import type { BankReversal, Dispute, Refund } from '../model/after-payment.entity.ts';
import type { PaymentAttempt } from '../model/payment-attempt.entity.ts';
import type { PaymentLink } from '../model/payment-link.entity.ts';
import type { Transaction } from '../model/transaction.entity.ts';
import type { AttemptStatus, TransactionStatus } from '../model/transitions.ts';
import type { LinkEvent } from './events.ts';

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

/** The job that sends an admin mail. The SQL function `write_links` adds it. */
export const PAYMENT_MAIL_TASK = 'send_payment_admin_mail';

/** Kind of an admin mail: a fact that people must correct or answer in time, or a payment, for practices that want such mails. */
export type PaymentMailKind =
  | 'payment_received'
  | 'debit_returned'
  | 'dispute_opened'
  | 'dispute_closed'
  | 'refund_failed'
  | 'paid_late'
  | 'paid_twice'
  | 'payment_refused'
  | 'payment_abandoned'
  | 'contradiction'
  | 'refunded_too_much'
  | 'returned_after_refund';

/** Payload of the job: ids and an amount, without patient's data and without an address. */
export interface PaymentMail {
  kind: PaymentMailKind;
  paymentLinkId: string;
  /** Id of the dispute, refund, attempt, payment or bank reversal; the processor's reference if there is no record of ours. */
  subjectId: string;
  amountCents: number;
}

export type Report =
  | { kind: 'log'; level: 'warn' | 'error'; fields: object; message: string }
  | { kind: 'attempt_closed'; outcome: AttemptStatus }
  | { kind: 'payment_status'; status: TransactionStatus; test: boolean };

type Mail = Omit<PaymentMail, 'paymentLinkId'>;

/** Draft of a change: the state so far, and all that the change causes, in order. A decision changes nothing else. States are replaced. */
export class Draft {
  state: LinkState;
  /** The events, each with the state that it shows. */
  readonly events: { event: LinkEvent; state: LinkState }[] = [];
  /** Patient record of the link: `match` looks for one that matches; `ensure` also makes one if none matches. */
  patient: 'match' | 'ensure' | undefined;
  /** Open attempt that blocks the change. The draft is unchanged then. */
  blockedBy: string | null = null;
  /** Mails to the administrator. Test links send none. A second mail with the same kind and subject is not queued. */
  readonly mails: Mail[] = [];
  /** Entries of the audit log. They are written only if the scope has an actor. */
  readonly acts: Act[] = [];
  /** Reports, sent after the commit. */
  readonly reports: Report[] = [];

  constructor(state: LinkState) {
    this.state = state;
  }

  setLink(fields: Partial<LinkState['link']>): void {
    this.state = { ...this.state, link: { ...this.state.link, ...fields } };
  }

  setTransaction(fields: Partial<TransactionState>): void {
    this.state = { ...this.state, transaction: { ...requirePayment(this.state), ...fields } };
  }

  setAttempt(attemptId: string, fields: Partial<AttemptState>): void {
    this.put('attempts', { ...requireAttempt(this.state, attemptId), ...fields });
  }

  /** Replaces the row with the same id, or adds the row at the end. */
  put<Part extends 'attempts' | 'refunds' | 'disputes' | 'reversals'>(part: Part, row: LinkState[Part][number]): void {
    const rows: readonly { id: string }[] = this.state[part];
    const isKnown = rows.some(({ id }) => id === row.id);
    const after = isKnown ? rows.map((before) => (before.id === row.id ? row : before)) : [...rows, row];
    this.state = { ...this.state, [part]: after };
  }

  addEvent(event: LinkEvent): void {
    this.events.push({ event, state: this.state });
  }

  log(level: 'warn' | 'error', fields: object, message: string): void {
    this.reports.push({ kind: 'log', level, fields, message });
  }

  /** Adds an error to the log, and a mail that asks the administrator to act. */
  alarm(fields: object, message: string, mail: Mail): void {
    this.log('error', fields, message);
    this.mails.push(mail);
  }
}

export function requirePayment({ link, transaction }: LinkState): TransactionState {
  if (transaction === null) throw new Error(`link ${link.id} has no transaction`);
  return transaction;
}

/** Returns the attempt with this id. @throws Error if the state lacks it: the link must have been read by this attempt */
export function requireAttempt({ attempts }: LinkState, attemptId: string): AttemptState {
  const attempt = attempts.find(({ id }) => id === attemptId);
  if (attempt === undefined) throw new Error(`the state lacks the attempt ${attemptId}`);
  return attempt;
}

/** Returns the transaction that the attempt made. Null for a second payment of a paid link. */
export function findTransaction({ transaction }: LinkState, { id }: Pick<AttemptState, 'id'>): TransactionState | null {
  return transaction?.attemptId === id ? transaction : null;
}

/** Returns the fields whose values have changed. Dates are compared by value, all other fields by identity. */
export function changedFields<Row extends object>(before: Row, after: Row): Partial<Row> {
  const names = Object.keys(after) as (keyof Row)[];
  const fields: Partial<Row> = {};
  for (const name of names) {
    if (!isSame(before[name], after[name])) fields[name] = after[name];
  }
  return fields;
}

function isSame(before: unknown, after: unknown): boolean {
  if (before instanceof Date && after instanceof Date) return before.getTime() === after.getTime();
  return before === after;
}
