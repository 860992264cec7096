import type { Clock } from '../../base/time/clock.ts';
import type { Account, PaymentSnapshot } from '../../processors/processor.ts';
import { debitSettled, debitSubmitted, followedBy, type PaymentMethod, paidByCard } from '../link/decide.ts';
import type { Decision, LinkState } from '../link/state.ts';
import type { PaymentAttempt } from '../model/payment-attempt.entity.ts';
import type { PaymentLink } from '../model/payment-link.entity.ts';
import type { Transaction } from '../model/transaction.entity.ts';

/*
 * Decisions about a payment, from a snapshot of the processor. They are pure. `apply-payment.ts` and `apply-answer.ts`
 * write what is decided.
 */

/** Time until the processor is asked again about a debit, which takes days. */
const DEBIT_RECONCILE_MS = 6 * 3_600_000;

/** Time until the processor is asked again about a fee or a refund. */
const SHORT_RECONCILE_MS = 3_600_000;

const DAY_MS = 86_400_000;

/** Age at which the service stops asking for a fee that the processor has not reported. */
const FEE_WAIT_MS = 7 * DAY_MS;

/**
 * Follow-up window of a settled payment: as long as banks usually accept disputes. The job `reconcile_transactions` finds
 * disputes and refunds whose notification was lost.
 */
const FOLLOW_UP_WINDOW_MS = 120 * DAY_MS;

/**
 * Longest time between two questions about a settled payment. The time is the payment's age, but at most a week, so that
 * evidence in a dispute can still be sent. That makes about twenty requests per payment.
 */
const LONGEST_RECONCILE_MS = 7 * DAY_MS;

/** Fields of an attempt that decide about its payment. They never change, apart from a reference that is still null. */
export type AttemptTerms = Pick<
  PaymentAttempt,
  'id' | 'processorAccountId' | 'processorReference' | 'methodType' | 'amountCents' | 'currency'
>;

/** Property of a payment that differs from its attempt. */
export type Mismatch = 'account' | 'amount' | 'currency' | 'reference';

/** Returns the first property of the payment that differs from the attempt, or null. */
export function mismatchOf(
  {
    attempt,
    link,
    transaction,
  }: {
    attempt: AttemptTerms;
    link: Pick<PaymentLink, 'amountCents'>;
    transaction: object | null;
  },
  account: Account,
  snapshot: PaymentSnapshot,
): Mismatch | null {
  const { processorReference: reference } = attempt;
  const isOther = reference !== null && reference !== snapshot.reference;
  const isNewMoney = transaction === null && (snapshot.state === 'succeeded' || snapshot.state === 'processing');
  if (attempt.processorAccountId !== account.id) return 'account';
  if (isOther) return 'reference';
  if (attempt.amountCents !== snapshot.amountCents) return 'amount';
  // The attempt was cancelled, and then the link's amount was changed.
  if (isNewMoney && attempt.amountCents !== link.amountCents) return 'amount';
  return attempt.currency === snapshot.currency ? null : 'currency';
}

/** Returns the decision that the link is paid, for a link without a transaction. A bank debit has two steps. */
export function paidOf(clock: Clock, attempt: AttemptTerms, snapshot: PaymentSnapshot): (state: LinkState) => Decision {
  const now = clock.now();
  const method = methodOf(attempt, snapshot);
  if (method.type === 'card') return (state) => paidByCard(state, method, 'real', now);
  // The debit may settle before we know of it. Both events are published, in their order.
  const submitted = debitOf(clock, attempt, snapshot);
  return (state) => followedBy(submitted(state), (state) => debitSettled(state, snapshot.feeCents, now));
}

/** Returns the decision that the payment is a submitted debit. */
export function debitOf(
  clock: Clock,
  attempt: AttemptTerms,
  snapshot: PaymentSnapshot,
): (state: LinkState) => Decision {
  return (state) => debitSubmitted(state, methodOf(attempt, snapshot), 'real', clock.now());
}

/** Returns the decision with the time of the next question to the processor, if it makes a transaction. */
export function withReconciliation(
  clock: Clock,
  decide: (state: LinkState) => Decision,
): (state: LinkState) => Decision {
  return (before) => {
    const decision = decide(before);
    const { transaction } = decision.state;
    if (before.transaction !== null || transaction === null) return decision;
    // A new transaction has no refunds yet.
    const asked = { ...transaction, reconcileAt: reconcileAt(clock, transaction, false) };
    return { ...decision, state: { ...decision.state, transaction: asked } };
  };
}

/**
 * Returns the time at which `reconcile_transactions` asks the processor again; null if nothing can change any more. A time that
 * a refund without an answer has set is not moved to a later one.
 */
export function reconcileAt(
  clock: Clock,
  {
    status,
    feeCents,
    createdAt,
    reconcileAt: before,
  }: Pick<Transaction, 'status' | 'feeCents' | 'createdAt' | 'reconcileAt'>,
  awaitsRefund: boolean,
): Date | null {
  const nowMs = clock.now().getTime();
  if (status === 'pending') return new Date(nowMs + DEBIT_RECONCILE_MS);
  if (status === 'failed') return null;
  const ageMs = nowMs - createdAt.getTime();
  const awaitsFee = feeCents === null && ageMs < FEE_WAIT_MS;
  const soon = new Date(nowMs + SHORT_RECONCILE_MS);
  if (awaitsRefund && before !== null && before < soon) return before;
  if (awaitsFee || awaitsRefund) return soon;
  return ageMs < FOLLOW_UP_WINDOW_MS ? new Date(nowMs + Math.min(Math.max(ageMs, DAY_MS), LONGEST_RECONCILE_MS)) : null;
}

function methodOf(attempt: AttemptTerms, { method, feeCents, statementDescriptor }: PaymentSnapshot): PaymentMethod {
  const type = method?.type ?? attempt.methodType;
  const { brand = null, last4 = null } = method ?? {};
  return { type, brand, last4, feeCents, statementDescriptor, attemptId: attempt.id };
}
