import { expect } from 'chai';
import { newId } from '../../src/base/ids.ts';
import { type Charge, ProcessorUnavailable, type RefundRequest } from '../../src/processors/processor.ts';
import { stripeArena } from './arenas.ts';
import type { Fault } from './fake-stripe.ts';

const KINDS: readonly Fault['kind'][] = ['refused', 'lost', 'error', { slowMs: 50 }];

describe('a fault at Stripe', () => {
  let arena: Awaited<ReturnType<typeof stripeArena>>;

  before(async () => {
    arena = await stripeArena();
  });

  after(() => arena.close());

  afterEach(() => {
    arena.stripe.faults.length = 0;
  });

  async function charge(): Promise<Charge> {
    return {
      account: arena.account,
      attemptId: newId('paymentAttempt', new Date()),
      paymentLinkId: 'plink_1',
      amountCents: 12_550,
      currency: 'usd',
      methodType: 'card',
      methodToken: await arena.token('success'),
      returnUrl: 'https://pay.example.com/pay/x',
      customerAddress: '203.0.113.7',
      customerUserAgent: 'test',
    };
  }

  /** What a call answers, or null when nobody knows. */
  async function asked<T>(call: Promise<T>): Promise<T | null> {
    try {
      return await call;
    } catch (error) {
      if (error instanceof ProcessorUnavailable) return null;
      throw error;
    }
  }

  async function begun(made: Charge): Promise<string> {
    const reference = await arena.processor.begin(made);
    if (reference === null) throw new Error('begun');
    return reference;
  }

  for (const kind of KINDS) {
    // The SDK asks once more by itself: once is a hiccup, twice is an outage.
    for (const times of [1, 2]) {
      const name = `${typeof kind === 'string' ? kind : 'slow'}, ${times === 1 ? 'once' : 'twice'}`;
      const isHarmless = typeof kind !== 'string' || (times === 1 && kind !== 'error');
      const fail = (match: string) => arena.stripe.faults.push({ match, kind, times });

      it(`on beginning charges nothing (${name})`, async () => {
        const before = await arena.charged();
        fail('POST /v1/payment_intents');
        const reference = await asked(arena.processor.begin(await charge()));
        expect(reference !== null).to.equal(isHarmless);
        expect(await arena.charged()).to.equal(before);
      });

      it(`on confirming charges once or not at all, and looking says which (${name})`, async () => {
        const before = await arena.charged();
        const made = await charge();
        const reference = await begun(made);
        fail('/confirm');
        const answer = await asked(arena.processor.confirm(made, reference));
        expect(answer?.state ?? null).to.equal(isHarmless ? 'succeeded' : null);
        const now = await arena.processor.retrieve(arena.account, reference);
        expect(now?.state).to.equal(isHarmless || kind === 'lost' ? 'succeeded' : 'created');
        const closed = await arena.processor.cancel(arena.account, reference);
        expect(closed.state).to.equal(now?.state === 'succeeded' ? 'succeeded' : 'cancelled');
        // What was on its way arrives at last.
        await asked(arena.processor.confirm(made, reference));
        expect(await arena.charged()).to.equal(before + (closed.state === 'succeeded' ? 1 : 0));
      });

      it(`on calling off is made up for by calling off again (${name})`, async () => {
        const before = await arena.charged();
        const made = await charge();
        const reference = await begun(made);
        fail('/cancel');
        const answer = await asked(arena.processor.cancel(arena.account, reference));
        expect(answer?.state ?? 'cancelled').to.equal('cancelled');
        expect((await arena.processor.cancel(arena.account, reference)).state).to.equal('cancelled');
        expect((await arena.processor.confirm(made, reference)).state).to.equal('cancelled');
        expect(await arena.charged()).to.equal(before);
      });

      it(`on refunding gives money back once, and looking says whether (${name})`, async () => {
        const made = await charge();
        const { reference } = await arena.processor.confirm(made, await begun(made));
        const request: RefundRequest = {
          account: arena.account,
          paymentReference: reference,
          refundId: newId('refund', new Date()),
          amountCents: 5000,
        };
        fail('POST /v1/refunds');
        const answer = await asked(arena.processor.refund(request));
        expect(answer !== null).to.equal(isHarmless);
        const given = await arena.processor.retrieveRefunds(arena.account, reference);
        expect(given).to.have.length(isHarmless || kind === 'lost' ? 1 : 0);
        await asked(arena.processor.refund(request));
        const later = await arena.processor.retrieveRefunds(arena.account, reference);
        // A failure that Stripe remembers by the key stays one until it forgets the key.
        expect(later).to.have.length(kind === 'error' ? 0 : 1);
      });
    }
  }
});
