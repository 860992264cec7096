import type { TransactionState } from '../state/state.ts';

/* Times of the next question to the processor about a payment. */

/** Time until the processor is asked again about a pending debit, which takes days. */
const DEBIT_RECONCILE_MS = 6 * 3_600_000;

/** Time until the processor is asked again about a fee or a refund. */
const SHORT_RECONCILE_MS = 3_600_000;

const DAY_MS = 86_400_000;

/** Age at which the service stops asking for a fee that the processor has not reported. */
const FEE_WAIT_MS = 7 * DAY_MS;

/**
 * Follow-up window of a settled payment: the time in which banks usually accept disputes. In it, `reconcile_transactions` finds
 * disputes and refunds whose notification was lost.
 */
const FOLLOW_UP_WINDOW_MS = 120 * DAY_MS;

/**
 * Longest time between two questions about a settled payment. The time is the payment's age, but at least a day. It is at most a
 * week, so that evidence in a dispute can still be sent. That makes about twenty questions per payment.
 */
const LONGEST_RECONCILE_MS = 7 * DAY_MS;

/**
 * Returns the time at which `reconcile_transactions` asks the processor again; null if nothing can change any more. An earlier
 * time that a refund without an answer has set stays.
 */
export function reconcileAt(
  { status, feeCents, createdAt, reconcileAt: before }: TransactionState,
  awaitsRefund: boolean,
  now: Date,
): Date | null {
  const nowMs = now.getTime();
  if (status === 'pending') return new Date(nowMs + DEBIT_RECONCILE_MS);
  if (status === 'failed') return null;
  const ageMs = nowMs - createdAt.getTime();
  const awaitsFee = feeCents === null && ageMs < FEE_WAIT_MS;
  const soon = new Date(nowMs + SHORT_RECONCILE_MS);
  if (awaitsRefund && before !== null && before < soon) return before;
  if (awaitsFee || awaitsRefund) return soon;
  return ageMs < FOLLOW_UP_WINDOW_MS ? new Date(nowMs + Math.min(Math.max(ageMs, DAY_MS), LONGEST_RECONCILE_MS)) : null;
}
