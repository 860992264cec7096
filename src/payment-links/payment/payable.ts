import type { Scope } from '../../base/scope.ts';
import type { Practice } from '../../practices/practice.entity.ts';
import type { Account, MethodType, Processor } from '../../processors/processor.ts';
import { statusAt } from '../model/overdue.ts';
import { PaymentAttempt } from '../model/payment-attempt.entity.ts';
import type { PaymentLink } from '../model/payment-link.entity.ts';

/** Protection against card testing: this many declined or cancelled attempts within `THROTTLE_MS` throttle the link. */
const MAX_DECLINES = 5;

/** Time in which declines are counted, and for which they throttle the link. */
const THROTTLE_MS = 15 * 60_000;

/** Payable, or the reason why a link cannot be paid now. */
export type Payability = 'payable' | 'closed' | 'under_way' | 'unavailable' | 'throttled';

/** Returns `payable`, or the reason why a live link cannot be paid. The result is exact only under the link's lock. */
export async function payabilityOf(
  scope: Scope,
  processor: Processor,
  link: PaymentLink,
  practice: Practice,
): Promise<Payability> {
  if (statusAt(link, scope.clock.now()) !== 'active') return 'closed';
  if (link.openAttemptId !== null || (await isInDoubt(scope, link))) return 'under_way';
  if (!practice.paymentsEnabled || accountOf(processor, practice) === null) return 'unavailable';
  return (await throttledUntil(scope, link)) === null ? 'payable' : 'throttled';
}

/** Conditions under which a live link can be paid now. */
export interface PaymentTerms {
  payability: Payability;
  /** Null before onboarding. */
  account: Account | null;
  methods: readonly MethodType[];
}

/** Returns the conditions of a payment. They are exact only under the link's lock. */
export async function paymentTerms(
  scope: Scope,
  processor: Processor,
  link: PaymentLink,
  practice: Practice,
): Promise<PaymentTerms> {
  const payability = await payabilityOf(scope, processor, link, practice);
  return { payability, account: accountOf(processor, practice), methods: methodsOf(practice) };
}

/** Returns true if an attempt was abandoned and its outcome is unknown: money may have been taken. */
export async function isInDoubt(scope: Scope, link: PaymentLink): Promise<boolean> {
  return (await scope.em.count(PaymentAttempt, inDoubt(link))) > 0;
}

/** Returns the condition for abandoned attempts of the link whose outcome is unknown. */
export function inDoubt({ id }: PaymentLink) {
  return { paymentLinkId: id, closedAt: { $ne: null }, reconcileAt: { $ne: null } };
}

/** Returns the practice's account at the processor; null before onboarding. */
export function accountOf(processor: Processor, practice: Practice): Account | null {
  if (practice.processorAccountId !== null) return { id: practice.processorAccountId };
  return processor.accounts.implied(practice.id);
}

/** Returns the payment methods that patients of the practice can use. */
export function methodsOf(practice: Practice): readonly MethodType[] {
  return practice.bankDebitsEnabled ? ['card', 'us_bank_account'] : ['card'];
}

/**
 * Returns the end of throttling, or null. The fifth decline within 15 minutes throttles the link for 15 minutes. A
 * cancelled attempt counts, too: a bank's question reveals that a card is valid. An attempt that the processor never
 * began does not count, because it reveals nothing.
 */
export async function throttledUntil(scope: Scope, link: PaymentLink): Promise<Date | null> {
  const declines = await scope.em.find(
    PaymentAttempt,
    {
      paymentLinkId: link.id,
      $or: [{ status: 'failed' }, { status: 'cancelled', processorReference: { $ne: null } }],
    },
    { orderBy: { closedAt: 'desc' }, limit: MAX_DECLINES, fields: ['closedAt'] },
  );
  const latest = declines[0]?.closedAt ?? null;
  const fifth = declines[MAX_DECLINES - 1]?.closedAt ?? null;
  if (latest === null || fifth === null) return null;
  const until = new Date(latest.getTime() + THROTTLE_MS);
  return latest.getTime() - fifth.getTime() <= THROTTLE_MS && scope.clock.now() < until ? until : null;
}
