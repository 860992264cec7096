import { expect } from 'chai';
import {
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
    const draft = new Draft({
      ...state,
      attempts: [],
      transaction: state.transaction && { ...state.transaction, attemptId: null },
    });
    request(draft, 1_000);
    expect(statusesOf(draft)).to.deep.equal(['refunded', 'succeeded']);
    expect(draft.state.transaction?.reconcileAt).to.equal(null);
  });

  it('unpaid links, payments of another processor and too much are refused', () => {
    const unpaid = new Draft({ ...paid().state, transaction: null });
    for (const [draft, cents, processor] of [
      [unpaid, 1, 'sandbox'],
      [paid(), 1, 'stripe'],
      [paid(), 1_001, 'sandbox'],
    ] as const) {
      expect(() => request(draft, cents, processor)).to.throw(RefundRefused);
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
    for (const [draft, fields, param] of [
      [paid(), { reason: 'Fraud' }, 'reason'],
      [paid(), { reason: '' }, 'reason'],
      [paid(), { amountCents: 0 }, 'amount'],
      [paid(), { amountCents: 1_001 }, 'amount'],
      [disputed, {}, 'link'],
      [pending, {}, 'link'],
      [reversed, { amountCents: 1 }, 'link'],
    ] as const) {
      expect(() => requireDisputable(draft.state, { ...facts, ...fields }))
        .to.throw()
        .with.nested.property('details.param', param);
    }
  });
});
