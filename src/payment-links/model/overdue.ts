import type { PaymentLink } from './payment-link.entity.ts';
import type { LinkStatus } from './transitions.ts';

/*
 * The rule of overdue links, in the three languages that need it. An active link that has reached its `expiresAt` counts as expired, unless
 * a payment attempt is open. `test/payment-links/rules-in-sql.property.test.ts` compares the three.
 */

/** Returns the visible status at a time: an overdue link counts as expired. */
export function statusAt(
  { status, openAttemptId, expiresAt }: Pick<PaymentLink, 'status' | 'openAttemptId' | 'expiresAt'>,
  now: Date,
): LinkStatus {
  return status === 'active' && openAttemptId === null && expiresAt <= now ? 'expired' : status;
}

/** Returns the condition of overdue links for MikroORM. */
export function overdueAt(now: Date) {
  return { status: 'active' as const, openAttemptId: null, expiresAt: { $lte: now } };
}

/** Returns the conditions of overdue links on `payment_links`, all of which must hold at the time `now`, such as `$1`. */
export function overdueSql(now: string): string[] {
  return [`status = 'active'`, 'open_attempt_id is null', `expires_at <= ${now}`];
}
