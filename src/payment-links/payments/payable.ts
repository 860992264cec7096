import type { Practice } from '../../practices/practice.entity.ts';
import type { Account, MethodType, Processor } from '../../processors/processor.ts';
import type { PaymentLink } from '../model/payment-link.entity.ts';
import { statusAt } from '../model/transitions.ts';

/** Protection against card testing: this many declined or cancelled attempts within `THROTTLE_MS` throttle the link. */
const MAX_DECLINES = 5;

/** Time in which declines are counted, and for which they throttle the link. */
const THROTTLE_MS = 15 * 60_000;

/** Payable, or the reason why a link cannot be paid now. */
type Payability = 'payable' | 'closed' | 'under_way' | 'unavailable' | 'throttled';

export interface FormerAttempts {
  /** True if an attempt was abandoned and its outcome is unknown: money may have been taken. */
  isInDoubt: boolean;
  /** Times of the latest declines as text, the latest first; at most five, which throttle the link. */
  declinedAt: readonly string[];
}

/**
 * Columns of `FormerAttempts` for a link `l`. A cancelled attempt counts as a decline, too: the bank's question has revealed
 * that the card is valid. An attempt that the processor never began reveals nothing, so it does not count.
 */
export const FORMER_ATTEMPTS = `
  exists (
    select from payment_attempts a
    where a.payment_link_id = l.id and a.closed_at is not null and a.reconcile_at is not null
  ) as "isInDoubt",
  (
    select coalesce(json_agg(d.closed_at order by d.closed_at desc), '[]') from (
      select a.closed_at from payment_attempts a
      where a.payment_link_id = l.id
        and (a.status = 'failed' or a.status = 'cancelled' and a.processor_reference is not null)
      order by a.closed_at desc limit ${MAX_DECLINES}
    ) as d
  ) as "declinedAt"`;

/** Returns the condition for attempts of the link that are in doubt. */
export function inDoubtFilter({ id }: Pick<PaymentLink, 'id'>) {
  return { paymentLinkId: id, closedAt: { $ne: null }, reconcileAt: { $ne: null } };
}

/** Returns `payable`, or why a live link cannot be paid now. The link may change after it was read: `beginAttempt` compares the version. */
export function checkPayability(
  processor: Processor,
  link: Pick<PaymentLink, 'status' | 'openAttemptId' | 'expiresAt'>,
  practice: Pick<Practice, 'id' | 'paymentsEnabled' | 'processorAccountId'>,
  formerAttempts: FormerAttempts,
  now: Date,
): Payability {
  if (statusAt(link, now) !== 'active') return 'closed';
  if (link.openAttemptId !== null || formerAttempts.isInDoubt) return 'under_way';
  if (!practice.paymentsEnabled || findAccount(processor, practice) === null) return 'unavailable';
  return throttledUntil(formerAttempts, now) === null ? 'payable' : 'throttled';
}

/** Returns the practice's account at the processor; null before onboarding. */
export function findAccount(
  processor: Processor,
  practice: Pick<Practice, 'id' | 'processorAccountId'>,
): Account | null {
  if (practice.processorAccountId !== null) return { id: practice.processorAccountId };
  return processor.accounts.implied(practice.id);
}

export function listMethods(practice: Pick<Practice, 'bankDebitsEnabled'>): readonly MethodType[] {
  return practice.bankDebitsEnabled ? ['card', 'us_bank_account'] : ['card'];
}

/** Returns the end of throttling, or null. The fifth decline within 15 minutes throttles the link for 15 minutes. */
export function throttledUntil({ declinedAt }: FormerAttempts, now: Date): Date | null {
  const [latestDecline, fifthDecline] = [declinedAt[0], declinedAt[MAX_DECLINES - 1]];
  if (latestDecline === undefined || fifthDecline === undefined) return null;
  const latestMs = Date.parse(latestDecline);
  const until = new Date(latestMs + THROTTLE_MS);
  return latestMs - Date.parse(fifthDecline) <= THROTTLE_MS && now < until ? until : null;
}
