import { strict as assert } from 'node:assert';
import { ATTEMPT, DISPUTE, LINK, REFUND, TRANSACTION } from '../../src/payment-links/model/transitions.ts';
import type { LinkState, TransactionState } from '../../src/payment-links/state/state.ts';
import type { StateMachine } from '../../src/platform/base/state-machine.ts';
import type { BankPayment } from './bank.ts';

const DAY_MS = 86_400_000;

/** Events and mails that the service has sent about a link. */
export class Sent {
  /** Number of events by type, without the prefix `payment_link.`. */
  readonly events = new Map<string, number>();
  /** Mails to the administrator, as kind and subject id. */
  readonly mails = new Set<string>();

  count(type: string): number {
    return this.events.get(type) ?? 0;
  }

  hasMail(kind: string, subjectId: string | null): boolean {
    return this.mails.has(`${kind} ${subjectId}`);
  }
}

/** For each state, the states that it can reach by any number of transitions. One change may make several. */
type Reach = ReadonlyMap<string, ReadonlySet<string>>;

function reachOf(machine: StateMachine<string, string>): Reach {
  return new Map(
    Object.keys(machine).map((from) => {
      const reached = new Set([from]);
      for (const each of reached) for (const to of Object.values(machine[each] ?? {})) if (to) reached.add(to);
      return [from, reached];
    }),
  );
}

const [LINKS, ATTEMPTS, REFUNDS, DISPUTES, TRANSACTIONS] = [LINK, ATTEMPT, REFUND, DISPUTE, TRANSACTION].map(
  (machine) => reachOf(machine),
) as [Reach, Reach, Reach, Reach, Reach];

/** Checks one change: states move by their transition tables, no row vanishes, and each move has its event. */
export function checkChange(before: LinkState, after: LinkState, types: readonly string[]): void {
  moves(LINKS, [before.link], [after.link]);
  moves(ATTEMPTS, before.attempts, after.attempts);
  moves(REFUNDS, before.refunds, after.refunds);
  moves(DISPUTES, before.disputes, after.disputes);
  if (before.transaction) moves(TRANSACTIONS, [before.transaction], after.transaction ? [after.transaction] : []);
  assert.ok(before.reversals.length <= after.reversals.length, 'a bank reversal has vanished');
  const { link: old } = before;
  const { link } = after;
  const isAmountKept = old.amountCents === link.amountCents;
  // A batch may close the attempt and change the amount in one write.
  const isClosed = after.attempts.every(({ id, closedAt }) => id !== old.openAttemptId || closedAt !== null);
  assert.ok(isAmountKept || isClosed, 'the amount stays while a payment is open');
  const areTermsKept = isAmountKept && old.description === link.description && old.expiresAt === link.expiresAt;
  assert.ok(areTermsKept || old.status === 'active', 'a closed link keeps its terms');
  checkRequests(before, after);
  const succeeded = newly(before.refunds, after.refunds, ({ status }) => status === 'succeeded');
  const closed = newly(before.disputes, after.disputes, ({ status }) => status !== 'open');
  const count = (type: string) => types.reduce((sum, each) => sum + Number(each === type), 0);
  // A batch may write a success and a later failure of the same refund at once.
  const failed = newly(before.refunds, after.refunds, ({ status }) => status === 'failed');
  const isEach = count('refunded') >= succeeded && count('refunded') <= succeeded + failed;
  assert.ok(isEach, 'each refund that succeeds has one event');
  assert.equal(count('disputed'), after.disputes.length - before.disputes.length, 'each dispute has one event');
  assert.equal(count('dispute_closed'), closed, 'each closed dispute has one event');
}

/**
 * Checks that no more goes out than came in, as far as the service decides it. A new refund of ours fits beside the other refunds, and
 * beside what the bank took back before. Only refunds at the processor and the bank itself may exceed it later.
 */
function checkRequests(before: LinkState, after: LinkState): void {
  const isOld = (id: string) => before.refunds.some((refund) => refund.id === id);
  const isOurs = ({ id, processorReference, bankReversalId }: LinkState['refunds'][number]) =>
    !isOld(id) && processorReference === null && bankReversalId === null;
  if (!after.refunds.some(isOurs)) return;
  let out = 0;
  for (const refund of after.refunds)
    if (refund.status !== 'failed' && refund.bankReversalId === null && (isOld(refund.id) || isOurs(refund)))
      out += refund.amountCents;
  for (const { amountCents } of before.reversals) out += amountCents;
  for (const { status, amountCents } of before.disputes) if (status === 'lost') out += amountCents;
  assert.ok(out <= (after.transaction?.amountCents ?? 0), 'a refund takes no more than refunds and the bank have left');
}

interface Row {
  id: string;
  status: string;
}

function moves(reach: Reach, before: readonly Row[], after: readonly Row[]): void {
  for (const row of before) {
    const next = after.find(({ id }) => id === row.id);
    assert.ok(next, `${row.id} has vanished`);
    assert.ok(reach.get(row.status)?.has(next.status), `${row.id} moved from ${row.status} to ${next.status}`);
  }
}

/** Returns the number of rows for which the condition is true after the change, but was not before. */
function newly(before: readonly Row[], after: readonly Row[], isSo: (row: Row) => boolean): number {
  const wasSo = (id: string) => before.some((row) => row.id === id && isSo(row));
  return after.reduce((sum, row) => sum + Number(isSo(row) && !wasSo(row.id)), 0);
}

/** States at the processor in which money was taken, or a debit is pending. */
const CHARGED: ReadonlySet<string> = new Set(['succeeded', 'processing']);

/** States at the processor that fit each status of a transaction. A pending debit may have ended there already. */
const STATES: Readonly<Record<TransactionState['status'], readonly string[]>> = {
  pending: ['processing', 'succeeded', 'failed'],
  succeeded: ['succeeded'],
  refunded: ['succeeded'],
  failed: ['failed'],
};

/** Checks the invariants of a link that are true after every step. */
export function checkLink(state: LinkState, sent: Sent, payments: readonly BankPayment[], nowMs: number): void {
  const { link, attempts, transaction, disputes, reversals } = state;
  const open = attempts.filter(({ status }) => status === 'open' || status === 'requires_action');
  assert.ok(open.length <= 1, 'a link has at most one open attempt');
  assert.equal(link.openAttemptId, open[0]?.id ?? null, 'the link names its open attempt');
  // A forged payment may be refused, too.
  const isForged = payments.some(({ isOurs, snapshot }) => !isOurs && snapshot.attemptId === transaction?.attemptId);
  const isRefused = (attemptId: string | null) =>
    sent.hasMail('payment_refused', attemptId) && attemptId !== transaction?.attemptId;
  // A refused payment does not fit the link any more. A mail asks the practice to refund it.
  const charged = payments.filter(
    ({ isOurs, snapshot: { state, attemptId } }) => isOurs && CHARGED.has(state) && !isRefused(attemptId),
  );
  assert.ok(charged.length <= 1, 'a link is charged at most once');
  for (const { isOurs, snapshot } of payments) {
    const attempt = attempts.find(({ id }) => id === snapshot.attemptId);
    if (!isOurs || attempt === undefined || attempt.processorReference === null || attempt.status === 'accepted')
      continue;
    const isFinal = snapshot.state === 'failed' || snapshot.state === 'cancelled';
    assert.ok(isFinal || attempt.reconcileAt !== null, 'the processor is asked about a payment that may take money');
  }
  assert.equal(link.status === 'paid', transaction !== null, 'exactly a paid link has a payment');
  const isDebit = transaction?.paymentMethodType === 'us_bank_account';
  assert.equal(sent.count('processing'), Number(isDebit), 'a submitted debit has one event');
  assert.equal(sent.count('paid'), Number(isSettled(transaction)), 'a settled payment has one event');
  assert.equal(sent.count('failed'), Number(transaction?.status === 'failed'), 'a returned debit has one event');
  for (const type of ['expired', 'cancelled']) {
    const isSo = link.status === type;
    const count = sent.count(type);
    assert.ok(isSo ? count === 1 : count <= Number(link.status === 'paid'), `a link that is ${type} has one event`);
  }
  assert.ok(sent.count('expired') + sent.count('cancelled') <= 1, 'a link ends once');
  assert.equal(sent.count('disputed'), disputes.length);
  assert.equal(sent.count('dispute_closed'), disputes.filter(({ status }) => status !== 'open').length);
  assert.ok(
    link.status === 'active' || link.status === 'paid' || link.openAttemptId === null,
    'an unpaid closed link has no open attempt',
  );
  // The simulated processor never contradicts itself, and charges once. So these mails would be false alarms.
  for (const mail of sent.mails) {
    const isAlarm = /^(contradiction|paid_twice|refunded_too_much)/.test(mail);
    assert.ok(!isAlarm, `nobody is alarmed without a reason: ${mail}`);
  }
  if (transaction === null) return;
  const wasRefused = sent.hasMail('payment_refused', transaction.attemptId) && !isForged;
  assert.ok(!wasRefused, 'a payment that was refused does not count');
  const payment = payments.find(({ isOurs, snapshot }) => isOurs && snapshot.attemptId === transaction.attemptId);
  const isKnown = payment !== undefined && STATES[transaction.status].includes(payment.snapshot.state);
  assert.ok(isKnown, 'the processor has the payment of a link');
  for (const { id, amountCents } of reversals) {
    const recorded = state.refunds.filter(({ bankReversalId }) => bankReversalId === id);
    assert.equal(recorded.length, 1, 'a bank reversal is recorded once');
    assert.equal(recorded[0]?.amountCents, amountCents, 'a bank reversal is recorded with its whole amount');
  }
  checkPayment(state, transaction, nowMs);
}

function checkPayment(
  { link, attempts, refunds, disputes, reversals }: LinkState,
  transaction: TransactionState,
  nowMs: number,
): void {
  const attempt = attempts.find(({ id }) => id === transaction.attemptId);
  assert.equal(attempt?.status, 'accepted', 'the attempt of the payment is accepted');
  assert.equal(transaction.amountCents, link.amountCents, 'the payment has the amount of its link');
  assert.equal(transaction.amountCents, attempt?.amountCents, 'the payment has the amount of its attempt');
  const { feeCents, netCents, amountCents, status, processedAt } = transaction;
  assert.equal(processedAt !== null, isSettled(transaction), 'a settled payment has its time');
  assert.equal(netCents, feeCents === null ? null : amountCents - feeCents, 'net is the amount without the fee');
  let given = 0;
  let taken = 0;
  for (const { status, amountCents, bankReversalId } of refunds) {
    if (status === 'failed') continue;
    if (bankReversalId === null) given += amountCents;
    else taken += amountCents;
  }
  // What a lost dispute took counts once the bank has reversed the debit.
  for (const { status, amountCents } of disputes) if (reversals.length > 0 && status === 'lost') taken += amountCents;
  assert.ok(given <= amountCents, 'no more is refunded than was paid');
  assert.equal(status === 'refunded', given + taken >= amountCents, 'refunded means all is given back');
  const isPending = status === 'pending' || refunds.some(({ status }) => status === 'pending');
  const isSoon = transaction.reconcileAt !== null && transaction.reconcileAt.getTime() < nowMs + DAY_MS;
  assert.ok(!isPending || isSoon, 'the sweep asks soon about a pending debit or refund');
}

function isSettled(transaction: LinkState['transaction']): boolean {
  return transaction?.status === 'succeeded' || transaction?.status === 'refunded';
}

/** Checks the invariants after `World.settle`: nothing is stuck, and our rows agree with the processor. */
export function checkSettled(state: LinkState, sent: Sent, payments: readonly BankPayment[]): void {
  const { link, attempts, transaction, refunds, disputes, reversals } = state;
  assert.ok(link.status !== 'active', 'an overdue link expires');
  for (const { id, status, closedAt, reconcileAt } of attempts)
    assert.ok(closedAt !== null && reconcileAt === null, `the attempt ${id} is stuck as ${status}`);
  for (const payment of payments) {
    const { attemptId, state } = payment.snapshot;
    const isRefused = sent.hasMail('payment_refused', attemptId) && attemptId !== transaction?.attemptId;
    if (!payment.isOurs || state !== 'succeeded' || isRefused) continue;
    const attempt = attempts.find(({ id }) => id === attemptId);
    assert.equal(attempt?.status, 'accepted', 'money that was taken is on record');
    assert.ok(isSettled(transaction), 'a payment that succeeded has settled');
    if (transaction?.attemptId !== attemptId) continue;
    assert.equal(transaction?.statementDescriptor, 'DENTIST', 'the name on the statement is on record');
    assert.equal(transaction?.feeCents, 30, 'the fee is on record');
    for (const { reference, state, isBankReversal } of payment.disputes) {
      const known = isBankReversal ? reversals : disputes;
      const record = known.find(({ processorReference }) => processorReference === reference);
      // A dispute that was withdrawn before the service heard of it moved no money.
      assert.ok(record || state === 'withdrawn', 'each dispute at the processor is on record');
      if (record && 'status' in record) assert.equal(record.status, state === 'withdrawn' ? 'won' : state);
    }
    for (const { reference, refundId, state } of payment.refunds) {
      const record = refunds.find(({ id, processorReference }) =>
        reference === null ? id === refundId : processorReference === reference,
      );
      const isReported = sent.hasMail('refunded_too_much', reference);
      assert.ok(record || isReported || state === 'failed', `the refund ${reference} is not on record`);
      if (record) assert.equal(record.status, state, 'a refund ends as at the processor');
    }
    let ours = 0;
    for (const { status, amountCents, bankReversalId } of refunds)
      if (status !== 'failed' && bankReversalId === null) ours += amountCents;
    let theirs = 0;
    for (const { state, amountCents } of payment.refunds) if (state !== 'failed') theirs += amountCents;
    assert.equal(ours, theirs, 'what was given back is on record as refunds');
  }
  assert.ok(!refunds.some(({ status }) => status === 'pending'), 'no refund is stuck');
  assert.ok(transaction?.status !== 'pending', 'no debit is stuck');
}
