import type { Scope } from '../../base/scope.ts';
import { fresh } from '../../base/scope.ts';
import { transition } from '../../base/state-machine.ts';
import { inTransaction } from '../../database/query/transaction.ts';
import { type Account, type PaymentSnapshot, type PaymentState, reasonOf } from '../../processors/processor.ts';
import { queuePaymentMail } from '../admin-mail/queue.ts';
import { changeLocked } from '../link/change.ts';
import {
  type Decision,
  debitReturned,
  debitSettled,
  debitSubmitted,
  feeOf,
  followedBy,
  type LinkState,
  type PaymentMethod,
  paidByCard,
} from '../link/decide.ts';
import type { PaymentAttempt } from '../model/payment-attempt.entity.ts';
import { Refund } from '../model/refund.entity.ts';
import type { Transaction } from '../model/transaction.entity.ts';
import { ATTEMPT, LINK } from '../model/transitions.ts';
import { closeAttempt, type LockedAttempt, lockAttempt } from './locked-attempt.ts';

/*
 * The one code path that applies a processor's payment to our rows. Snapshots may arrive in any order and repeatedly,
 * from any caller. Rows move forward only, by their tables, under the lock of the link. An event is published exactly
 * when a row moves.
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

/** States that a payment never leaves at the processor, apart from refunds and disputes. */
const FINAL: ReadonlySet<PaymentState> = new Set(['succeeded', 'failed', 'cancelled']);

/**
 * Applies the snapshot of a payment to our attempt, link and transaction, in a database transaction of its own. A
 * payment with another account, amount, currency or reference than requested is refused and reported. The practice
 * decides about its money.
 *
 * @returns the attempt after the change; null for a payment that names no attempt of ours
 * @throws AttemptNotFound for an unknown attempt
 */
export async function applyPayment(
  scope: Scope,
  account: Account,
  snapshot: PaymentSnapshot,
): Promise<PaymentAttempt | null> {
  const { attemptId } = snapshot;
  if (attemptId === null) return null;
  return inTransaction(fresh(scope), async (scope) => {
    const locked = await lockAttempt(scope, attemptId);
    const mismatch = mismatchOf(locked, account, snapshot);
    if (mismatch !== 'account' && mismatch !== 'reference') endDoubt(locked, snapshot);
    if (mismatch !== null) {
      await refuse(scope, locked, snapshot, mismatch);
      // Account and reference are ours, and the state is final: the attempt must not block its link for ever.
      if ((mismatch === 'amount' || mismatch === 'currency') && FINAL.has(snapshot.state))
        closeAttempt(scope, locked, 'cancel');
      return locked.attempt;
    }
    locked.attempt.processorReference ??= snapshot.reference;
    const transaction = await apply(scope, locked, snapshot);
    // `pay` has set the time of a new transaction.
    if (transaction !== null && locked.transaction !== null)
      transaction.reconcileAt = reconcileAt(scope, transaction, await hasPendingRefund(scope, transaction));
    return locked.attempt;
  });
}

/** Ends the questions about an abandoned payment attempt once the processor has reported a final state. */
function endDoubt({ attempt }: LockedAttempt, { state }: PaymentSnapshot): void {
  if (attempt.closedAt !== null && FINAL.has(state)) attempt.reconcileAt = null;
}

/** Reports a mismatch. The practice must refund money in its own account that we do not count. */
async function refuse(
  scope: Scope,
  { attempt, link }: LockedAttempt,
  snapshot: PaymentSnapshot,
  mismatch: Mismatch,
): Promise<void> {
  const { reference, state, amountCents } = snapshot;
  const fields = { attemptId: attempt.id, paymentLinkId: link.id, mismatch, reference, state, amountCents };
  scope.log.error(fields, 'payment refused: account, amount, currency or reference differ from the attempt');
  if (mismatch === 'account' || (state !== 'succeeded' && state !== 'processing')) return;
  await queuePaymentMail(scope, link, { kind: 'payment_refused', subjectId: attempt.id, amountCents });
}

type Mismatch = 'account' | 'amount' | 'currency' | 'reference';

/** Returns the first property of the payment that differs from the attempt, or null. */
function mismatchOf(
  { attempt, link, transaction }: LockedAttempt,
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

/** Moves attempt, link and transaction to the snapshot's state. @returns the transaction, or null if there is none */
async function apply(scope: Scope, locked: LockedAttempt, snapshot: PaymentSnapshot): Promise<Transaction | null> {
  const { attempt, transaction } = locked;
  switch (snapshot.state) {
    case 'created':
    case 'declined':
      return transaction;
    case 'requires_action':
      attempt.status = transition(ATTEMPT, attempt.status, 'wait') ?? attempt.status;
      return transaction;
    case 'processing':
      return (
        transaction ??
        ((await accept(scope, locked)) ? writeDecision(scope, locked, debitOf(scope, locked, snapshot)) : null)
      );
    case 'succeeded':
      return succeed(scope, locked, snapshot);
    case 'failed':
    case 'cancelled':
      return fail(scope, locked, snapshot);
    default:
      snapshot.state satisfies never;
      throw new Error('a snapshot has a state that the payment tables do not know');
  }
}

async function succeed(scope: Scope, locked: LockedAttempt, snapshot: PaymentSnapshot): Promise<Transaction | null> {
  const { transaction } = locked;
  const { feeCents, statementDescriptor } = snapshot;
  const now = scope.clock.now();
  const settled = (state: LinkState) => debitSettled(state, feeCents, now);
  if (transaction === null) {
    if (!(await accept(scope, locked))) return null;
    const method = methodOf(locked, snapshot);
    if (method.type === 'card') return writeDecision(scope, locked, (state) => paidByCard(state, method, 'real', now));
    // The debit may settle before we know of it. Both events are published, in their order.
    const submitted = debitOf(scope, locked, snapshot);
    return writeDecision(scope, locked, (state) => followedBy(submitted(state), settled));
  }
  transaction.statementDescriptor ??= statementDescriptor;
  switch (transaction.status) {
    case 'pending':
      return writeDecision(scope, locked, settled);
    case 'failed':
      await reportContradiction(scope, locked, snapshot);
      return transaction;
    case 'succeeded':
    case 'refunded':
      return Object.assign(transaction, feeOf(transaction, feeCents));
    default:
      transaction.status satisfies never;
      throw new Error('a transaction has a status that the payment tables do not know');
  }
}

async function fail(scope: Scope, locked: LockedAttempt, snapshot: PaymentSnapshot): Promise<Transaction | null> {
  const { attempt, transaction } = locked;
  const reason = reasonOf(snapshot.failureReason, snapshot.state === 'cancelled' ? 'cancelled' : 'declined');
  // A closed attempt stays closed: no money was taken that could reopen it.
  const wasUnderWay = snapshot.wasProcessing && transition(ATTEMPT, attempt.status, 'accept') !== null;
  const returned = (state: LinkState) => debitReturned(state, reason);
  if (transaction === null && !wasUnderWay) {
    closeAttempt(scope, locked, snapshot.state === 'failed' ? 'fail' : 'cancel');
    if (attempt.status === 'failed') attempt.failureReason ??= reason;
    return null;
  }
  if (transaction === null) {
    if (!(await accept(scope, locked))) return null;
    const submitted = debitOf(scope, locked, snapshot);
    return writeDecision(scope, locked, (state) => followedBy(submitted(state), returned));
  }
  if (transaction.status === 'pending') return writeDecision(scope, locked, returned);
  if (transaction.status !== 'failed') await reportContradiction(scope, locked, snapshot);
  return transaction;
}

/** Writes a decision about the payment and returns its transaction. A new transaction has no refunds yet. */
async function writeDecision(
  scope: Scope,
  { link }: LockedAttempt,
  decide: (state: LinkState) => Decision,
): Promise<Transaction | null> {
  const decideWithLook = (before: LinkState): Decision => {
    const decision = decide(before);
    const { transaction } = decision.state;
    if (before.transaction !== null || transaction === null) return decision;
    const looked = { ...transaction, reconcileAt: reconcileAt(scope, transaction, false) };
    return { ...decision, state: { ...decision.state, transaction: looked } };
  };
  return (await changeLocked(scope, link, decideWithLook)).transaction;
}

/** Returns the decision that the payment is a submitted debit. */
function debitOf({ clock }: Scope, locked: LockedAttempt, snapshot: PaymentSnapshot): (state: LinkState) => Decision {
  return (state) => debitSubmitted(state, methodOf(locked, snapshot), 'real', clock.now());
}

/**
 * Closes the attempt as accepted.
 *
 * @returns false if the attempt was accepted before, or if another attempt has paid the link. Then the link does not
 *   change. The practice must refund a second payment.
 */
async function accept(scope: Scope, locked: LockedAttempt): Promise<boolean> {
  const { link, attempt } = locked;
  const fields = { attemptId: attempt.id, paymentLinkId: link.id, linkStatus: link.status };
  const { id: subjectId, amountCents } = attempt;
  const wasOpen = transition(ATTEMPT, attempt.status, 'accept') !== null;
  if (!closeAttempt(scope, locked, wasOpen ? 'accept' : 'accept_late')) return false;
  attempt.failureReason = null;
  if (transition(LINK, link.status, 'pay') === null && transition(LINK, link.status, 'pay_late') === null) {
    scope.log.error(fields, 'a link was paid twice: refund the second payment at the processor');
    await queuePaymentMail(scope, link, { kind: 'paid_twice', subjectId, amountCents });
    return false;
  }
  if (link.status !== 'active' || !wasOpen) {
    scope.log.error(fields, 'money came after the attempt or link was closed');
    await queuePaymentMail(scope, link, { kind: 'paid_late', subjectId, amountCents });
  }
  return true;
}

/** Reports that the processor contradicts a final state. Rows stay unchanged; the practice must compare both. */
async function reportContradiction(
  scope: Scope,
  { link, attempt, transaction }: LockedAttempt,
  { state }: PaymentSnapshot,
): Promise<void> {
  const fields = { attemptId: attempt.id, paymentLinkId: link.id, transactionStatus: transaction?.status, state };
  scope.log.error(fields, 'the processor contradicts a final state');
  const { id: subjectId, amountCents } = attempt;
  await queuePaymentMail(scope, link, { kind: 'contradiction', subjectId, amountCents });
}

function methodOf(
  { attempt }: LockedAttempt,
  { method, feeCents, statementDescriptor }: PaymentSnapshot,
): PaymentMethod {
  const type = method?.type ?? attempt.methodType;
  const { brand = null, last4 = null } = method ?? {};
  return { type, brand, last4, feeCents, statementDescriptor, attemptId: attempt.id };
}

/** Returns the time at which `reconcile_transactions` asks the processor again; null if nothing can change any more. */
function reconcileAt(
  { clock }: Scope,
  { status, feeCents, createdAt }: Pick<Transaction, 'status' | 'feeCents' | 'createdAt'>,
  awaitsRefund: boolean,
): Date | null {
  const nowMs = clock.now().getTime();
  if (status === 'pending') return new Date(nowMs + DEBIT_RECONCILE_MS);
  if (status === 'failed') return null;
  const ageMs = nowMs - createdAt.getTime();
  const awaitsFee = feeCents === null && ageMs < FEE_WAIT_MS;
  if (awaitsFee || awaitsRefund) return new Date(nowMs + SHORT_RECONCILE_MS);
  return ageMs < FOLLOW_UP_WINDOW_MS ? new Date(nowMs + Math.min(Math.max(ageMs, DAY_MS), LONGEST_RECONCILE_MS)) : null;
}

async function hasPendingRefund(scope: Scope, { id }: Transaction): Promise<boolean> {
  return (await scope.em.count(Refund, { transactionId: id, status: 'pending' })) > 0;
}
