import { strict as assert } from 'node:assert';
import type { StateMachine } from '../../src/base/state-machine.ts';
import type { Decision, LinkState } from '../../src/payment-links/link/state.ts';
import { ATTEMPT, DISPUTE, LINK, REFUND, TRANSACTION } from '../../src/payment-links/model/transitions.ts';
import { sumCents } from '../../src/payment-links/refund/refund-decision.ts';
import type { World } from './world.ts';

/** Checks one change: states move by their tables, nothing vanishes, and each move has its event. */
export function checkChange(before: LinkState, { state: after, events }: Decision): void {
  moves(LINK, [before.link], [after.link]);
  moves(ATTEMPT, before.attempts, after.attempts);
  moves(REFUND, before.refunds, after.refunds);
  moves(DISPUTE, before.disputes, after.disputes);
  if (before.transaction !== null)
    moves(TRANSACTION, [before.transaction], after.transaction ? [after.transaction] : []);
  const types = events.map(({ event }) => event.type.replace('payment_link.', ''));
  const count = (type: string) => types.filter((each) => each === type).length;
  const had = new Map([...before.refunds, ...before.disputes].map(({ id, status }) => [id, status]));
  const succeeded = after.refunds.filter(({ id, status }) => status === 'succeeded' && had.get(id) !== 'succeeded');
  const closed = after.disputes.filter(({ id, status }) => status !== 'open' && (had.get(id) ?? 'open') === 'open');
  assert.equal(count('refunded'), succeeded.length, 'each refund that succeeds has one event');
  assert.equal(count('disputed'), after.disputes.length - before.disputes.length, 'each dispute has one event');
  assert.equal(count('dispute_closed'), closed.length, 'each closed dispute has one event');
}

function moves<Status extends string>(
  machine: StateMachine<Status, string>,
  before: readonly { id: string; status: Status }[],
  after: readonly { id: string; status: Status }[],
): void {
  for (const { id, status } of before) {
    const next = after.find((row) => row.id === id);
    assert.ok(next, `${id} has vanished`);
    // Several moves may be one change.
    const reachable = new Set<string>([status]);
    for (const from of reachable)
      for (const to of Object.values(machine[from as Status] ?? {})) reachable.add(to as string);
    assert.ok(reachable.has(next.status), `${id} moved from ${status} to ${next.status}`);
  }
}

/** Checks what holds after every change. */
export function checkState({ state, events, bank, mails }: World): void {
  const { link, attempts, transaction, refunds, disputes, reversals } = state;
  const open = attempts.filter(({ status }) => status === 'open' || status === 'requires_action');
  assert.ok(open.length <= 1, 'a link has at most one open attempt');
  assert.equal(link.openAttemptId, open[0]?.id ?? null, 'the link names its open attempt');
  // One that is refused does not fit the link any more. The practice must refund it.
  const charged = bank.payments.filter(
    ({ snapshot: { state, attemptId } }) =>
      (state === 'succeeded' || state === 'processing') && !mails.includes(`payment_refused ${attemptId}`),
  );
  assert.ok(charged.length <= 1, 'a link is charged at most once');
  assert.equal(link.status === 'paid', transaction !== null, 'exactly a paid link has a payment');
  const count = (type: string) => events.filter((each) => each === type).length;
  const isDebit = transaction?.paymentMethodType === 'us_bank_account';
  assert.equal(count('processing'), Number(isDebit), 'a submitted debit has one event');
  assert.equal(count('paid'), Number(isSettled(transaction)), 'a settled payment has one event');
  assert.equal(count('failed'), Number(transaction?.status === 'failed'), 'a returned debit has one event');
  assert.ok(count('expired') + count('cancelled') <= 2 && count('expired') <= 1 && count('cancelled') <= 1);
  assert.equal(count('disputed'), disputes.length);
  assert.equal(count('dispute_closed'), disputes.filter(({ status }) => status !== 'open').length);
  assert.ok(
    link.status === 'active' || link.status === 'paid' || link.openAttemptId === null,
    'an unpaid closed link has no open attempt',
  );
  for (const rows of [attempts, refunds, disputes, reversals]) {
    const references = rows.flatMap(({ processorReference }) => processorReference ?? []);
    assert.equal(new Set(references).size, references.length, 'what the processor names is on record once');
  }
  // The processor never contradicts itself, and takes money once. Only a bank gives more back than was paid. A late message may name
  // a refund that has failed since.
  const failed = bank.payments.flatMap(({ refunds }) => refunds).filter(({ state }) => state === 'failed');
  const late = new Set(failed.map(({ reference }) => `refunded_too_much ${reference}`));
  const alarm =
    reversals.length === 0 ? /^(contradiction|paid_twice|refunded_too_much)/ : /^(contradiction|paid_twice)/;
  const alarms = mails.filter((mail) => alarm.test(mail) && !late.has(mail));
  assert.deepEqual(alarms, [], 'nobody is alarmed without a reason');
  if (transaction === null) return;
  const attempt = attempts.find(({ id }) => id === transaction.attemptId);
  assert.equal(attempt?.status, 'accepted', 'the attempt of the payment is accepted');
  assert.equal(transaction.amountCents, link.amountCents, 'the payment has the amount of its link');
  assert.equal(transaction.amountCents, attempt?.amountCents);
  const given = sumCents(refunds.filter(({ status }) => status !== 'failed'));
  assert.ok(given <= transaction.amountCents, 'no more is given back than was paid');
  assert.equal(
    transaction.status === 'refunded',
    given === transaction.amountCents,
    'refunded means all is given back',
  );
  const isPending = transaction.status === 'pending' || refunds.some(({ status }) => status === 'pending');
  assert.ok(!isPending || transaction.reconcileAt !== null, 'the sweep asks about a pending debit or refund');
}

function isSettled(transaction: LinkState['transaction']): boolean {
  return transaction?.status === 'succeeded' || transaction?.status === 'refunded';
}

/** Checks what holds once everything has arrived and the sweeps have run: nothing is stuck, and the processor agrees. */
export function checkSettled({ state, bank, mails }: World): void {
  const { attempts, transaction, refunds, disputes, reversals } = state;
  for (const { id, status, closedAt, reconcileAt } of attempts) {
    assert.ok(closedAt !== null && reconcileAt === null, `the attempt ${id} is stuck as ${status}`);
    const payment = bank.payments.find(({ snapshot }) => snapshot.attemptId === id && snapshot.state === 'succeeded');
    if (payment !== undefined && !mails.includes(`payment_refused ${id}`)) {
      assert.equal(status, 'accepted', 'money that was taken is on record');
      assert.ok(isSettled(transaction), 'a payment that succeeded has settled');
    }
    if (payment === undefined || transaction?.attemptId !== id) continue;
    for (const { reference, state, isBankReversal } of payment.disputes) {
      const known = isBankReversal ? reversals : disputes;
      const record = known.find(({ processorReference }) => processorReference === reference);
      assert.ok(record, 'each dispute at the processor is on record');
      if ('status' in record) assert.equal(record.status, state);
    }
    for (const { reference, refundId, state } of payment.refunds) {
      const record = refunds.find(({ id, processorReference }) =>
        reference === null ? id === refundId : processorReference === reference,
      );
      const isReported = mails.includes(`refunded_too_much ${reference}`);
      assert.ok(record !== undefined || isReported || state === 'failed', `the refund ${reference} is not on record`);
      if (record !== undefined) assert.equal(record.status, state, 'a refund ends as at the processor');
    }
  }
  const unanswered = refunds.filter(({ status }) => status === 'pending');
  assert.equal(unanswered.length, 0, 'no refund is stuck');
  assert.ok(transaction?.status !== 'pending', 'no debit is stuck');
  const given = sumCents(refunds.filter(({ status }) => status !== 'failed'));
  const taken = Math.min(sumCents(reversals), transaction?.amountCents ?? 0);
  assert.ok(given >= taken, 'what a bank took back is on record as refunds');
}
