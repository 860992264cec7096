import { ApiError } from '../../base/errors.ts';
import { newId } from '../../base/ids.ts';
import { transition } from '../../base/state-machine.ts';
import { statusAt } from '../model/overdue.ts';
import type { ClosedBy, PaymentLink } from '../model/payment-link.entity.ts';
import { LINK, TRANSACTION, type TransactionStatus } from '../model/transitions.ts';
import { type LinkEvent, stateEvent } from './events.ts';
import type { LinkValues } from './fields.ts';
import type { Decision, LinkState, TransactionState } from './state.ts';

/*
 * Decisions about a link and its transaction: state and command in, new state and events out. They are pure: they read no
 * database, change nothing, and move states by `transitions.ts` only. `change.ts` reads the state, and writes the decision if the
 * link has not changed since. Attempts, refunds and disputes have decisions in their own rooms.
 */

/** The change must wait until this open attempt is cancelled. */
export class BlockedByAttempt extends Error {
  readonly attemptId: string;

  constructor(attemptId: string) {
    super('an open payment attempt blocks the change');
    this.name = 'BlockedByAttempt';
    this.attemptId = attemptId;
  }
}

/** Origin of a payment. Events of a simulated payment have `triggeredBy: simulated`. */
export type PaymentOrigin = 'real' | 'simulated';

/** Method, fee and attempt of a payment. The amount is the link's. */
export interface PaymentMethod {
  type: 'card' | 'us_bank_account';
  brand: string | null;
  last4: string | null;
  /** Null until the processor reports it. */
  feeCents: number | null;
  /** Name of the payment on the patient's statement; null or absent until the processor reports it. */
  statementDescriptor?: string | null;
  /** The attempt that made the payment; null when simulated. */
  attemptId: string | null;
}

/** A card payment succeeds: the link is paid, and its transaction has succeeded. */
export function paidByCard(state: LinkState, method: PaymentMethod, origin: PaymentOrigin, now: Date): Decision {
  const { link, transaction } = paid(state, method, origin, now);
  return decided(
    { ...state, link, transaction: { ...transaction, status: moved(transaction.status, 'settle'), processedAt: now } },
    'record',
  );
}

/** A bank debit is submitted: its transaction is pending. The link is paid already, so that nobody pays it again. */
export function debitSubmitted(state: LinkState, method: PaymentMethod, origin: PaymentOrigin, now: Date): Decision {
  return decided({ ...state, ...paid(state, method, origin, now) }, 'record');
}

/** The bank settles the pending debit. */
export function debitSettled(state: LinkState, feeCents: number | null, now: Date): Decision {
  const transaction = paymentOf(state);
  return decided({
    ...state,
    transaction: {
      ...transaction,
      ...feeOf(transaction, feeCents),
      status: moved(transaction.status, 'settle'),
      processedAt: now,
    },
  });
}

/** The bank returns the pending debit. The link stays paid, and the patient owes the amount again. */
export function debitReturned(state: LinkState, failureReason: string): Decision {
  const transaction = paymentOf(state);
  return decided({
    ...state,
    transaction: { ...transaction, status: moved(transaction.status, 'return'), failureReason },
  });
}

/** An unpaid link expires. @throws ApiError `link_not_active` */
export function expired(state: LinkState, by: 'system' | 'simulated', now: Date): Decision {
  return decided(closed(state, 'expire', by, now));
}

/**
 * An active link is cancelled; a cancelled one stays unchanged, without an event.
 *
 * @throws BlockedByAttempt; ApiError `link_not_active`
 */
export function cancelled(state: LinkState, by: 'api' | 'staff', now: Date): Decision {
  const { link } = state;
  if (link.openAttemptId !== null) throw new BlockedByAttempt(link.openAttemptId);
  if (link.status === 'active') requireActive(link, now);
  const after = closed(state, 'cancel', by, now);
  return after === state ? unchanged(state) : decided(after);
}

/**
 * Fields of an active link are updated. A new amount waits for the cancellation of an open attempt, because the patient
 * agreed to the old amount. All other fields may change while a payment is open.
 *
 * @throws BlockedByAttempt; ApiError `link_not_active`
 */
export function updated(state: LinkState, changes: LinkValues, now: Date): Decision {
  const { link } = state;
  requireActive(link, now);
  const { amountCents = link.amountCents, patientPhone } = changes;
  if (amountCents !== link.amountCents && link.openAttemptId !== null) throw new BlockedByAttempt(link.openAttemptId);
  const after = { ...state, link: { ...link, ...changes } };
  // The new telephone number may belong to another patient record.
  return { ...unchanged(after), ...(patientPhone !== undefined && { patient: 'match' as const }) };
}

/** Decides for the state as it is, without an event. */
export function unchanged(state: LinkState): Decision {
  return { state, events: [], mails: [], acts: [], reports: [] };
}

/** Decides for the state as it is, with an event, such as `payment_link.disputed`. */
export function announced(state: LinkState, event: LinkEvent): Decision {
  return { ...unchanged(state), events: [{ event, state }] };
}

/** Decides for the state as it is, with a mail to the administrator. */
export function mailed(state: LinkState, mail: Decision['mails'][number]): Decision {
  return { ...unchanged(state), mails: [mail] };
}

/** Decides for the state as it is, with a line of the log. */
export function logged(state: LinkState, level: 'warn' | 'error', fields: object, message: string): Decision {
  return { ...unchanged(state), reports: [{ kind: 'log', level, fields, message }] };
}

/** Decides for the state as it is, with an error in the log, and a mail that asks the administrator to act. */
export function alarmed(state: LinkState, fields: object, message: string, mail: Decision['mails'][number]): Decision {
  return { ...logged(state, 'error', fields, message), mails: [mail] };
}

/** Joins decisions into one. Each decides on the state that the previous one returned. */
export function followedBy(first: Decision, ...next: readonly ((state: LinkState) => Decision)[]): Decision {
  const steps = [first];
  for (const decide of next) steps.push(decide((steps.at(-1) ?? first).state));
  return {
    ...Object.assign({}, ...steps),
    events: steps.flatMap(({ events }) => events),
    mails: steps.flatMap(({ mails }) => mails),
    acts: steps.flatMap(({ acts }) => acts),
    reports: steps.flatMap(({ reports }) => reports),
  };
}

/** Replaces the row with the same id, or adds the row at the end. */
export function withRow<Row extends { id: string }>(rows: readonly Row[], row: Row): readonly Row[] {
  return rows.some(({ id }) => id === row.id)
    ? rows.map((before) => (before.id === row.id ? row : before))
    : [...rows, row];
}

/** Throws `link_not_active` unless the link is active and not overdue. */
export function requireActive(link: PaymentLink, now: Date): void {
  if (transition(LINK, statusAt(link, now), 'update') === null) throw new ApiError('link_not_active');
}

/** Returns fee and net amount of a transaction. A known fee stays; null leaves both as they are. */
export function feeOf(
  transaction: TransactionState,
  feeCents: number | null,
): Pick<TransactionState, 'feeCents' | 'netCents'> {
  const { amountCents } = transaction;
  if (feeCents === null || transaction.feeCents !== null) return transaction;
  return { feeCents, netCents: amountCents - feeCents };
}

/** Moves the payment's status by the transition table. Publishes no event. */
export function paymentMoved(state: LinkState, event: Parameters<typeof moved>[1]): Decision {
  const transaction = paymentOf(state);
  const status = moved(transaction.status, event);
  const after = { ...state, transaction: { ...transaction, status } };
  return { ...unchanged(after), reports: status === transaction.status ? [] : statusReports(after) };
}

/** Returns the next status of a transaction. @throws Error for a move that is not in the table; callers prevent it */
function moved(
  status: TransactionStatus,
  event: 'settle' | 'return' | 'refund_fully' | 'refund_partly' | 'refund_failed',
): TransactionStatus {
  const to = transition(TRANSACTION, status, event);
  if (to === null) throw new Error(`a ${status} transaction has no transition ${event}`);
  return to;
}

/** Decides for a new state, with the event of this state. */
function decided(state: LinkState, patient?: 'record'): Decision {
  return {
    ...announced(state, stateEvent(state)),
    reports: statusReports(state),
    ...(patient !== undefined && { patient }),
  };
}

/** Returns the report of the payment's new status. */
function statusReports({ link: { test }, transaction }: LinkState): Decision['reports'] {
  return transaction === null ? [] : [{ kind: 'payment_status', status: transaction.status, test }];
}

/** Returns the paid link and its pending transaction. Real money also pays an expired or cancelled link; a simulation does not. */
function paid({ link }: LinkState, method: PaymentMethod, origin: PaymentOrigin, now: Date) {
  const isLate = method.attemptId !== null && transition(LINK, link.status, 'pay_late') !== null;
  const transaction: TransactionState = {
    id: newId('transaction', now),
    practiceId: link.practiceId,
    paymentLinkId: link.id,
    status: 'pending',
    amountCents: link.amountCents,
    feeCents: method.feeCents,
    netCents: method.feeCents === null ? null : link.amountCents - method.feeCents,
    paymentMethodType: method.type,
    paymentMethodBrand: method.brand,
    paymentMethodLast4: method.last4,
    failureReason: null,
    processedAt: null,
    statementDescriptor: method.statementDescriptor ?? null,
    attemptId: method.attemptId,
    reconcileAt: null,
    createdAt: now,
  };
  const by = origin === 'simulated' ? 'simulated' : null;
  return { link: { ...closedLink(link, isLate ? 'pay_late' : 'pay', by, now), paidAt: now }, transaction };
}

function closed(state: LinkState, event: 'expire' | 'cancel', by: ClosedBy, now: Date): LinkState {
  const link = closedLink(state.link, event, by, now);
  return link === state.link ? state : { ...state, link };
}

/** Returns the link after the event; the same object if its status does not change. */
function closedLink(
  link: LinkState['link'],
  event: 'pay' | 'pay_late' | 'expire' | 'cancel',
  closedBy: ClosedBy | null,
  now: Date,
): LinkState['link'] {
  const status = transition(LINK, link.status, event);
  if (status === null) throw new ApiError('link_not_active');
  return status === link.status ? link : { ...link, status, closedAt: now, closedBy };
}

/** Returns the fields of a refund, dispute or reversal that come from its payment and link. Lists filter by them. */
export function ofPayment(state: LinkState) {
  const { id: transactionId, practiceId, paymentLinkId, paymentMethodType } = paymentOf(state);
  const { test, paidAt, locationId } = state.link;
  return { practiceId, paymentLinkId, transactionId, test, paidAt, locationId, paymentMethodType };
}

/** Returns the payment of a paid link. */
export function paymentOf({ link, transaction }: LinkState): TransactionState {
  if (transaction === null) throw new Error(`link ${link.id} has no transaction`);
  return transaction;
}
