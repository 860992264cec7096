import { expect } from 'chai';
import type { Charge } from '../../src/processors/processor.ts';
import { stripeArena } from './arenas.ts';

describe('Stripe, after it has forgotten the keys of a day ago', () => {
  let arena: Awaited<ReturnType<typeof stripeArena>>;

  before(async () => {
    arena = await stripeArena();
  });

  after(() => arena.close());

  async function charge(attemptId: string, kind: 'success' | 'challenge' | 'declined'): Promise<Charge> {
    return {
      account: arena.account,
      attemptId,
      paymentLinkId: 'plink_1',
      amountCents: 12_550,
      currency: 'usd',
      methodType: 'card',
      methodToken: await arena.token(kind),
      returnUrl: 'https://pay.example.com/pay/x',
      customerAddress: '203.0.113.7',
      customerUserAgent: 'test',
    };
  }

  for (const [kind, state, called] of [
    ['success', 'succeeded', 'succeeded'],
    ['challenge', 'requires_action', 'cancelled'],
    ['declined', 'failed', 'failed'],
  ] as const) {
    it(`an attempt is found by its id alone, however often it is asked: ${state}`, async () => {
      const made = await charge(`att_${kind}`, kind);
      const { reference } = await arena.processor.confirm(made);
      arena.stripe.forgetKeys();
      for (let time = 0; time < 3; time++) {
        expect(await arena.processor.find(made)).to.include({ state, reference });
      }
      expect(await arena.processor.cancel(made, null)).to.include({ state: called, reference });
    });
  }

  it('an attempt that never was anything is called off', async () => {
    const made = await charge('att_never', 'success');
    expect((await arena.processor.find(made))?.state).to.equal('created');
    arena.stripe.forgetKeys();
    expect((await arena.processor.cancel(made, null)).state).to.equal('cancelled');
    expect((await arena.processor.find(made))?.state).to.equal('cancelled');
  });
});
