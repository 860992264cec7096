import { expect } from 'chai';
import { applyDisputeSnapshot } from '../../src/payment-links/decide/dispute-decision.ts';
import { payByCard, submitDebit } from '../../src/payment-links/decide/link-decision.ts';
import { applyRefundSnapshots } from '../../src/payment-links/decide/refund-decision.ts';
import { Draft } from '../../src/payment-links/state/state.ts';
import { newLink } from '../simulator/world.ts';

const NOW = new Date('2030-01-02T00:00:00.000Z');
const ATTEMPT = 'att_1';
const METHOD = { brand: null, last4: null, feeCents: null, attemptId: ATTEMPT } as const;

/** A link over 1,000 cents. */
function unpaid(): Draft {
  const link = newLink({ practiceId: 'prac_1', locationId: 'loc_1' });
  const none = { transaction: null, attempts: [], refunds: [], disputes: [], reversals: [] };
  return new Draft({ link, location: { id: 'loc_1', name: 'Downtown' }, ...none });
}

/* The simulator seldom meets these. */
describe('answers that are older than what is known', () => {
  it('a refund that has failed since the processor was asked does not count as too much, and the processor is asked again', () => {
    const made = { refundId: null, paymentReference: 'pay_1', amountCents: 700, currency: 'usd' };
    const first = { ...made, reference: 're_1', state: 'succeeded' } as const;
    const present = [
      { ...first, state: 'failed' } as const,
      { ...made, reference: 're_2', state: 'succeeded' } as const,
    ];
    const draft = unpaid();
    payByCard(draft, { type: 'card', ...METHOD }, NOW);
    applyRefundSnapshots(draft, ATTEMPT, present, NOW, 1);
    draft.setLink({ version: 2 });
    const late = new Draft(draft.state);
    applyRefundSnapshots(late, ATTEMPT, [first], NOW, 1);
    expect([late.mails, late.reports, late.state.refunds]).to.deep.equal([[], [], draft.state.refunds]);
    expect(late.state.transaction?.reconcileAt).to.deep.equal(new Date(NOW.getTime() + 3_600_000));
  });

  it('a bank reversal waits until the debit is known to have settled', () => {
    const draft = unpaid();
    submitDebit(draft, { type: 'us_bank_account', ...METHOD }, NOW);
    const facts = { reason: 'insufficient_funds', state: 'open', evidenceDueBy: null, isBankReversal: true } as const;
    const reversal = { reference: 'dp_1', paymentReference: 'pay_1', amountCents: 1_000, currency: 'usd', ...facts };
    const { state, events } = draft;
    applyDisputeSnapshot(draft, ATTEMPT, reversal, NOW);
    expect([draft.state, draft.events]).to.deep.equal([state, [...events]]);
  });
});
