import type { Scope } from '../../base/scope.ts';
import type { Practice } from '../../practices/practice.entity.ts';
import type { Account, MethodType, Processor } from '../../processors/processor.ts';
import { PaymentAttempt } from '../model/payment-attempt.entity.ts';
import { type PaymentLink, statusAt } from '../model/payment-link.entity.ts';

/** Against card testing: so many declines, or payments given up, within the window, and the link is throttled as long. */
const MAX_DECLINES = 5;
const THROTTLE_MS = 15 * 60_000;

/** Why a link can't be paid right now, or that it can. */
export type Payability = 'payable' | 'closed' | 'under_way' | 'unavailable' | 'throttled';

/** Whether a live link can be paid; exact only under the link's lock. */
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

/** Whether an attempt was given up and it is not known yet what became of it: money may have been taken. */
export async function isInDoubt(scope: Scope, link: PaymentLink): Promise<boolean> {
  return (await scope.em.count(PaymentAttempt, inDoubt(link))) > 0;
}

/** The attempts of which that is so. */
export function inDoubt({ id }: PaymentLink) {
  return { paymentLinkId: id, closedAt: { $ne: null }, reconcileAt: { $ne: null } };
}

/** The practice's account at the processor; null before its onboarding. */
export function accountOf(processor: Processor, practice: Practice): Account | null {
  if (practice.processorAccountId !== null) return { id: practice.processorAccountId };
  return processor.accounts.implied(practice.id);
}

/** What patients of the practice can pay with. */
export function methodsOf(practice: Practice): readonly MethodType[] {
  return practice.bankDebitsEnabled ? ['card', 'us_bank_account'] : ['card'];
}

/**
 * Until when the link takes no payment, or null: from the fifth decline within 15 minutes on, for 15 minutes. A payment
 * that was given up counts as well: the bank's question tells whether a card is good. One that the processor never began
 * tells nothing.
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
