import { expect } from 'chai';
import { abandon, beginAttempt, recordReference } from '../../src/payment-links/decide/attempt-decision.ts';
import { cancel, payByCard, submitDebit, update } from '../../src/payment-links/decide/link-decision.ts';
import { applyPaymentSnapshot, reconcileAt } from '../../src/payment-links/decide/payment-decision.ts';
import { applyRefundSnapshots } from '../../src/payment-links/decide/refund-decision.ts';
import type { PaymentAttempt } from '../../src/payment-links/model/payment-attempt.entity.ts';
import { overdueSql, statusAt } from '../../src/payment-links/model/transitions.ts';
import { Draft } from '../../src/payment-links/state/state.ts';
import type { PaymentSnapshot } from '../../src/processors/processor.ts';
import { newLink } from '../simulator/world.ts';

const NOW = new Date('2030-01-02T00:00:00.000Z');
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const ACCOUNT = { id: 'acct_1' };
const METHOD = { brand: null, last4: null, feeCents: null, attemptId: 'att_1' } as const;

const at = (ms: number) => new Date(NOW.getTime() + ms);

/** A link over 1,000 cents, and an attempt that may be open. */
function draftWith(attempt: Partial<PaymentAttempt> = {}): Draft {
  const link = newLink({ practiceId: 'prac_1', locationId: 'loc_1' });
  const facts = { practiceId: 'prac_1', paymentLinkId: link.id, processor: 'sandbox', processorAccountId: ACCOUNT.id };
  const open = {
    ...{ ...facts, id: 'att_1', status: 'open', processorReference: null, methodType: 'card', amountCents: 1_000 },
    ...{
      currency: 'usd',
      failureReason: null,
      createdAt: NOW,
      closedAt: null,
      reconcileAt: at(HOUR_MS),
      ...attempt,
    },
  } as PaymentAttempt;
  const none = { transaction: null, refunds: [], disputes: [], reversals: [] };
  const draft = new Draft({ link, location: { id: 'loc_1', name: 'Downtown' }, attempts: [open], ...none });
  if (open.status === 'open') draft.setLink({ openAttemptId: open.id });
  return draft;
}

const snapshotOf = (fields: Partial<PaymentSnapshot>): PaymentSnapshot => ({
  ...{ reference: 'pay_1', attemptId: 'att_1', state: 'succeeded', wasProcessing: false, amountCents: 1_000 },
  ...{ currency: 'usd', method: null, feeCents: 59, statementDescriptor: 'ELM ST', failureReason: null },
  ...{ clientAction: null, ...fields },
});

/** Applies snapshots one after the other. Returns what they have caused. */
function report(draft: Draft, ...snapshots: Partial<PaymentSnapshot>[]) {
  for (const fields of snapshots) {
    applyPaymentSnapshot(draft, ACCOUNT, { attemptId: 'att_1', snapshot: snapshotOf(fields), now: NOW });
  }
  const { state, events, mails, reports } = draft;
  return {
    ...{ attempt: state.attempts[0], link: state.link, transaction: state.transaction },
    events: events.map(({ event: { type } }) => type),
    mails: mails.map(({ kind, subjectId, amountCents }) => [kind, subjectId, amountCents]),
    /** Mails about what is not as it should be. Each payment and each returned debit has a mail, too. */
    alarms: mails
      .filter(({ kind }) => kind !== 'payment_received' && kind !== 'debit_returned')
      .map(({ kind, subjectId, amountCents }) => [kind, subjectId, amountCents]),
    logged: reports.flatMap((report) => (report.kind === 'log' ? [report] : [])),
    /** Outcomes of attempts and statuses of payments, for the metrics. */
    counted: reports.flatMap((report) => {
      if (report.kind === 'log') return [];
      return report.kind === 'attempt_closed' ? [report.outcome] : [report.status];
    }),
  };
}

describe('overdue links', () => {
  for (const [status, openAttemptId, ms, visible] of [
    ['active', null, 0, 'expired'],
    ['active', null, -1, 'expired'],
    ['active', null, 1, 'active'],
    ['active', 'att_1', 0, 'active'],
    ['cancelled', null, 0, 'cancelled'],
    ['paid', null, -1, 'paid'],
  ] as const) {
    it(`a link that is ${status}, ends in ${ms} ms and has ${openAttemptId ?? 'no attempt'} is shown as ${visible}`, () => {
      expect(statusAt({ status, openAttemptId, expiresAt: at(ms) }, NOW)).to.equal(visible);
    });
  }

  it('the conditions of lists and statements name the same three facts', () => {
    expect(overdueSql('$1')).to.deep.equal([`status = 'active'`, 'open_attempt_id is null', 'expires_at <= $1']);
  });
});

describe('the time of the next question about a payment', () => {
  const draft = draftWith();
  payByCard(draft, { type: 'card', ...METHOD }, NOW);
  const { transaction } = draft.state;
  if (transaction === null) throw new Error('the link is paid');
  const settled = { ...transaction, feeCents: 59 };
  const aged = (ageMs: number) => ({ ...settled, createdAt: at(-ageMs) });
  const awaitsFee = (ageMs: number) => ({ ...aged(ageMs), feeCents: null });

  for (const [what, payment, awaitsRefund, inMs] of [
    ['a pending debit in six hours', { ...settled, status: 'pending' as const }, false, 6 * HOUR_MS],
    ['a failed payment never', { ...settled, status: 'failed' as const }, true, null],
    ['a payment without a fee in an hour', awaitsFee(0), false, HOUR_MS],
    ['a payment of seven days less a millisecond without a fee in an hour', awaitsFee(7 * DAY_MS - 1), false, HOUR_MS],
    ['a payment of seven days without a fee in a week', awaitsFee(7 * DAY_MS), false, 7 * DAY_MS],
    ['a payment with a pending refund in an hour', aged(3 * DAY_MS), true, HOUR_MS],
    ['an earlier time of a refund stays', { ...aged(0), reconcileAt: at(60_000) }, true, 60_000],
    ['an equal time of a refund stays', { ...aged(0), reconcileAt: at(HOUR_MS) }, true, HOUR_MS],
    ['a later time of a refund becomes an hour', { ...aged(0), reconcileAt: at(2 * HOUR_MS) }, true, HOUR_MS],
    ['an earlier time without a refund is forgotten', { ...aged(0), reconcileAt: at(60_000) }, false, DAY_MS],
    ['a new payment in a day', aged(0), false, DAY_MS],
    ['a payment of three days in three days', aged(3 * DAY_MS), false, 3 * DAY_MS],
    ['a payment of thirty days in a week', aged(30 * DAY_MS), false, 7 * DAY_MS],
    ['a payment of 120 days less a millisecond in a week', aged(120 * DAY_MS - 1), false, 7 * DAY_MS],
    ['a payment of 120 days never', aged(120 * DAY_MS), false, null],
  ] as const) {
    it(`the processor is asked about ${what}`, () => {
      expect(reconcileAt(payment, awaitsRefund, NOW)).to.deep.equal(inMs === null ? null : at(inMs));
    });
  }
});

describe('changes of an unpaid link', () => {
  it('an open attempt blocks a cancel and a new amount, and nothing else', () => {
    const draft = draftWith();
    const { state } = draft;
    cancel(draft, 'api', NOW);
    expect([draft.blockedBy, draft.state]).to.deep.equal([state.link.openAttemptId, state]);
    update(draft, { amountCents: 999 }, NOW);
    expect([draft.blockedBy, draft.state]).to.deep.equal([state.link.openAttemptId, state]);
    update(draft, { amountCents: 1_000, description: 'Filling' }, NOW);
    expect([draft.blockedBy, draft.state.link.description, draft.patient]).to.deep.equal([null, 'Filling', undefined]);
    update(draft, { patientPhone: '+12025550143' }, NOW);
    expect(draft.patient).to.equal('match');
  });

  it('an overdue link is neither cancelled nor updated, and a second cancel has no event', () => {
    const overdue = draftWith({ status: 'failed' });
    overdue.setLink({ expiresAt: NOW });
    expect(() => cancel(overdue, 'api', NOW))
      .to.throw()
      .with.property('code', 'link_not_active');
    expect(() => update(overdue, { amountCents: 999 }, NOW))
      .to.throw()
      .with.property('code', 'link_not_active');
    const draft = draftWith({ status: 'failed' });
    cancel(draft, 'api', NOW);
    cancel(draft, 'api', at(1));
    const { status, closedBy, closedAt } = draft.state.link;
    expect([status, closedBy, closedAt, draft.events.length]).to.deep.equal(['cancelled', 'api', NOW, 1]);
  });
});

describe('payment attempts', () => {
  it('an attempt begins by the terms that the patient saw only', () => {
    const draft = draftWith({ status: 'failed' });
    const { link, attempts } = draft.state;
    const attempt = { ...attempts[0], id: 'att_2', status: 'open' } as PaymentAttempt;
    beginAttempt(draft, link.version + 1, attempt);
    expect(draft.state).to.deep.equal({ ...draft.state, link, attempts });
    beginAttempt(draft, link.version, attempt);
    expect([draft.state.link.openAttemptId, draft.state.attempts.length]).to.deep.equal(['att_2', 2]);
  });

  it('the reference is recorded while the attempt is open', () => {
    const [open, closed] = [draftWith(), draftWith({ status: 'cancelled' })];
    for (const draft of [open, closed]) recordReference(draft, 'att_1', 'pay_1');
    expect([open, closed].map(({ state }) => state.attempts[0]?.processorReference)).to.deep.equal(['pay_1', null]);
  });

  it('an abandoned attempt is closed and still asked about, with a mail, once', () => {
    const draft = draftWith();
    abandon(draft, 'att_1', NOW);
    abandon(draft, 'att_1', NOW);
    const attempt = { status: 'cancelled', closedAt: NOW, reconcileAt: at(HOUR_MS) };
    expect(draft.state.attempts[0]).to.deep.include(attempt);
    expect(draft.state.link.openAttemptId).to.equal(null);
    expect(draft.mails).to.deep.equal([{ kind: 'payment_abandoned', subjectId: 'att_1', amountCents: 1_000 }]);
  });
});

describe('the snapshot of a payment', () => {
  it('a success pays the link by card, with fee, statement and the next question', () => {
    const { attempt, link, transaction, events, mails } = report(draftWith(), {
      method: { type: 'card', brand: 'visa', last4: '4242' },
    });
    expect(attempt).to.include({ status: 'accepted', processorReference: 'pay_1', closedAt: NOW, reconcileAt: null });
    expect(link).to.include({ status: 'paid', openAttemptId: null, paidAt: NOW });
    expect(transaction).to.deep.include({ status: 'succeeded', feeCents: 59, netCents: 941, attemptId: 'att_1' });
    expect(transaction).to.deep.include({ paymentMethodBrand: 'visa', paymentMethodLast4: '4242', processedAt: NOW });
    expect(transaction).to.deep.include({ statementDescriptor: 'ELM ST', reconcileAt: at(DAY_MS) });
    expect([events, mails]).to.deep.equal([['payment_link.paid'], [['payment_received', transaction?.id, 1_000]]]);
  });

  it('a repeated success adds a fee and a statement that were missing, and no event', () => {
    const draft = draftWith();
    const { events } = report(
      draft,
      { feeCents: null, statementDescriptor: null },
      {},
      { feeCents: 1, statementDescriptor: 'X' },
    );
    expect(draft.state.transaction).to.deep.include({ feeCents: 59, netCents: 941, statementDescriptor: 'ELM ST' });
    expect(events).to.deep.equal(['payment_link.paid']);
  });

  it('a debit is processing, then paid or returned; a return without a reason is a decline', () => {
    const debit = { method: { type: 'us_bank_account', brand: null, last4: null } } as const;
    const settled = report(draftWith(), { ...debit, state: 'processing', feeCents: null }, { ...debit });
    expect(settled.events).to.deep.equal(['payment_link.processing', 'payment_link.paid']);
    expect(settled.transaction).to.deep.include({ status: 'succeeded', feeCents: 59, processedAt: NOW });
    const returned = report(draftWith(), { ...debit, state: 'processing' }, { ...debit, state: 'failed' });
    expect(returned.events).to.deep.equal(['payment_link.processing', 'payment_link.failed']);
    expect(returned.transaction).to.deep.include({
      status: 'failed',
      failureReason: 'declined',
      returnedAt: NOW,
      reconcileAt: null,
    });
    const late = report(draftWith(), {
      ...debit,
      state: 'failed',
      wasProcessing: true,
      failureReason: 'account_closed',
    });
    expect(late.events).to.deep.equal(['payment_link.processing', 'payment_link.failed']);
    expect(late.transaction?.failureReason).to.equal('account_closed');
  });

  it('each outcome of an attempt and each status of a payment is counted once', () => {
    const debit = { method: { type: 'us_bank_account', brand: null, last4: null } } as const;
    const processing = { ...debit, state: 'processing' } as const;
    for (const [snapshots, counted] of [
      [
        [{}, {}],
        ['accepted', 'succeeded'],
      ],
      [
        [processing, debit, debit],
        ['accepted', 'pending', 'succeeded'],
      ],
      [
        [processing, { state: 'failed' }],
        ['accepted', 'pending', 'failed'],
      ],
      [[{ state: 'failed' }, { state: 'failed' }], ['failed']],
    ] as const) {
      expect(report(draftWith(), ...snapshots).counted).to.deep.equal(counted);
    }
  });

  it('a refund is counted when it makes the payment refunded, or no longer refunded, and not before', () => {
    const draft = draftWith();
    report(draft, {});
    const statuses = ['succeeded', 'refunded', 'succeeded'];
    for (const [reference, amountCents, state, length] of [
      ['re_1', 400, 'succeeded', 1],
      ['re_2', 600, 'succeeded', 2],
      ['re_2', 600, 'failed', 3],
    ] as const) {
      const refund = { reference, amountCents, state, refundId: null, paymentReference: 'pay_1', currency: 'usd' };
      applyRefundSnapshots(draft, 'att_1', [refund], NOW);
      const { counted } = report(draft);
      expect(counted).to.deep.equal(['accepted', ...statuses.slice(0, length)]);
    }
  });

  it('the practice gets a mail about a settled and a returned debit, and none while it is under way', () => {
    const processing = { state: 'processing', method: { type: 'us_bank_account', brand: null, last4: null } } as const;
    const kinds = (...snapshots: Partial<PaymentSnapshot>[]) =>
      report(draftWith(), processing, ...snapshots).mails.map(([kind]) => kind);
    expect([kinds(), kinds({}), kinds({ state: 'failed' })]).to.deep.equal([
      [],
      ['payment_received'],
      ['debit_returned'],
    ]);
  });

  it('the end of an older attempt leaves the open attempt of the link', () => {
    const draft = draftWith();
    draft.setLink({ openAttemptId: 'att_2' });
    expect(report(draft, { state: 'failed' }).link.openAttemptId).to.equal('att_2');
  });

  it('a failed attempt keeps its first reason, and a cancelled one has none', () => {
    const failed = report(draftWith(), { state: 'failed', failureReason: 'card_declined' }, { state: 'failed' });
    expect(failed.attempt).to.include({ status: 'failed', failureReason: 'card_declined' });
    const cancelled = report(draftWith(), { state: 'cancelled' });
    expect(cancelled.attempt).to.include({ status: 'cancelled', failureReason: null });
    expect([...failed.events, ...cancelled.events]).to.deep.equal([]);
    expect([failed.link, cancelled.link].map(({ openAttemptId }) => openAttemptId)).to.deep.equal([null, null]);
  });

  it('a step of the patient leaves the attempt open, and a decline changes nothing', () => {
    const { attempt, link } = report(
      draftWith(),
      { state: 'created' },
      { state: 'declined' },
      { state: 'requires_action' },
    );
    expect(attempt?.closedAt).to.equal(null);
    expect(link).to.include({ status: 'active', openAttemptId: 'att_1' });
  });

  for (const [mismatch, attempt, snapshot] of [
    ['account', { processorAccountId: 'acct_2' }, {}],
    ['reference', { processorReference: 'pay_2' }, {}],
    ['amount', {}, { amountCents: 999 }],
    ['currency', {}, { currency: 'eur' }],
  ] as const) {
    it(`a payment of another ${mismatch} pays nothing and is reported`, () => {
      const { link, transaction, logged, mails } = report(draftWith(attempt), snapshot);
      expect([link.status, transaction]).to.deep.equal(['active', null]);
      expect(logged.map(({ level, fields }) => [level, 'mismatch' in fields && fields.mismatch])).to.deep.equal([
        ['error', mismatch],
      ]);
      const { amountCents } = snapshotOf(snapshot);
      expect(mails).to.deep.equal(mismatch === 'account' ? [] : [['payment_refused', 'att_1', amountCents]]);
      // An attempt of another account or reference is not that of this payment.
      expect(link.openAttemptId).to.equal(mismatch === 'account' || mismatch === 'reference' ? 'att_1' : null);
    });
  }

  it('a payment of the old amount that comes after a cancelled attempt and a change is refused for good', () => {
    const draft = draftWith({ status: 'cancelled', closedAt: NOW });
    draft.setLink({ amountCents: 2_000 });
    const { attempt, link, mails } = report(draft, { state: 'processing' });
    expect(attempt).to.include({ status: 'accepted' });
    expect(mails).to.deep.equal([['payment_refused', 'att_1', 1_000]]);
    draft.setLink({ amountCents: 1_000 });
    expect([link.status, report(draft, {}).transaction]).to.deep.equal(['active', null]);
  });

  it('money after the end of attempt or link pays the link, with a mail', () => {
    const { link, alarms, logged } = report(draftWith({ status: 'cancelled', closedAt: NOW }), {});
    expect([link.status, alarms, logged.length]).to.deep.equal(['paid', [['paid_late', 'att_1', 1_000]], 1]);
    const draft = draftWith({ status: 'failed', failureReason: 'card_declined', closedAt: NOW });
    cancel(draft, 'api', NOW);
    const late = report(draft, {});
    expect([late.link.status, late.attempt?.failureReason]).to.deep.equal(['paid', null]);
    expect(late.alarms).to.deep.equal([['paid_late', 'att_1', 1_000]]);
  });

  it('a second payment of a paid link is reported and changes no transaction', () => {
    const draft = draftWith();
    submitDebit(draft, { type: 'us_bank_account', ...METHOD, attemptId: 'att_0' }, NOW);
    const { transaction, mails, attempt } = report(draft, {});
    expect([transaction?.attemptId, attempt?.status]).to.deep.equal(['att_0', 'accepted']);
    expect(mails).to.deep.equal([['paid_twice', 'att_1', 1_000]]);
  });

  it('an answer that contradicts a final state is reported, and the state stays', () => {
    const failure = report(draftWith(), {}, { state: 'failed' });
    expect([failure.transaction?.status, failure.alarms]).to.deep.equal([
      'succeeded',
      [['contradiction', 'att_1', 1_000]],
    ]);
    const success = report(draftWith(), { state: 'processing' }, { state: 'failed' }, {});
    expect([success.transaction?.status, success.alarms]).to.deep.equal([
      'failed',
      [['contradiction', 'att_1', 1_000]],
    ]);
  });

  it('each log about a payment names its attempt and its link', () => {
    const refused = report(draftWith(), { amountCents: 999 });
    const late = report(draftWith({ status: 'cancelled', closedAt: NOW }), {});
    const contradiction = report(draftWith(), {}, { state: 'failed' });
    for (const { link, logged } of [refused, late, contradiction]) {
      expect(logged).to.have.lengthOf(1);
      expect(logged[0]?.fields).to.include({ attemptId: 'att_1', paymentLinkId: link.id });
    }
  });
});
