import type { AuditEntry } from '../../practices/audit/audit-entry.entity.ts';
import type { PaymentAttempt } from '../model/payment-attempt.entity.ts';
import type { Transaction } from '../model/transaction.entity.ts';
import type { LinkRecords, StaffLink } from '../office/link.ts';
import { REFUNDED } from '../payments/create-refund.ts';
import { throttledUntil } from '../payments/payable.ts';

export type LinkHistory = Pick<StaffLink, 'link' | 'transaction'> & LinkRecords;

/** The one who did something of a timeline, as far as it is on record. */
export type TimelineActor =
  | { kind: 'person' | 'api_key'; id: string; address: string | null }
  | { kind: 'patient'; address: string | null }
  | { kind: 'api' | 'staff' | 'website' | 'operator' | 'processor' | 'bank' | 'system' | 'simulation' };

export interface TimelineEntry {
  /** Null if the time is not on record. */
  at: Date | null;
  what:
    | 'link_created'
    | 'link_expired'
    | 'opened'
    | 'opened_again'
    | 'attempt_started'
    | 'attempt_failed'
    | 'attempt_cancelled'
    | 'attempt_in_doubt'
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
  /** A reason in snake_case, the status of a refund, or the number of openings. */
  detail: string | null;
  /** Name of an act in the audit log; null for what is no act. */
  act: string | null;
}

const PATIENT = { kind: 'patient', address: null } as const;
const BANK = { kind: 'bank' } as const;

/** Action of the audit log for a link that a person created. */
const CREATED = 'link.created';

/** Returns all that happened to a link, oldest first. Entries without a time stand at the end. */
export function listHistory(history: LinkHistory): TimelineEntry[] {
  const entries = [
    ...linkEntries(history),
    ...openingEntries(history),
    ...attemptEntries(history),
    ...transactionEntries(history),
    ...refundEntries(history),
    ...history.reversals.map(({ createdAt, amountCents }) => createEntry(createdAt, 'reversed', BANK, amountCents)),
    ...disputeEntries(history),
  ];
  const timeOf = ({ at }: TimelineEntry) => at?.getTime() ?? Number.MAX_VALUE;
  // The sort is stable: what happened in one millisecond stays in the order above.
  return entries.toSorted((one, other) => timeOf(one) - timeOf(other));
}

/** Returns the entries for a reader who proves nothing, and may see no payments. The outcome of an attempt says that it began. */
export function listShortHistory(history: LinkHistory, seesPayments: boolean): TimelineEntry[] {
  const openSince = history.attempts.find(({ closedAt }) => closedAt === null)?.createdAt;
  const hiddenNames = seesPayments ? /^$/ : /^(?:refund_requested|refund\.settled|dispute[._].*)$/;
  return listHistory(history).filter(
    ({ what, act, at }) => !hiddenNames.test(act ?? what) && (what !== 'attempt_started' || at === openSince),
  );
}

function linkEntries({ link, acts }: LinkHistory): TimelineEntry[] {
  const creation = acts.find(({ action }) => action === CREATED);
  const otherActs = acts.filter(({ action }) => action !== REFUNDED && action !== CREATED);
  const creator = creation === undefined ? { kind: link.source } : findActor(creation);
  const expiry = link.closedBy === 'simulated' ? 'simulation' : 'system';
  return [
    createEntry(link.createdAt, 'link_created', creator, link.amountCents),
    ...otherActs.map((entry) => ({
      ...createEntry(entry.createdAt, 'act', findActor(entry), null, readText(entry.after, 'reason')),
      act: entry.action,
    })),
    ...(link.status === 'expired' ? [createEntry(link.closedAt, 'link_expired', { kind: expiry }, null)] : []),
  ];
}

function openingEntries({ openings }: LinkHistory): TimelineEntry[] {
  if (openings === null) return [];
  const { firstOpenedAt, lastOpenedAt, openCount } = openings;
  const entry = createEntry(firstOpenedAt, 'opened', PATIENT, null);
  return openCount === 1 ? [entry] : [entry, createEntry(lastOpenedAt, 'opened_again', PATIENT, null, `${openCount}`)];
}

function attemptEntries({ attempts }: LinkHistory): TimelineEntry[] {
  return attempts.flatMap(({ createdAt, closedAt, reconcileAt, status, address, amountCents, failureReason }) => {
    const start = createEntry(createdAt, 'attempt_started', { ...PATIENT, address }, amountCents);
    if (status === 'failed') {
      return [start, createEntry(closedAt, 'attempt_failed', { kind: 'processor' }, null, failureReason)];
    }
    if (status !== 'cancelled') return [start];
    const what = reconcileAt === null ? 'attempt_cancelled' : 'attempt_in_doubt';
    return [start, createEntry(closedAt, what, { kind: 'system' }, null)];
  });
}

function transactionEntries({ link, transaction }: LinkHistory): TimelineEntry[] {
  if (transaction === null) return [];
  const { amountCents, status, processedAt, returnedAt, failureReason } = transaction;
  const actor = findMover(transaction);
  const isDebit = transaction.paymentMethodType === 'us_bank_account';
  const entries = [createEntry(link.paidAt, isDebit ? 'debit_submitted' : 'paid', actor, amountCents)];
  if (isDebit && processedAt !== null) entries.push(createEntry(processedAt, 'settled', actor, amountCents));
  if (status === 'failed') entries.push(createEntry(returnedAt, 'returned', BANK, amountCents, failureReason));
  return entries;
}

/** Returns the actor who moves money without an act of a person or key. */
function findMover(transaction: Transaction | null): TimelineActor {
  return { kind: transaction?.attemptId === null ? 'simulation' : 'processor' };
}

function refundEntries({ transaction, refunds, acts }: LinkHistory): TimelineEntry[] {
  const requested = refunds.filter(({ bankReversalId }) => bankReversalId === null);
  return requested.map(({ id, createdAt, amountCents, status }) => {
    // Refunds without an act were made by the operator's command or at the processor.
    const act = acts.find(({ action, after }) => action === REFUNDED && readText(after, 'refundId') === id);
    const actor = act === undefined ? findMover(transaction) : findActor(act);
    return createEntry(createdAt, 'refund_requested', actor, amountCents, status);
  });
}

function readText(state: object | null, field: string): string | null {
  const value: unknown = new Map(Object.entries(state ?? {})).get(field);
  return typeof value === 'string' ? value : null;
}

function disputeEntries({ disputes }: LinkHistory): TimelineEntry[] {
  return disputes.flatMap(({ createdAt, closedAt, status, amountCents, reason }) => {
    const opening = createEntry(createdAt, 'dispute_opened', BANK, amountCents, reason);
    return status === 'open' ? [opening] : [opening, createEntry(closedAt, `dispute_${status}`, BANK, amountCents)];
  });
}

function findActor({ actorKind, actorId, address }: AuditEntry): TimelineActor {
  return actorKind === 'operator' || actorId === null
    ? { kind: 'operator' }
    : { kind: actorKind, id: actorId, address };
}

function createEntry(
  at: Date | null,
  what: TimelineEntry['what'],
  actor: TimelineActor,
  amountCents: number | null,
  detail: string | null = null,
): TimelineEntry {
  return { at, what, actor, amountCents, detail, act: null };
}

export type LatestTry =
  | { outcome: 'in_doubt' }
  | { outcome: 'cancelled'; at: Date }
  /** Declines of the same day and method. The reasons are codes, the latest first. */
  | { outcome: 'declined'; at: Date; methodType: PaymentAttempt['methodType']; reasons: string[] };

/** Returns what came of the latest attempts to pay; null without an attempt that ended. */
export function findLatestTry({ attempts }: LinkHistory, dayOf: (at: Date) => string): LatestTry | null {
  if (attempts.some(({ closedAt, reconcileAt }) => closedAt !== null && reconcileAt !== null))
    return { outcome: 'in_doubt' };
  const latestAttempt = attempts.at(-1);
  if (latestAttempt === undefined || latestAttempt.closedAt === null) return null;
  const { closedAt: at, methodType, status } = latestAttempt;
  if (status === 'cancelled') return { outcome: 'cancelled', at };
  if (status !== 'failed') return null;
  const isLike = (one: PaymentAttempt) =>
    one.status === 'failed' &&
    one.methodType === methodType &&
    one.closedAt !== null &&
    dayOf(one.closedAt) === dayOf(at);
  const reasons = attempts.filter(isLike).map(({ failureReason }) => failureReason ?? '');
  return { outcome: 'declined', at, methodType, reasons: reasons.toReversed() };
}

/** Returns the end of the pause after several declines in a row; null without a pause. */
export function findPauseEnd({ attempts }: LinkHistory, now: Date): Date | null {
  const declinedAt = attempts.toReversed().flatMap(({ status, processorReference, closedAt }) => {
    const counts = status === 'failed' || (status === 'cancelled' && processorReference !== null);
    return counts && closedAt !== null ? [closedAt.toISOString()] : [];
  });
  return throttledUntil({ isInDoubt: false, declinedAt }, now);
}
