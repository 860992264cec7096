import { expect } from 'chai';
import {
  answerDispute,
  applyDisputeSnapshot,
  findOpenDispute,
  requireDisputable,
  sumDisputable,
} from '../../src/payment-links/decide/dispute-decision.ts';
import { payByCard, submitDebit } from '../../src/payment-links/decide/link-decision.ts';
import {
  applyRefundSnapshots,
  requestRefund,
  requireLastRefund,
} from '../../src/payment-links/decide/refund-decision.ts';
import { RefundRefused } from '../../src/payment-links/decide/refundable.ts';
import { Draft } from '../../src/payment-links/state/state.ts';
import type { DisputeSnapshot, RefundSnapshot } from '../../src/processors/processor.ts';
import { newLink } from '../simulator/world.ts';

const NOW = new Date('2030-01-02T00:00:00.000Z');
const HOUR_MS = 3_600_000;
const METHOD = { brand: null, last4: null, feeCents: 59, attemptId: 'att_1' } as const;

const inMs = (ms: number) => new Date(NOW.getTime() + ms);

/** A link over 1,000 cents, paid by card. */
function paid(isTest = false): Draft {
  const link = { ...newLink({ practiceId: 'prac_1', locationId: 'loc_1' }), test: isTest };
  const attempt = {
    ...{ id: 'att_1', practiceId: 'prac_1', paymentLinkId: link.id, status: 'accepted' as const, processor: 'sandbox' },
    ...{ processorAccountId: 'acct_1', processorReference: 'pay_1', methodType: 'card' as const, amountCents: 1_000 },
    ...{ currency: 'usd' as const, failureReason: null, createdAt: NOW, closedAt: NOW, reconcileAt: null },
  };
  const none = { transaction: null, refunds: [], disputes: [], reversals: [] };
  const draft = new Draft({ link, location: { id: 'loc_1', name: 'Downtown' }, attempts: [attempt], ...none });
  payByCard(draft, { type: 'card', ...METHOD }, NOW);
  return new Draft(draft.state);
}

const refundOf = (fields: Partial<RefundSnapshot>): RefundSnapshot => ({
  ...{ reference: 're_1', refundId: null, paymentReference: 'pay_1', amountCents: 400, currency: 'usd' },
  ...{ state: 'succeeded', ...fields },
});

const disputeOf = (fields: Partial<DisputeSnapshot>): DisputeSnapshot => ({
  ...{ reference: 'dp_1', paymentReference: 'pay_1', amountCents: 1_000, currency: 'usd', reason: 'fraudulent' },
  ...{ state: 'open', evidenceDueBy: inMs(HOUR_MS), isBankReversal: false, ...fields },
});

const apply = (draft: Draft, ...snapshots: Partial<RefundSnapshot>[]) =>
  applyRefundSnapshots(draft, 'att_1', snapshots.map(refundOf), NOW, draft.state.link.version);
const dispute = (draft: Draft, fields: Partial<DisputeSnapshot>) =>
  applyDisputeSnapshot(draft, 'att_1', disputeOf(fields), NOW);
const eventsOf = ({ events }: Draft) => events.map(({ event }) => [event.type, 'context' in event && event.context]);
const mailsOf = ({ mails }: Draft) => mails.map(({ kind, amountCents }) => [kind, amountCents]);
const levelsOf = ({ reports }: Draft) => reports.flatMap((report) => (report.kind === 'log' ? [report.level] : []));
const loggedOf = ({ reports }: Draft) => reports.flatMap((report) => (report.kind === 'log' ? [report.fields] : []));
const statusesOf = ({ state }: Draft) => [state.transaction?.status, ...state.refunds.map(({ status }) => status)];

describe('decisions about refunds', () => {
  const request = (draft: Draft, amountCents: number | null, processor = 'sandbox') =>
    requestRefund(draft, { amountCents, reason: 'overpaid' }, processor, NOW);

  it('a request is pending, reserves its amount, and is asked about within a minute', () => {
    const draft = paid();
    request(draft, 400);
    expect(requireLastRefund(draft.state)).to.deep.include({
      amountCents: 400,
      reason: 'overpaid',
      processorReference: null,
    });
    expect(draft.state.transaction?.reconcileAt).to.deep.equal(inMs(60_000));
    expect([statusesOf(draft), draft.events]).to.deep.equal([['succeeded', 'pending'], []]);
    request(draft, null);
    expect([requireLastRefund(draft.state).amountCents, ...statusesOf(draft)]).to.deep.equal([
      600,
      'refunded',
      'pending',
      'pending',
    ]);
  });

  it('the refund of a simulated payment succeeds at once', () => {
    const { state } = paid(true);
    // The attempt did not pay.
    const draft = new Draft({
      ...state,
      transaction: state.transaction && { ...state.transaction, attemptId: null },
    });
    request(draft, 1_000);
    expect(statusesOf(draft)).to.deep.equal(['refunded', 'succeeded']);
    expect(draft.state.transaction?.reconcileAt).to.equal(null);
  });

  it('unpaid links, payments of another processor and too much are refused', () => {
    const unpaid = new Draft({ ...paid().state, transaction: null });
    for (const [draft, cents, processor, reason] of [
      [unpaid, 1, 'sandbox', 'not_settled'],
      [paid(), 1, 'stripe', 'other_processor'],
      [paid(), 1_001, 'sandbox', 'too_much'],
    ] as const) {
      expect(() => request(draft, cents, processor))
        .to.throw(RefundRefused)
        .with.property('reason', reason);
      expect(draft.state.refunds).to.deep.equal([]);
    }
  });

  it('the answer to a request moves its refund, by our id first and by the reference then', () => {
    const draft = paid();
    request(draft, 400);
    const { id } = requireLastRefund(draft.state);
    apply(draft, { refundId: id, state: 'pending' });
    expect([requireLastRefund(draft.state).processorReference, ...statusesOf(draft)]).to.deep.equal([
      're_1',
      'succeeded',
      'pending',
    ]);
    apply(draft, { state: 'succeeded' });
    apply(draft, { state: 'succeeded' });
    expect(statusesOf(draft)).to.deep.equal(['succeeded', 'succeeded']);
    expect(eventsOf(draft)).to.deep.equal([['payment_link.refunded', { refundAmount: 4 }]]);
  });

  it('a refund that fails takes back that the payment was refunded, and says so', () => {
    for (const isTest of [false, true]) {
      const draft = paid(isTest);
      apply(draft, { amountCents: 1_000 }, { reference: 're_2', state: 'failed', amountCents: 1 });
      expect(statusesOf(draft)).to.deep.equal(['refunded', 'succeeded']);
      apply(draft, { amountCents: 1_000, state: 'failed' });
      expect(statusesOf(draft)).to.deep.equal(['succeeded', 'failed']);
      expect([mailsOf(draft), levelsOf(draft)]).to.deep.equal([[['refund_failed', 1_000]], isTest ? [] : ['error']]);
    }
  });

  it('a refund with another amount or currency than its record is only reported', () => {
    const draft = paid();
    request(draft, 400);
    const { id: refundId } = requireLastRefund(draft.state);
    apply(draft, { refundId, amountCents: 399 }, { refundId, currency: 'eur' }, { currency: 'eur' });
    expect([statusesOf(draft), levelsOf(draft)]).to.deep.equal([
      ['succeeded', 'pending'],
      ['error', 'error', 'error'],
    ]);
  });

  it('a refund made at the processor is recorded, and asked about within an hour while it is pending', () => {
    const draft = paid();
    apply(draft, { state: 'pending' });
    expect(draft.state.transaction?.reconcileAt).to.deep.equal(inMs(HOUR_MS));
    expect(requireLastRefund(draft.state)).to.include({ reason: null, processorReference: 're_1' });
    draft.setTransaction({ reconcileAt: inMs(1) });
    apply(draft, { state: 'pending', reference: 're_2', refundId: 'rfnd_unknown' });
    expect(draft.state.transaction?.reconcileAt).to.deep.equal(inMs(1));
    expect([statusesOf(draft), levelsOf(draft)]).to.deep.equal([['succeeded', 'pending', 'pending'], ['warn']]);
  });

  it('more than is left waits for a refund without an answer, and is reported otherwise', () => {
    const draft = paid();
    request(draft, 700);
    draft.setTransaction({ reconcileAt: null });
    apply(draft, { amountCents: 1_000 });
    expect(draft.state.transaction?.reconcileAt).to.deep.equal(inMs(HOUR_MS));
    expect(draft.mails).to.deep.equal([]);
    apply(draft, { amountCents: 1_001 });
    expect([mailsOf(draft), statusesOf(draft)]).to.deep.equal([
      [['refunded_too_much', 1_001]],
      ['succeeded', 'pending'],
    ]);
  });

  it('a refund has the id of its request, or else a new id', () => {
    const draft = paid();
    requestRefund(draft, { id: 're_form', amountCents: 1, reason: null }, 'sandbox', NOW);
    expect(requireLastRefund(draft.state).id).to.equal('re_form');
    request(draft, 1);
    expect(requireLastRefund(draft.state).id).to.match(/^re_./);
  });

  it('a failed refund makes room for refunds of the same answer, which keep their order', () => {
    const draft = paid();
    apply(draft, { amountCents: 1_000 });
    const again = ['re_2', 're_3'].map((reference) => ({ reference, amountCents: 500 }));
    apply(draft, ...again, { amountCents: 1_000, state: 'failed' });
    const refunds = draft.state.refunds.map(({ processorReference, status }) => [processorReference, status]);
    expect(refunds).to.deep.equal([
      ['re_1', 'failed'],
      ['re_2', 'succeeded'],
      ['re_3', 'succeeded'],
    ]);
    expect(mailsOf(draft)).to.deep.equal([['refund_failed', 1_000]]);
  });

  it('a refund with our id and another reference is another refund', () => {
    const draft = paid();
    request(draft, 400);
    const { id: refundId } = requireLastRefund(draft.state);
    apply(draft, { refundId }, { refundId, reference: 're_2' });
    expect(draft.state.refunds.map(({ processorReference }) => processorReference)).to.deep.equal(['re_1', 're_2']);
  });

  it('a refund that the processor has answered reserves nothing for a refund of more than is left', () => {
    const draft = paid();
    request(draft, 700);
    const { id: refundId } = requireLastRefund(draft.state);
    apply(draft, { refundId, amountCents: 700, state: 'pending' }, { reference: 're_2', amountCents: 1_000 });
    expect(draft.mails).to.deep.equal([{ kind: 'refunded_too_much', subjectId: 're_2', amountCents: 1_000 }]);
  });

  it('a pending refund of the processor brings the next question forward, a succeeded one does not', () => {
    for (const [state, ms] of [
      ['pending', HOUR_MS],
      ['succeeded', 2 * HOUR_MS],
    ] as const) {
      const draft = paid();
      draft.setTransaction({ reconcileAt: inMs(2 * HOUR_MS) });
      apply(draft, { state });
      expect(draft.state.transaction?.reconcileAt).to.deep.equal(inMs(ms));
    }
  });

  it('refunds, disputes and bank reversals copy the facts of their payment by which lists filter', () => {
    const draft = paid();
    apply(draft, { amountCents: 100 });
    dispute(draft, {});
    dispute(draft, { reference: 'rv_1', amountCents: 100, isBankReversal: true });
    const { link, transaction, refunds, disputes, reversals } = draft.state;
    const { test, paidAt, locationId, practiceId, id: paymentLinkId } = link;
    const facts = { test, paidAt, locationId, practiceId, paymentLinkId };
    for (const row of [...refunds, ...disputes, ...reversals]) {
      expect(row).to.include({ ...facts, transactionId: transaction?.id, paymentMethodType: 'card' });
    }
    expect([refunds.length, disputes.length, reversals.length]).to.deep.equal([2, 1, 1]);
  });

  it('each log about a refund, dispute or bank reversal names the link', () => {
    const draft = paid();
    apply(draft, { refundId: 'rfnd_unknown' }, { reference: 're_2', currency: 'eur' });
    apply(draft, { reference: 're_3', amountCents: 1_001 });
    apply(draft, { state: 'failed' });
    apply(draft, { reference: 're_4' });
    dispute(draft, { amountCents: 1_001 });
    dispute(draft, { reference: 'rv_1', isBankReversal: true });
    const named = loggedOf(draft).map((fields) => 'paymentLinkId' in fields && fields.paymentLinkId);
    expect(named).to.deep.equal(Array(6).fill(draft.state.link.id));
  });

  it('refunds of another payment and of a returned debit do not count', () => {
    const draft = paid();
    applyRefundSnapshots(draft, 'att_2', [refundOf({})], NOW, 1);
    draft.setTransaction({ status: 'failed' });
    apply(draft, {});
    expect([draft.state.refunds, draft.reports]).to.deep.equal([[], []]);
  });
});

describe('decisions about disputes', () => {
  it('a dispute is opened once and closed once, each with an event and a mail', () => {
    for (const [state, status] of [
      ['won', 'won'],
      ['withdrawn', 'won'],
      ['lost', 'lost'],
    ] as const) {
      const draft = paid();
      dispute(draft, {});
      dispute(draft, {});
      expect(findOpenDispute(draft.state)).to.deep.include({
        reason: 'fraudulent',
        processorReference: 'dp_1',
        closedAt: null,
      });
      dispute(draft, { state });
      dispute(draft, { state });
      const opened = { disputeReason: 'fraudulent', disputeAmount: 10, evidenceDueBy: '2030-01-02T01:00:00.000Z' };
      expect(eventsOf(draft)).to.deep.equal([
        ['payment_link.disputed', opened],
        ['payment_link.dispute_closed', { disputeOutcome: status }],
      ]);
      expect(mailsOf(draft)).to.deep.equal([
        ['dispute_opened', 1_000],
        ['dispute_closed', 1_000],
      ]);
      expect([findOpenDispute(draft.state), draft.state.disputes[0]?.closedAt]).to.deep.equal([null, NOW]);
    }
  });

  it('a dispute that is closed before it is known is opened first, and a withdrawn one is ignored', () => {
    const [lost, withdrawn, other] = [paid(), paid(), paid()];
    dispute(lost, { state: 'lost', evidenceDueBy: null });
    dispute(withdrawn, { state: 'withdrawn' });
    applyDisputeSnapshot(other, 'att_2', disputeOf({}), NOW);
    expect(eventsOf(lost).map(([type]) => type)).to.deep.equal([
      'payment_link.disputed',
      'payment_link.dispute_closed',
    ]);
    expect([withdrawn.state.disputes, other.state.disputes]).to.deep.equal([[], []]);
  });

  it('another amount or currency than on record is logged, and the dispute recorded', () => {
    for (const [fields, levels] of [
      [{ amountCents: 1_000 }, []],
      [{ amountCents: 1_001 }, ['error']],
      [{ currency: 'eur' }, ['error']],
    ] as const) {
      const draft = paid();
      dispute(draft, fields);
      expect([levelsOf(draft), draft.state.disputes.length]).to.deep.equal([levels, 1]);
    }
    const draft = paid();
    dispute(draft, { amountCents: 500 });
    dispute(draft, { amountCents: 500 });
    expect(levelsOf(draft)).to.deep.equal([]);
    dispute(draft, { amountCents: 499 });
    expect(levelsOf(draft)).to.deep.equal(['error']);
  });

  it('a bank reversal becomes one refund of its amount, and a report if it was refunded before', () => {
    const debit = new Draft({ ...paid().state, transaction: null });
    debit.setLink({ status: 'active' });
    submitDebit(debit, { type: 'us_bank_account', ...METHOD }, NOW);
    dispute(debit, { isBankReversal: true });
    expect(debit.state.reversals).to.deep.equal([]);
    const draft = paid();
    apply(draft, { amountCents: 300 });
    dispute(draft, { isBankReversal: true });
    dispute(draft, { isBankReversal: true });
    expect(statusesOf(draft)).to.deep.equal(['refunded', 'succeeded', 'succeeded']);
    expect(requireLastRefund(draft.state)).to.include({ reason: 'bank_reversal', amountCents: 1_000 });
    expect([mailsOf(draft), draft.state.disputes]).to.deep.equal([[['returned_after_refund', 300]], []]);
    expect(sumDisputable(draft.state)).to.equal(0);
    const first = paid();
    dispute(first, { isBankReversal: true });
    expect(first.mails.map(({ kind, amountCents }) => [kind, amountCents])).to.deep.equal([['debit_returned', 1_000]]);
  });

  it('a bank reversal that is withdrawn, or of a payment that failed, is ignored', () => {
    const [withdrawn, failed] = [paid(), paid()];
    dispute(withdrawn, { isBankReversal: true, state: 'withdrawn' });
    failed.setTransaction({ status: 'failed' });
    dispute(failed, { isBankReversal: true });
    expect([withdrawn, failed].flatMap(({ state }) => [...state.reversals, ...state.refunds])).to.deep.equal([]);
  });

  it('money that was refunded and taken back is reported from its first cent, in both orders', () => {
    const [reversal, refund] = [{ isBankReversal: true }, { amountCents: 1 }];
    const [refundedFirst, reversedFirst] = [paid(), paid()];
    apply(refundedFirst, refund);
    dispute(refundedFirst, reversal);
    dispute(reversedFirst, reversal);
    apply(reversedFirst, refund);
    expect(mailsOf(refundedFirst)).to.deep.equal([['returned_after_refund', 1]]);
    expect(mailsOf(reversedFirst)).to.deep.equal([
      ['debit_returned', 1_000],
      ['returned_after_refund', 1],
    ]);
  });

  it('no money is reported as paid back twice while its refund is pending, nor on a test link', () => {
    const [pending, test] = [paid(), paid(true)];
    apply(pending, { state: 'pending' });
    apply(test, {});
    for (const draft of [pending, test]) {
      dispute(draft, { isBankReversal: true });
      expect([mailsOf(draft), levelsOf(draft)]).to.deep.equal([[['debit_returned', 1_000]], []]);
    }
  });

  it('a lost dispute counts as given back only after a bank reversal, and only if nothing is left', () => {
    const [refunded, reversed] = [paid(), paid()];
    dispute(refunded, { state: 'lost', amountCents: 600 });
    apply(refunded, { amountCents: 400 });
    dispute(reversed, { reference: 'rv_1', amountCents: 400, isBankReversal: true });
    dispute(reversed, { state: 'lost', amountCents: 599 });
    for (const draft of [refunded, reversed]) expect(draft.state.transaction?.status).to.equal('succeeded');
  });

  it('an answer to an open dispute is recorded once and can be taken back, each with an audit entry', () => {
    const draft = paid();
    dispute(draft, { reference: 'dp_0', state: 'won' });
    dispute(draft, {});
    const [closed, open] = draft.state.disputes;
    const disputeId = open?.id ?? '';
    answerDispute(draft, disputeId, NOW);
    answerDispute(draft, disputeId, inMs(1));
    expect(draft.state.disputes).to.deep.equal([closed, { ...open, answeredAt: NOW }]);
    answerDispute(draft, disputeId, null);
    answerDispute(draft, disputeId, null);
    expect(draft.state.disputes).to.deep.equal([closed, open]);
    const { practiceId, id } = draft.state.link;
    const entry = { practiceId, target: { kind: 'payment_link', id }, after: { disputeId } };
    expect(draft.acts).to.deep.equal([
      { ...entry, action: 'dispute.answered' },
      { ...entry, action: 'dispute.unanswered' },
    ]);
  });

  it('a closed dispute and a dispute of another link take no answer', () => {
    const draft = paid();
    dispute(draft, { reference: 'dp_0', state: 'won' });
    dispute(draft, {});
    const { state } = draft;
    for (const id of [state.disputes[0]?.id ?? '', 'dp_of_another_link']) answerDispute(draft, id, NOW);
    expect([draft.state, draft.acts]).to.deep.equal([state, []]);
  });

  it('a part of a debit that the bank reverses and the rest in a lost dispute make it refunded, in both orders', () => {
    const take = [
      { amountCents: 400, isBankReversal: true },
      { reference: 'dp_2', state: 'lost' as const, amountCents: 600 },
    ];
    for (const order of [take, take.toReversed()]) {
      const draft = paid();
      for (const fields of order) dispute(draft, fields);
      expect(statusesOf(draft)).to.deep.equal(['refunded', 'succeeded']);
    }
  });

  it('a simulated dispute needs a reason in snake_case, a settled payment, an amount within it and no other dispute', () => {
    const facts = { reason: 'fraudulent', amountCents: 1_000, evidenceDueBy: null };
    const disputed = paid();
    dispute(disputed, {});
    const pending = paid();
    pending.setTransaction({ status: 'pending' });
    const reversed = paid();
    dispute(reversed, { isBankReversal: true });
    expect(() => requireDisputable(paid().state, facts)).not.to.throw();
    expect(() => requireDisputable(paid().state, { ...facts, amountCents: 1 })).not.to.throw();
    const refunded = paid();
    apply(refunded, { amountCents: 1_000 });
    expect(() => requireDisputable(refunded.state, facts)).not.to.throw();
    const unpaid = new Draft({ ...paid().state, transaction: null });
    for (const [draft, fields, param] of [
      [paid(), { reason: 'Fraud' }, 'reason'],
      [paid(), { reason: 'f'.repeat(101) }, 'reason'],
      [paid(), { reason: '' }, 'reason'],
      [paid(), { amountCents: 0 }, 'amount'],
      [paid(), { amountCents: 1_001 }, 'amount'],
      [disputed, {}, 'link'],
      [pending, {}, 'link'],
      [unpaid, {}, 'link'],
      [reversed, { amountCents: 1 }, 'link'],
    ] as const) {
      expect(() => requireDisputable(draft.state, { ...facts, ...fields }))
        .to.throw()
        .with.nested.property('details.param', param);
    }
  });

  it('a refused dispute says how much can be disputed, and what the bank has taken back', () => {
    const reversed = paid();
    dispute(reversed, { amountCents: 400, isBankReversal: true });
    const taken = 'The patient’s bank took 4 dollars back by a bank reversal.';
    for (const [draft, message] of [
      [paid(), 'At most 10 dollars can be disputed.'],
      [reversed, `At most 6 dollars can be disputed. ${taken}`],
    ] as const) {
      expect(() => requireDisputable(draft.state, { reason: 'fraudulent', amountCents: 1_001, evidenceDueBy: null }))
        .to.throw()
        .with.nested.property('details.message', message);
    }
  });
});
