import type { AuditEntry } from '../../audit/audit-entry.entity.ts';
import type { Refund } from '../model/refund.entity.ts';
import type { PaymentDetails } from './payment.ts';

/** The one who did something of a timeline, as far as it is on record. */
export type TimelineActor =
  | { kind: 'person' | 'api_key'; id: string; address: string | null }
  | { kind: 'patient'; address: string | null }
  | { kind: 'api' | 'staff' | 'website' | 'operator' | 'processor' | 'bank' | 'system' | 'simulation' };

/** Something that happened to a payment. */
export interface TimelineEntry {
  /** Null if the time is not on record. */
  at: Date | null;
  what:
    | 'link_created'
    | 'attempt_started'
    | 'attempt_failed'
    | 'attempt_cancelled'
    | 'debit_submitted'
    | 'paid'
    | 'settled'
    | 'returned'
    | 'refund_requested'
    | 'reversed'
    | 'dispute_opened'
    | 'dispute_won'
    | 'dispute_lost'
    | 'act';
  actor: TimelineActor;
  /** Null where no amount is concerned. */
  amountCents: number | null;
  /** A reason in snake_case, the status of a refund, or the name of an act. */
  detail: string | null;
}

/** Action of the audit log for a refund by a person. */
export const REFUNDED = 'payment.refunded';

/** Action of the audit log for a link that a person created. */
const CREATED = 'link.created';

/**
 * Returns all that happened to a payment, oldest first. Acts of people come from the audit log. Entries without a time
 * stand at the end.
 *
 * @param acts entries of the audit log on the payment's link
 */
export function timelineOf(payment: PaymentDetails, acts: readonly AuditEntry[]): TimelineEntry[] {
  const entries = [
    ...linkEntries(payment, acts),
    ...attemptEntries(payment),
    ...transactionEntries(payment),
    ...payment.refunds
      .filter(({ bankReversalId }) => bankReversalId === null)
      .map((refund) => refundEntry(payment, refund, acts)),
    ...payment.reversals.map(({ createdAt, amountCents }) =>
      entryOf(createdAt, 'reversed', { kind: 'bank' }, amountCents),
    ),
    ...disputeEntries(payment),
  ];
  const timeOf = ({ at }: TimelineEntry) => at?.getTime() ?? Number.POSITIVE_INFINITY;
  // The sort is stable: what happened in one millisecond stays in the order above.
  return entries.toSorted((one, other) => (timeOf(one) === timeOf(other) ? 0 : timeOf(one) - timeOf(other)));
}

function linkEntries({ link }: PaymentDetails, acts: readonly AuditEntry[]): TimelineEntry[] {
  const creation = acts.find(({ action }) => action === CREATED);
  const others = acts.filter(({ action }) => action !== REFUNDED && action !== CREATED);
  const creator = creation === undefined ? { kind: link.source } : actorOf(creation);
  return [
    entryOf(link.createdAt, 'link_created', creator, link.amountCents),
    ...others.map((act) => entryOf(act.createdAt, 'act', actorOf(act), null, act.action)),
  ];
}

function attemptEntries({ attempts }: PaymentDetails): TimelineEntry[] {
  return attempts.flatMap(({ createdAt, closedAt, status, address, amountCents, failureReason }) => {
    const started = entryOf(createdAt, 'attempt_started', { kind: 'patient', address }, amountCents);
    if (status === 'failed') {
      return [started, entryOf(closedAt, 'attempt_failed', { kind: 'processor' }, null, failureReason)];
    }
    return status === 'cancelled'
      ? [started, entryOf(closedAt, 'attempt_cancelled', { kind: 'system' }, null)]
      : [started];
  });
}

function transactionEntries({ link, transaction }: PaymentDetails): TimelineEntry[] {
  const { amountCents, status, processedAt, attemptId, failureReason } = transaction;
  const actor = { kind: attemptId === null ? ('simulation' as const) : ('processor' as const) };
  const isDebit = transaction.paymentMethodType === 'us_bank_account';
  const entries = [entryOf(link.paidAt, isDebit ? 'debit_submitted' : 'paid', actor, amountCents)];
  if (isDebit && processedAt !== null) entries.push(entryOf(processedAt, 'settled', actor, amountCents));
  if (status === 'failed') entries.push(entryOf(null, 'returned', { kind: 'bank' }, amountCents, failureReason));
  return entries;
}

function refundEntry(
  { transaction }: PaymentDetails,
  { id, createdAt, amountCents, status }: Refund,
  acts: readonly AuditEntry[],
): TimelineEntry {
  const act = acts.find(({ action, after }) => action === REFUNDED && refundIdOf(after) === id);
  // Refunds without an act were made by the operator's command or at the processor.
  const elsewhere = { kind: transaction.attemptId === null ? ('simulation' as const) : ('processor' as const) };
  return entryOf(createdAt, 'refund_requested', act === undefined ? elsewhere : actorOf(act), amountCents, status);
}

function refundIdOf(state: object | null): unknown {
  return state !== null && 'refundId' in state ? state.refundId : null;
}

function disputeEntries({ disputes }: PaymentDetails): TimelineEntry[] {
  const bank = { kind: 'bank' as const };
  return disputes.flatMap(({ createdAt, closedAt, status, amountCents, reason }) => {
    const opened = entryOf(createdAt, 'dispute_opened', bank, amountCents, reason);
    return status === 'open' ? [opened] : [opened, entryOf(closedAt, `dispute_${status}`, bank, amountCents)];
  });
}

function actorOf({ actorKind, actorId, address }: AuditEntry): TimelineActor {
  return actorKind === 'operator' || actorId === null
    ? { kind: 'operator' }
    : { kind: actorKind, id: actorId, address };
}

function entryOf(
  at: Date | null,
  what: TimelineEntry['what'],
  actor: TimelineActor,
  amountCents: number | null,
  detail: string | null = null,
): TimelineEntry {
  return { at, what, actor, amountCents, detail };
}
