import { transition } from '../../base/state-machine.ts';
import { type Account, type PaymentSnapshot, type PaymentState, reasonOf } from '../../processors/processor.ts';
import {
  alarmed,
  debitReturned,
  debitSettled,
  debitSubmitted,
  feeOf,
  followedBy,
  logged,
  type PaymentMethod,
  paidByCard,
  unchanged,
} from '../link/decide.ts';
import type { AttemptState, Decision, LinkState } from '../link/state.ts';
import { ATTEMPT, LINK } from '../model/transitions.ts';
import { attemptClosed, attemptOf, transactionOf, withAttempt } from './attempt-decision.ts';
import { reconcileAt } from './reconcile-at.ts';

/*
 * The decision about each payment that a processor reports. Snapshots may arrive in any order and repeatedly. Rows move
 * forward only, by their transition tables. An event is published exactly when a row moves.
 */

/** States that a payment never leaves at the processor, apart from refunds and disputes. */
const FINAL: ReadonlySet<PaymentState> = new Set(['succeeded', 'failed', 'cancelled']);

/** Property of a payment that differs from its attempt. */
type Mismatch = 'account' | 'amount' | 'currency' | 'reference';

/** A snapshot, its attempt and the present time. */
interface Reported {
  attemptId: string;
  snapshot: PaymentSnapshot;
  now: Date;
}

/**
 * Applies the snapshot of a payment to its attempt, link and transaction. A payment whose account, amount, currency or reference
 * differs from the attempt is refused and reported. The practice decides about its money.
 */
export function paymentReported(
  state: LinkState,
  attemptId: string,
  account: Account,
  snapshot: PaymentSnapshot,
  now: Date,
): Decision {
  const reported = { attemptId, snapshot, now };
  const attempt = attemptOf(state, attemptId);
  const mismatch = mismatchOf(state, attempt, account, snapshot);
  const isOurs = mismatch !== 'account' && mismatch !== 'reference';
  const isFinal = FINAL.has(snapshot.state);
  // A debit of a closed attempt is refused for good while it is under way: later, the link may have its amount again.
  const isLateMoney = isMoney(snapshot) && attempt.closedAt !== null;
  // After a final state, `reconcile_attempts` need not ask about an abandoned attempt any more.
  const known = isOurs && isFinal && attempt.closedAt !== null ? { ...attempt, reconcileAt: null } : attempt;
  const first = unchanged(withAttempt(state, known));
  if (mismatch !== null) {
    return followedBy(
      first,
      (state) => refused(state, reported, mismatch),
      // The attempt must not block its link for ever. A pending debit is refused, too, even if the link's amount changes back later.
      (state) => (isOurs && (isFinal || isLateMoney) && closedAsRefused(state, reported)) || unchanged(state),
    );
  }
  const begun = withAttempt(state, { ...known, processorReference: known.processorReference ?? snapshot.reference });
  return followedBy(moved(begun, reported), (state) => unchanged(askedAgain(state, reported)));
}

/** Returns true if the payment has taken money, or a bank debit is under way. */
function isMoney({ state }: PaymentSnapshot): boolean {
  return state === 'succeeded' || state === 'processing';
}

/** Returns the first property of the payment that differs from the attempt, or null. */
function mismatchOf(
  state: LinkState,
  attempt: AttemptState,
  account: Account,
  snapshot: PaymentSnapshot,
): Mismatch | null {
  const { processorReference: reference } = attempt;
  const isOther = reference !== null && reference !== snapshot.reference;
  // An attempt that is accepted without a transaction was refused earlier, or is a second payment.
  const isNewMoney = isMoney(snapshot) && attempt.status !== 'accepted' && transactionOf(state, attempt) === null;
  if (attempt.processorAccountId !== account.id) return 'account';
  if (isOther) return 'reference';
  if (attempt.amountCents !== snapshot.amountCents) return 'amount';
  // The attempt was cancelled, and then the link's amount was changed.
  if (isNewMoney && attempt.amountCents !== state.link.amountCents) return 'amount';
  return attempt.currency === snapshot.currency ? null : 'currency';
}

/** Reports a mismatch. If money was taken, a mail asks the practice to refund it, because the service does not count it. */
function refused(state: LinkState, { attemptId, snapshot }: Reported, mismatch: Mismatch): Decision {
  const { reference, state: reported, amountCents } = snapshot;
  const fields = { attemptId, paymentLinkId: state.link.id, mismatch, reference, state: reported, amountCents };
  const message = 'payment refused: account, amount, currency or reference differ from the attempt';
  if (mismatch === 'account' || !isMoney(snapshot)) return logged(state, 'error', fields, message);
  return alarmed(state, fields, message, { kind: 'payment_refused', subjectId: attemptId, amountCents });
}

/**
 * Closes an attempt whose payment is refused. If the payment took the amount that the patient agreed to, the attempt is accepted
 * without a transaction. The practice refunds it, so it must not count, even if the link gets that amount again.
 */
function closedAsRefused(state: LinkState, { attemptId, snapshot, now }: Reported): Decision | null {
  const { status, amountCents, currency } = attemptOf(state, attemptId);
  const isTaken = isMoney(snapshot) && snapshot.amountCents === amountCents && snapshot.currency === currency;
  if (!isTaken) return attemptClosed(state, attemptId, 'cancel', now);
  const wasOpen = transition(ATTEMPT, status, 'accept') !== null;
  const closed = attemptClosed(state, attemptId, wasOpen ? 'accept' : 'accept_late', now);
  return closed && followedBy(closed, (state) => withoutReason(state, attemptId));
}

/** Moves attempt, link and transaction to the snapshot's state. */
function moved(state: LinkState, reported: Reported): Decision {
  const { attemptId, snapshot } = reported;
  const attempt = attemptOf(state, attemptId);
  switch (snapshot.state) {
    case 'created':
    case 'declined':
      return unchanged(state);
    case 'requires_action': {
      const status = transition(ATTEMPT, attempt.status, 'wait') ?? attempt.status;
      return unchanged(withAttempt(state, { ...attempt, status }));
    }
    case 'processing':
      return transactionOf(state, attempt) === null ? accepted(state, reported, submitted) : unchanged(state);
    case 'succeeded':
      return succeeded(state, reported);
    case 'failed':
    case 'cancelled':
      return failed(state, reported);
    default:
      snapshot.state satisfies never;
      throw new Error('a snapshot has a state that the payment tables do not know');
  }
}

function succeeded(state: LinkState, reported: Reported): Decision {
  const { attemptId, snapshot, now } = reported;
  const { feeCents, statementDescriptor } = snapshot;
  const before = transactionOf(state, attemptOf(state, attemptId));
  if (before === null) return accepted(state, reported, paid);
  const transaction = { ...before, statementDescriptor: before.statementDescriptor ?? statementDescriptor };
  const named = { ...state, transaction };
  switch (transaction.status) {
    case 'pending':
      return debitSettled(named, feeCents, now);
    case 'failed':
      return contradicted(named, reported);
    case 'succeeded':
    case 'refunded':
      return unchanged({ ...named, transaction: { ...transaction, ...feeOf(transaction, feeCents) } });
    default:
      transaction.status satisfies never;
      throw new Error('a transaction has a status that the payment tables do not know');
  }
}

function failed(state: LinkState, reported: Reported): Decision {
  const { attemptId, snapshot, now } = reported;
  const attempt = attemptOf(state, attemptId);
  const transaction = transactionOf(state, attempt);
  const reason = reasonOf(snapshot.failureReason, snapshot.state === 'cancelled' ? 'cancelled' : 'declined');
  // A closed attempt stays closed, because no money was taken.
  const wasUnderWay = snapshot.wasProcessing && transition(ATTEMPT, attempt.status, 'accept') !== null;
  if (transaction === null && wasUnderWay) {
    return accepted(state, reported, (state) =>
      followedBy(submitted(state, reported), (state) => debitReturned(state, reason)),
    );
  }
  if (transaction === null) {
    const isFailed = snapshot.state === 'failed';
    const closed = attemptClosed(state, attemptId, isFailed ? 'fail' : 'cancel', now) ?? unchanged(state);
    return followedBy(closed, (state) => unchanged(withReason(state, attemptId, reason)));
  }
  if (transaction.status === 'pending') return debitReturned(state, reason);
  return transaction.status === 'failed' ? unchanged(state) : contradicted(state, reported);
}

/** Clears the reason of an attempt that failed before it was accepted. */
function withoutReason(state: LinkState, attemptId: string): Decision {
  return unchanged(withAttempt(state, { ...attemptOf(state, attemptId), failureReason: null }));
}

/** Sets the reason of a failed attempt that has none. */
function withReason(state: LinkState, attemptId: string, reason: string): LinkState {
  const attempt = attemptOf(state, attemptId);
  if (attempt.status !== 'failed' || attempt.failureReason !== null) return state;
  return withAttempt(state, { ...attempt, failureReason: reason });
}

/**
 * Closes the attempt as accepted, and pays the link. Nothing changes if the attempt was accepted before. If another attempt
 * has paid the link, the practice must refund the second payment.
 */
function accepted(
  state: LinkState,
  reported: Reported,
  pay: (state: LinkState, reported: Reported) => Decision,
): Decision {
  const { attemptId, now } = reported;
  const before = attemptOf(state, attemptId);
  const { link } = state;
  const fields = { attemptId, paymentLinkId: link.id, linkStatus: link.status };
  const subject = { subjectId: attemptId, amountCents: before.amountCents };
  const wasOpen = transition(ATTEMPT, before.status, 'accept') !== null;
  const closed = attemptClosed(state, attemptId, wasOpen ? 'accept' : 'accept_late', now);
  if (closed === null) return unchanged(state);
  const recorded = followedBy(closed, (state) => withoutReason(state, attemptId));
  if (transition(LINK, link.status, 'pay') === null && transition(LINK, link.status, 'pay_late') === null) {
    const message = 'a link was paid twice: refund the second payment at the processor';
    return followedBy(recorded, (state) => alarmed(state, fields, message, { kind: 'paid_twice', ...subject }));
  }
  if (link.status === 'active' && wasOpen) return followedBy(recorded, (state) => pay(state, reported));
  const message = 'money came after the attempt or link was closed';
  return followedBy(
    recorded,
    (state) => alarmed(state, fields, message, { kind: 'paid_late', ...subject }),
    (state) => pay(state, reported),
  );
}

/** Pays the link. A debit may settle before the service hears of it: then `processing` and `paid` are published in this order. */
function paid(state: LinkState, reported: Reported): Decision {
  const { snapshot, now } = reported;
  const method = methodOf(state, reported);
  if (method.type === 'card') return paidByCard(state, method, 'real', now);
  return followedBy(submitted(state, reported), (state) => debitSettled(state, snapshot.feeCents, now));
}

/** Pays the link by a submitted debit. */
function submitted(state: LinkState, reported: Reported): Decision {
  return debitSubmitted(state, methodOf(state, reported), 'real', reported.now);
}

/** Reports that the processor contradicts a final state. Statuses stay unchanged. A mail asks the practice to compare both. */
function contradicted(state: LinkState, { attemptId, snapshot }: Reported): Decision {
  const { amountCents } = attemptOf(state, attemptId);
  const transactionStatus = state.transaction?.status;
  const fields = { attemptId, paymentLinkId: state.link.id, transactionStatus, state: snapshot.state };
  const mail = { kind: 'contradiction', subjectId: attemptId, amountCents } as const;
  return alarmed(state, fields, 'the processor contradicts a final state', mail);
}

/** Sets the time of the next question to the processor. */
function askedAgain(state: LinkState, { attemptId, now }: Reported): LinkState {
  const transaction = transactionOf(state, attemptOf(state, attemptId));
  if (transaction === null) return state;
  const awaitsRefund = state.refunds.some(({ status }) => status === 'pending');
  return { ...state, transaction: { ...transaction, reconcileAt: reconcileAt(transaction, awaitsRefund, now) } };
}

function methodOf(state: LinkState, { attemptId, snapshot }: Reported): PaymentMethod {
  const { method, feeCents, statementDescriptor } = snapshot;
  const type = method?.type ?? attemptOf(state, attemptId).methodType;
  const { brand = null, last4 = null } = method ?? {};
  return { type, brand, last4, feeCents, statementDescriptor, attemptId };
}
