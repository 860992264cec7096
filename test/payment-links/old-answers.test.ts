import { expect } from 'chai';
import { disputeReported } from '../../src/payment-links/dispute/dispute-decision.ts';
import { debitSubmitted } from '../../src/payment-links/link/decide.ts';
import { newLink } from '../simulator/world.ts';

const NOW = new Date('2030-01-02T00:00:00.000Z');

describe('disputes that are known before the end of their debit', () => {
  it('a bank reversal waits until the debit is known to have settled', () => {
    const link = newLink({ practiceId: 'prac_1', locationId: 'loc_1' });
    const none = { transaction: null, attempts: [], refunds: [], disputes: [], reversals: [] };
    const unpaid = { link, location: { id: 'loc_1', name: 'Downtown' }, ...none };
    const method = { type: 'us_bank_account', brand: null, last4: null, feeCents: null, attemptId: 'att_1' } as const;
    const { state } = debitSubmitted(unpaid, method, 'real', NOW);
    const facts = { reason: 'insufficient_funds', state: 'open', evidenceDueBy: null, isBankReversal: true } as const;
    const reversal = { reference: 'dp_1', paymentReference: 'pay_1', amountCents: 1_000, currency: 'usd', ...facts };
    const decision = disputeReported(state, 'att_1', reversal, NOW);
    expect([decision.state, decision.events]).to.deep.equal([state, []]);
  });
});
