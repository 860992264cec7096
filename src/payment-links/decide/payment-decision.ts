import { transition } from '../../platform/base/state-machine.ts';
import { type Account, type PaymentSnapshot, type PaymentState, toReason } from '../../processors/processor.ts';
import { ATTEMPT, LINK } from '../model/transitions.ts';
import {
  type AttemptState,
  type Draft,
  findTransaction,
  type LinkState,
  requireAttempt,
  type TransactionState,
} from '../state/state.ts';
import { closeAttempt } from './attempt-decision.ts';
import { applyFee, type PaymentMethod, payByCard, returnDebit, settleDebit, submitDebit } from './link-decision.ts';

/** States that a payment never leaves at the processor, apart from refunds and disputes. */
const FINAL: ReadonlySet<PaymentState> = new Set(['succeeded', 'failed', 'cancelled']);

/** Time until the next question about a pending debit, which takes days. */
const DEBIT_RECONCILE_MS = 6 * 3_600_000;

/** Time until the next question about a fee or a refund. */
const SHORT_RECONCILE_MS = 3_600_000;

const DAY_MS = 86_400_000;

/** Age at which the service stops asking for a fee that the processor has not reported. */
const FEE_WAIT_MS = 7 * DAY_MS;

/** Time in which banks usually accept disputes. In it, `reconcile_transactions` finds disputes and refunds whose notification was lost. */
const FOLLOW_UP_WINDOW_MS = 120 * DAY_MS;

/** Longest time between two questions about a settled payment, so that evidence in a dispute can still be sent. The time is its age. */
const LONGEST_RECONCILE_MS = 7 * DAY_MS;

/** Snapshot of the payment of an attempt, and the present time. */
interface PaymentReport {
  attemptId: string;
  snapshot: PaymentSnapshot;
  now: Date;
}

/**
 * Applies the snapshot of a payment to its attempt, link and transaction. Snapshots may arrive in any order and repeatedly: rows move
 * forward only, and an event is published exactly when a row moves. A payment whose account, amount, currency or reference differs
 * from the attempt is refused and reported. The practice decides about its money.
 */
export function applyPaymentSnapshot(draft: Draft, account: Account, report: PaymentReport): void {
  const { attemptId, snapshot } = report;
  const attempt = requireAttempt(draft.state, attemptId);
  const mismatch = findMismatch(draft.state, attempt, account, snapshot);
  const isOurs = mismatch !== 'account' && mismatch !== 'reference';
  const isFinal = FINAL.has(snapshot.state);
  // A debit of a closed attempt is refused for good while it is under way: later, the link may have its amount again.
  const isLateMoney = isMoney(snapshot) && attempt.closedAt !== null;
  // After a final state, `reconcile_attempts` need not ask about an abandoned attempt any more.
  if (isOurs && isFinal && attempt.closedAt !== null) draft.setAttempt(attemptId, { reconcileAt: null });
  if (mismatch === null) {
    draft.setAttempt(attemptId, { processorReference: snapshot.reference });
    followProcessor(draft, report);
    askAgain(draft, report);
  } else {
    reportMismatch(draft, report, mismatch);
    // The attempt must not block its link for ever. A pending debit is refused, too, even if the link's amount changes back later.
    if (isOurs && (isFinal || isLateMoney)) closeAsRefused(draft, report);
  }
}

/** Returns true if the payment has taken money, or a bank debit is under way. */
function isMoney({ state }: PaymentSnapshot): boolean {
  return state === 'succeeded' || state === 'processing';
}

function findMismatch(state: LinkState, attempt: AttemptState, account: Account, snapshot: PaymentSnapshot) {
  const { processorReference: reference } = attempt;
  const isOther = reference !== null && reference !== snapshot.reference;
  // An attempt that is accepted without a transaction was refused earlier, or is a second payment.
  const isNewMoney = isMoney(snapshot) && attempt.status !== 'accepted' && findTransaction(state, attempt) === null;
  if (attempt.processorAccountId !== account.id) return 'account';
  if (isOther) return 'reference';
  if (attempt.amountCents !== snapshot.amountCents) return 'amount';
  // The attempt was cancelled, and then the link's amount was changed.
  if (isNewMoney && attempt.amountCents !== state.link.amountCents) return 'amount';
  return attempt.currency === snapshot.currency ? null : 'currency';
}

/** Reports a mismatch. If money was taken, a mail asks the practice to refund it, because the service does not count it. */
function reportMismatch(draft: Draft, { attemptId, snapshot }: PaymentReport, mismatch: string): void {
  const { reference, state, amountCents } = snapshot;
  const fields = { attemptId, paymentLinkId: draft.state.link.id, mismatch, reference, state, amountCents };
  const message = 'payment refused: account, amount, currency or reference differ from the attempt';
  if (mismatch === 'account' || !isMoney(snapshot)) draft.log('error', fields, message);
  else draft.alarm(fields, message, { kind: 'payment_refused', subjectId: attemptId, amountCents });
}

/** Closes an attempt whose payment is refused. Taken money makes it accepted without a transaction: the practice refunds it. */
function closeAsRefused(draft: Draft, report: PaymentReport): void {
  const { attemptId, snapshot, now } = report;
  const { amountCents, currency } = requireAttempt(draft.state, attemptId);
  const isTaken = isMoney(snapshot) && snapshot.amountCents === amountCents && snapshot.currency === currency;
  if (isTaken) closeAsAccepted(draft, report);
  else closeAttempt(draft, attemptId, 'cancel', now);
}

function followProcessor(draft: Draft, report: PaymentReport): void {
  const { attemptId, snapshot } = report;
  const attempt = requireAttempt(draft.state, attemptId);
  switch (snapshot.state) {
    case 'created':
    case 'declined':
      return;
    case 'requires_action':
      draft.setAttempt(attemptId, { status: transition(ATTEMPT, attempt.status, 'wait') ?? attempt.status });
      return;
    case 'processing':
      if (findTransaction(draft.state, attempt) === null) accept(draft, report, submit);
      return;
    case 'succeeded':
      decideSuccess(draft, report);
      return;
    case 'failed':
    case 'cancelled':
      decideFailure(draft, report);
      return;
    default:
      snapshot.state satisfies never;
      throw new Error('a snapshot has a state that the payment tables do not know');
  }
}

function decideSuccess(draft: Draft, report: PaymentReport): void {
  const { attemptId, snapshot, now } = report;
  const { feeCents, statementDescriptor } = snapshot;
  const transaction = findTransaction(draft.state, { id: attemptId });
  if (transaction === null) {
    accept(draft, report, pay);
    return;
  }
  draft.setTransaction({ statementDescriptor: transaction.statementDescriptor ?? statementDescriptor });
  switch (transaction.status) {
    case 'pending':
      settleDebit(draft, feeCents, now);
      return;
    case 'failed':
      reportContradiction(draft, report);
      return;
    case 'succeeded':
    case 'refunded':
      draft.setTransaction(applyFee(transaction, feeCents));
      return;
    default:
      transaction.status satisfies never;
      throw new Error('a transaction has a status that the payment tables do not know');
  }
}

function decideFailure(draft: Draft, report: PaymentReport): void {
  const { attemptId, snapshot, now } = report;
  const attempt = requireAttempt(draft.state, attemptId);
  const transaction = findTransaction(draft.state, attempt);
  const isFailed = snapshot.state === 'failed';
  const failureReason = toReason(snapshot.failureReason, isFailed ? 'declined' : 'cancelled');
  // A closed attempt stays closed, because no money was taken.
  const wasUnderWay = snapshot.wasProcessing && transition(ATTEMPT, attempt.status, 'accept') !== null;
  if (transaction === null && wasUnderWay) {
    accept(draft, report, (draft) => {
      submit(draft, report);
      returnDebit(draft, failureReason, now);
    });
  } else if (transaction === null) {
    closeAttempt(draft, attemptId, isFailed ? 'fail' : 'cancel', now);
    const { status, failureReason: recordedReason } = requireAttempt(draft.state, attemptId);
    if (status === 'failed') draft.setAttempt(attemptId, { failureReason: recordedReason ?? failureReason });
  } else if (transaction.status === 'pending') {
    returnDebit(draft, failureReason, now);
  } else if (transaction.status !== 'failed') {
    reportContradiction(draft, report);
  }
}

/** Closes the attempt as accepted; returns false if it was before. An attempt that failed first has no reason any more. */
function closeAsAccepted(draft: Draft, { attemptId, now }: PaymentReport): boolean {
  const wasOpen = transition(ATTEMPT, requireAttempt(draft.state, attemptId).status, 'accept') !== null;
  const isClosed = closeAttempt(draft, attemptId, wasOpen ? 'accept' : 'accept_late', now);
  if (isClosed) draft.setAttempt(attemptId, { failureReason: null });
  return isClosed;
}

/** Closes the attempt as accepted, and pays the link, unless the attempt was accepted before. The practice refunds a second payment. */
function accept(draft: Draft, report: PaymentReport, pay: (draft: Draft, report: PaymentReport) => void): void {
  const { attemptId } = report;
  const { link } = draft.state;
  const { status, amountCents } = requireAttempt(draft.state, attemptId);
  const fields = { attemptId, paymentLinkId: link.id, linkStatus: link.status };
  const subject = { subjectId: attemptId, amountCents };
  if (!closeAsAccepted(draft, report)) return;
  if (transition(LINK, link.status, 'pay') === null && transition(LINK, link.status, 'pay_late') === null) {
    const message = 'a link was paid twice: refund the second payment at the processor';
    draft.alarm(fields, message, { kind: 'paid_twice', ...subject });
    return;
  }
  if (link.status !== 'active' || transition(ATTEMPT, status, 'accept') === null) {
    draft.alarm(fields, 'money came after the attempt or link was closed', { kind: 'paid_late', ...subject });
  }
  pay(draft, report);
}

/** Pays the link. A debit may settle before the service hears of it: then `processing` is published first. */
function pay(draft: Draft, report: PaymentReport): void {
  const { snapshot, now } = report;
  const method = toMethod(draft.state, report);
  if (method.type === 'card') {
    payByCard(draft, method, now);
  } else {
    submit(draft, report);
    settleDebit(draft, snapshot.feeCents, now);
  }
}

function submit(draft: Draft, report: PaymentReport): void {
  submitDebit(draft, toMethod(draft.state, report), report.now);
}

/** Reports that the processor contradicts a final state. Statuses stay unchanged. A mail asks the practice to compare both. */
function reportContradiction(draft: Draft, { attemptId, snapshot }: PaymentReport): void {
  const { link, transaction } = draft.state;
  const { amountCents } = requireAttempt(draft.state, attemptId);
  const fields = { attemptId, paymentLinkId: link.id, transactionStatus: transaction?.status, state: snapshot.state };
  const mail = { kind: 'contradiction', subjectId: attemptId, amountCents } as const;
  draft.alarm(fields, 'the processor contradicts a final state', mail);
}

function askAgain(draft: Draft, { attemptId, now }: PaymentReport): void {
  const transaction = findTransaction(draft.state, { id: attemptId });
  const awaitsRefund = draft.state.refunds.some(({ status }) => status === 'pending');
  if (transaction !== null) draft.setTransaction({ reconcileAt: reconcileAt(transaction, awaitsRefund, now) });
}

/** Returns the time of the next question; null if nothing can change any more. An earlier time that a pending refund has set stays. */
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

function toMethod(state: LinkState, { attemptId, snapshot }: PaymentReport): PaymentMethod {
  const { method, feeCents, statementDescriptor } = snapshot;
  const type = method?.type ?? requireAttempt(state, attemptId).methodType;
  const { brand = null, last4 = null } = method ?? {};
  return { type, brand, last4, feeCents, statementDescriptor, attemptId };
}
