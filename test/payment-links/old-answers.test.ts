import { expect } from 'chai';
import { disputeReported } from '../../src/payment-links/dispute/dispute-decision.ts';
import { debitSubmitted, paidByCard } from '../../src/payment-links/link/decide.ts';
import type { LinkState } from '../../src/payment-links/link/state.ts';
import { refundsReported } from '../../src/payment-links/refund/refund-decision.ts';
import type { RefundSnapshot } from '../../src/processors/processor.ts';
import { newLink } from '../simulator/world.ts';

const NOW = new Date('2030-01-02T00:00:00.000Z');
const ATTEMPT = 'att_1';

const METHOD = { brand: null, last4: null, feeCents: null, attemptId: ATTEMPT } as const;

/** A link over 1,000 cents. */
function unpaid(): LinkState {
  const link = newLink({ practiceId: 'prac_1', locationId: 'loc_1' });
  const none = { attempts: [], refunds: [], disputes: [], reversals: [] };
  const location = { id: 'loc_1', name: 'Downtown' };
  return { link, location, transaction: null, ...none };
}

/** A link over 1,000 cents that was paid by card. */
function paid(): LinkState {
  return paidByCard(unpaid(), { type: 'card', ...METHOD }, 'real', NOW).state;
}

/** A refund of 700 cents that was made at the processor. */
function refund(reference: string, state: RefundSnapshot['state']): RefundSnapshot {
  return { reference, refundId: null, paymentReference: 'pay_1', amountCents: 700, currency: 'usd', state };
}

describe('lists of refunds that arrive late', () => {
  // The first refund has failed by then, and was made again.
  const now = [refund('re_1', 'failed'), refund('re_2', 'succeeded')];
  const before = [refund('re_1', 'succeeded')];

  it('a refund that has failed since the processor was asked does not count as too much, and the processor is asked again', () => {
    const { state } = refundsReported(paid(), ATTEMPT, now, NOW, 1);
    const changed = { ...state, link: { ...state.link, version: 2 } };
    const late = refundsReported(changed, ATTEMPT, before, NOW, 1);
    expect([late.mails, late.reports, late.state.refunds]).to.deep.equal([[], [], changed.refunds]);
    expect(late.state.transaction?.reconcileAt).to.deep.equal(new Date(NOW.getTime() + 3_600_000));
  });

  it('more than was paid is reported if nothing has changed since the processor was asked', () => {
    const { state } = refundsReported(paid(), ATTEMPT, [refund('re_2', 'succeeded')], NOW, 1);
    const { mails } = refundsReported(state, ATTEMPT, before, NOW, 1);
    expect(mails).to.deep.equal([{ kind: 'refunded_too_much', subjectId: 're_1', amountCents: 700 }]);
  });
});

describe('disputes that are known before the end of their debit', () => {
  it('a bank reversal waits until the debit is known to have settled', () => {
    const { state } = debitSubmitted(unpaid(), { type: 'us_bank_account', ...METHOD }, 'real', NOW);
    const facts = { reason: 'insufficient_funds', state: 'open', evidenceDueBy: null, isBankReversal: true } as const;
    const reversal = { reference: 'dp_1', paymentReference: 'pay_1', amountCents: 1_000, currency: 'usd', ...facts };
    const decision = disputeReported(state, ATTEMPT, reversal, NOW);
    expect([decision.state, decision.events]).to.deep.equal([state, []]);
  });
});
