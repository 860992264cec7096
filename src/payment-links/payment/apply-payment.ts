import type { Scope } from '../../base/scope.ts';
import { fresh } from '../../base/scope.ts';
import { transition } from '../../base/state-machine.ts';
import { inTransaction } from '../../database/query/transaction.ts';
import { type Account, type PaymentSnapshot, type PaymentState, reasonOf } from '../../processors/processor.ts';
import { queuePaymentMail } from '../admin-mail/queue.ts';
import { changeLocked } from '../link/change.ts';
import { debitReturned, debitSettled, feeOf, followedBy } from '../link/decide.ts';
import type { Decision, LinkState } from '../link/state.ts';
import type { PaymentAttempt } from '../model/payment-attempt.entity.ts';
import { Refund } from '../model/refund.entity.ts';
import type { Transaction } from '../model/transaction.entity.ts';
import { ATTEMPT, LINK, type TransactionStatus } from '../model/transitions.ts';
import { closeAttempt, type LockedAttempt, lockAttempt } from './locked-attempt.ts';
import { debitOf, type Mismatch, mismatchOf, paidOf, reconcileAt, withReconciliation } from './payment-decision.ts';

/*
 * Applies a processor's payment to our rows, whatever it reports. `apply-answer.ts` is a shortcut for the usual answer to a
 * charge, and ends here in all other cases. Snapshots may arrive in any order and repeatedly, from any caller. Rows move
 * forward only, by their tables, under the lock of the link. An event is published exactly when a row moves.
 */

/** States that a payment never leaves at the processor, apart from refunds and disputes. */
const FINAL: ReadonlySet<PaymentState> = new Set(['succeeded', 'failed', 'cancelled']);

/** Outcome of a payment attempt. */
export type Outcome = 'accepted' | 'failed' | 'cancelled';

/** A payment attempt after a snapshot was applied. */
export interface AppliedPayment {
  attempt: PaymentAttempt;
  /** Outcome that the attempt got by the snapshot. Null if there is still none, or if it had this one before. */
  outcomeChange: Outcome | null;
  /** End of a debit that was pending before the snapshot. Null if it still is, or if there was no such debit. */
  debitChange: 'settled' | 'returned' | null;
}

/**
 * Applies the snapshot of a payment to our attempt, link and transaction, in a database transaction of its own. A
 * payment with another account, amount, currency or reference than requested is refused and reported. The practice
 * decides about its money.
 *
 * @returns null for a payment that names no attempt of ours
 * @throws AttemptNotFound for an unknown attempt
 */
export async function applyPayment(
  scope: Scope,
  account: Account,
  snapshot: PaymentSnapshot,
): Promise<AppliedPayment | null> {
  const { attemptId } = snapshot;
  if (attemptId === null) return null;
  return inTransaction(fresh(scope), async (scope) => {
    const locked = await lockAttempt(scope, attemptId);
    const before = { outcome: outcomeOf(locked.attempt), status: locked.transaction?.status };
    const applied = (transaction: Transaction | null): AppliedPayment => ({
      attempt: locked.attempt,
      outcomeChange: outcomeChange(before.outcome, outcomeOf(locked.attempt)),
      debitChange: debitChange(before.status, transaction?.status),
    });
    const mismatch = mismatchOf(locked, account, snapshot);
    if (mismatch !== 'account' && mismatch !== 'reference') endDoubt(locked, snapshot);
    if (mismatch !== null) {
      await refuse(scope, locked, snapshot, mismatch);
      // Account and reference are ours, and the state is final: the attempt must not block its link for ever.
      if ((mismatch === 'amount' || mismatch === 'currency') && FINAL.has(snapshot.state))
        closeAttempt(scope, locked, 'cancel');
      return applied(locked.transaction);
    }
    locked.attempt.processorReference ??= snapshot.reference;
    const transaction = await apply(scope, locked, snapshot);
    // `pay` has set the time of a new transaction.
    if (transaction !== null && locked.transaction !== null)
      transaction.reconcileAt = reconcileAt(scope.clock, transaction, await hasPendingRefund(scope, transaction));
    return applied(transaction);
  });
}

/** Returns the outcome of an attempt; null while the attempt is open or in doubt. */
export function outcomeOf({ status, closedAt, reconcileAt }: PaymentAttempt): Outcome | null {
  const isInDoubt = closedAt !== null && reconcileAt !== null;
  return status === 'open' || status === 'requires_action' || isInDoubt ? null : status;
}

function outcomeChange(before: Outcome | null, after: Outcome | null): AppliedPayment['outcomeChange'] {
  return after === before ? null : after;
}

function debitChange(
  before: TransactionStatus | undefined,
  after: TransactionStatus | undefined,
): AppliedPayment['debitChange'] {
  if (before !== 'pending' || after === 'pending') return null;
  return after === 'failed' ? 'returned' : 'settled';
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
        ((await accept(scope, locked))
          ? writeDecision(scope, locked, debitOf(scope.clock, locked.attempt, snapshot))
          : null)
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
  if (transaction === null) {
    if (!(await accept(scope, locked))) return null;
    return writeDecision(scope, locked, paidOf(scope.clock, locked.attempt, snapshot));
  }
  transaction.statementDescriptor ??= statementDescriptor;
  switch (transaction.status) {
    case 'pending':
      return writeDecision(scope, locked, (state) => debitSettled(state, feeCents, scope.clock.now()));
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
    const submitted = debitOf(scope.clock, locked.attempt, snapshot);
    return writeDecision(scope, locked, (state) => followedBy(submitted(state), returned));
  }
  if (transaction.status === 'pending') return writeDecision(scope, locked, returned);
  if (transaction.status !== 'failed') await reportContradiction(scope, locked, snapshot);
  return transaction;
}

/** Writes a decision about the payment and returns its transaction. */
async function writeDecision(
  scope: Scope,
  { link }: LockedAttempt,
  decide: (state: LinkState) => Decision,
): Promise<Transaction | null> {
  return (await changeLocked(scope, link, withReconciliation(scope.clock, decide))).transaction;
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

async function hasPendingRefund(scope: Scope, { id }: Transaction): Promise<boolean> {
  return (await scope.em.count(Refund, { transactionId: id, status: 'pending' })) > 0;
}
