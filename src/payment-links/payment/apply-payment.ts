import type { Scope } from '../../base/scope.ts';
import { fresh } from '../../base/scope.ts';
import { transition } from '../../base/state-machine.ts';
import { inTransaction } from '../../database/query/transaction.ts';
import { type Account, type PaymentSnapshot, type PaymentState, reasonOf } from '../../processors/processor.ts';
import { queueAdminMail } from '../admin-mail/queue.ts';
import {
  type PaymentMethod,
  payByCard,
  recordFee,
  recordStatementDescriptor,
  returnDebit,
  settleDebit,
  submitDebit,
} from '../link/lifecycle.ts';
import type { PaymentAttempt } from '../model/payment-attempt.entity.ts';
import { Refund } from '../model/refund.entity.ts';
import { Transaction } from '../model/transaction.entity.ts';
import { ATTEMPT, LINK } from '../model/transitions.ts';
import { closeAttempt, type LockedAttempt, lockAttempt } from './locked-attempt.ts';

/*
 * The one way in which a payment at the processor becomes ours. It doesn't matter who asked the processor, in which
 * order the answers arrive, or how often: rows only move forward, by their tables, under the lock of the link, and an
 * event is published exactly when a row moves.
 */

/** How long the processor is not asked again of itself: about a debit, which takes days; about a fee or a refund. */
const DEBIT_LOOK_MS = 6 * 3_600_000;
const SHORT_LOOK_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** After a week a fee that was never told won't be. */
const FEE_WAIT_MS = 7 * DAY_MS;
/**
 * How long a settled payment is looked at, in case that the message of a dispute, or of a refund made at the processor,
 * was lost: as long as banks usually take disputes. After as many days as it is old, a week at most, so that evidence can
 * still be sent; some twenty looks in all.
 */
const FOLLOW_UP_WINDOW_MS = 120 * DAY_MS;
const LONGEST_LOOK_MS = 7 * DAY_MS;

/** What a payment stays at the processor, but for refunds and disputes. */
const FINAL: ReadonlySet<PaymentState> = new Set(['succeeded', 'failed', 'cancelled']);

/**
 * Merges what a payment is at the processor into our attempt, link and transaction, in a transaction of its own. A
 * payment that differs from what was asked for (account, amount, currency, reference) is refused and reported; its money,
 * if there is any, is for a person to see to.
 *
 * @returns the attempt as it is now; null for a payment that is none of ours
 * @throws AttemptNotFound for an attempt that we don't know
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
      // Ours by account and reference, and nothing more will come of it: it must not keep the link for ever.
      if ((mismatch === 'amount' || mismatch === 'currency') && FINAL.has(snapshot.state))
        closeAttempt(scope, locked, 'cancel');
      return locked.attempt;
    }
    locked.attempt.processorReference ??= snapshot.reference;
    const transaction = await apply(scope, locked, snapshot);
    if (transaction !== null) transaction.reconcileAt = await nextLook(scope, transaction);
    return locked.attempt;
  });
}

/** The processor has told how it ended: the sweep need not ask on about an attempt that was given up. */
function endDoubt({ attempt }: LockedAttempt, { state }: PaymentSnapshot): void {
  if (attempt.closedAt !== null && FINAL.has(state)) attempt.reconcileAt = null;
}

/** Reports what doesn't fit. Money in the practice's own account that we don't count is the practice's to give back. */
async function refuse(
  scope: Scope,
  { attempt, link }: LockedAttempt,
  snapshot: PaymentSnapshot,
  mismatch: Mismatch,
): Promise<void> {
  const { reference, state, amountCents } = snapshot;
  const fields = { attemptId: attempt.id, paymentLinkId: link.id, mismatch, reference, state, amountCents };
  scope.log.error(fields, 'payment refused: it is not what was asked for');
  if (mismatch === 'account' || (state !== 'succeeded' && state !== 'processing')) return;
  await queueAdminMail(scope, link, { kind: 'payment_refused', subjectId: attempt.id, amountCents });
}

type Mismatch = 'account' | 'amount' | 'currency' | 'reference';

/** What of the payment is not as it was asked for, or null. */
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
  // Of an attempt that was called off, after which the link's amount was changed.
  if (isNewMoney && attempt.amountCents !== link.amountCents) return 'amount';
  return attempt.currency === snapshot.currency ? null : 'currency';
}

/** Moves what there is to move. @returns the transaction, if there is one by now */
async function apply(scope: Scope, locked: LockedAttempt, snapshot: PaymentSnapshot): Promise<Transaction | null> {
  const { link, attempt, transaction } = locked;
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
        ((await accept(scope, locked)) ? submitDebit(scope, link, methodOf(locked, snapshot), 'real') : null)
      );
    case 'succeeded':
      return succeed(scope, locked, snapshot);
    case 'failed':
    case 'cancelled':
      return fail(scope, locked, snapshot);
  }
}

async function succeed(scope: Scope, locked: LockedAttempt, snapshot: PaymentSnapshot): Promise<Transaction | null> {
  const { link, attempt } = locked;
  const method = methodOf(locked, snapshot);
  if (locked.transaction === null) {
    if (!(await accept(scope, locked))) return null;
    if (method.type === 'card') {
      await payByCard(scope, link, method, 'real');
      return scope.em.findOneOrFail(Transaction, { attemptId: attempt.id });
    }
  }
  // A debit that settled before we heard of it was under way all the same: both events, in their order.
  const transaction = locked.transaction ?? (await submitDebit(scope, link, method, 'real'));
  recordStatementDescriptor(transaction, snapshot.statementDescriptor);
  if (transaction.status === 'pending') await settleDebit(scope, link, transaction, snapshot.feeCents, 'real');
  else if (transaction.status === 'failed') await contradict(scope, locked, snapshot);
  else recordFee(transaction, snapshot.feeCents);
  return transaction;
}

async function fail(scope: Scope, locked: LockedAttempt, snapshot: PaymentSnapshot): Promise<Transaction | null> {
  const { link, attempt } = locked;
  const reason = reasonOf(snapshot.failureReason, snapshot.state === 'cancelled' ? 'cancelled' : 'declined');
  // What we were told is refused stays so: no money was taken that could win over it.
  const wasUnderWay = snapshot.wasProcessing && transition(ATTEMPT, attempt.status, 'accept') !== null;
  if (locked.transaction === null && !wasUnderWay) {
    closeAttempt(scope, locked, snapshot.state === 'failed' ? 'fail' : 'cancel');
    if (attempt.status === 'failed') attempt.failureReason ??= reason;
    return null;
  }
  if (locked.transaction === null && !(await accept(scope, locked))) return null;
  const transaction = locked.transaction ?? (await submitDebit(scope, link, methodOf(locked, snapshot), 'real'));
  if (transaction.status === 'pending') await returnDebit(scope, link, transaction, reason, 'real');
  else if (transaction.status !== 'failed') await contradict(scope, locked, snapshot);
  return transaction;
}

/**
 * The money counts: closes the attempt as accepted. False when the link has been paid by another attempt already: then
 * there is nothing to move, and the operator has money to give back.
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
    await queueAdminMail(scope, link, { kind: 'paid_twice', subjectId, amountCents });
    return false;
  }
  if (link.status !== 'active' || !wasOpen) {
    scope.log.error(fields, 'money came after the attempt or link was closed');
    await queueAdminMail(scope, link, { kind: 'paid_late', subjectId, amountCents });
  }
  return true;
}

/** The processor takes back what it had called final. Rows stay as they are; somebody must look. */
async function contradict(
  scope: Scope,
  { link, attempt, transaction }: LockedAttempt,
  { state }: PaymentSnapshot,
): Promise<void> {
  const fields = { attemptId: attempt.id, paymentLinkId: link.id, transactionStatus: transaction?.status, state };
  scope.log.error(fields, 'the processor contradicts a final state');
  const { id: subjectId, amountCents } = attempt;
  await queueAdminMail(scope, link, { kind: 'contradiction', subjectId, amountCents });
}

function methodOf(
  { attempt }: LockedAttempt,
  { method, feeCents, statementDescriptor }: PaymentSnapshot,
): PaymentMethod {
  const type = method?.type ?? attempt.methodType;
  const { brand = null, last4 = null } = method ?? {};
  return { type, brand, last4, feeCents, statementDescriptor, attemptId: attempt.id };
}

/** When the processor is asked again of itself, should it never tell; null when there is nothing left to learn. */
async function nextLook(scope: Scope, { id, status, feeCents, createdAt }: Transaction): Promise<Date | null> {
  const nowMs = scope.clock.now().getTime();
  if (status === 'pending') return new Date(nowMs + DEBIT_LOOK_MS);
  if (status === 'failed') return null;
  const ageMs = nowMs - createdAt.getTime();
  const awaitsFee = feeCents === null && ageMs < FEE_WAIT_MS;
  const awaitsRefund = (await scope.em.count(Refund, { transactionId: id, status: 'pending' })) > 0;
  if (awaitsFee || awaitsRefund) return new Date(nowMs + SHORT_LOOK_MS);
  return ageMs < FOLLOW_UP_WINDOW_MS ? new Date(nowMs + Math.min(Math.max(ageMs, DAY_MS), LONGEST_LOOK_MS)) : null;
}
