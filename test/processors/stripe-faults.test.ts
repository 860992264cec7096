import { expect } from 'chai';
import { newId } from '../../src/platform/base/ids.ts';
import { ProcessorUnavailable, type RefundRequest } from '../../src/processors/processor.ts';
import type { Fault } from './fake-stripe.ts';
import { begun, chargeOf, stripeFixture } from './processor-fixtures.ts';

const KINDS: readonly Fault['kind'][] = ['refused', 'lost', 'error', { slowMs: 50 }];

describe('faults at Stripe', () => {
  let fixture: Awaited<ReturnType<typeof stripeFixture>>;

  before(async () => {
    fixture = await stripeFixture();
  });

  after(() => fixture.close());

  afterEach(() => {
    fixture.stripe.faults.length = 0;
  });

  const charge = async () => chargeOf(fixture.account, await fixture.token('success'));

  /** Returns the answer of a call, or null when its outcome is unknown. */
  async function asked<T>(call: Promise<T>): Promise<T | null> {
    try {
      return await call;
    } catch (error) {
      if (error instanceof ProcessorUnavailable) return null;
      throw error;
    }
  }

  for (const kind of KINDS) {
    // The SDK retries once, so two faults fail a call.
    for (const times of [1, 2]) {
      const name = `${typeof kind === 'string' ? kind : 'slow'}, ${times === 1 ? 'once' : 'twice'}`;
      const isHarmless = typeof kind !== 'string' || (times === 1 && kind !== 'error');
      const fail = (match: string) => fixture.stripe.faults.push({ match, kind, times });

      it(`a fault at begin charges nothing (${name})`, async () => {
        const before = await fixture.charged();
        fail('POST /v1/payment_intents');
        const reference = await asked(fixture.processor.begin(await charge()));
        expect(reference !== null).to.equal(isHarmless);
        expect(await fixture.charged()).to.equal(before);
      });

      it(`after a fault at confirm, the payment was charged at most once, and retrieve says whether (${name})`, async () => {
        const before = await fixture.charged();
        const made = await charge();
        const reference = await begun(fixture, made);
        fail('/confirm');
        const answer = await asked(fixture.processor.confirm(made, reference));
        expect(answer?.state ?? null).to.equal(isHarmless ? 'succeeded' : null);
        const now = await fixture.processor.retrieve(fixture.account, reference);
        expect(now?.state).to.equal(isHarmless || kind === 'lost' ? 'succeeded' : 'created');
        const closed = await fixture.processor.cancel(fixture.account, reference);
        expect(closed.state).to.equal(now?.state === 'succeeded' ? 'succeeded' : 'cancelled');
        // The delayed confirmation arrives.
        await asked(fixture.processor.confirm(made, reference));
        expect(await fixture.charged()).to.equal(before + (closed.state === 'succeeded' ? 1 : 0));
      });

      it(`after a fault at cancel, a repeated cancel succeeds (${name})`, async () => {
        const before = await fixture.charged();
        const made = await charge();
        const reference = await begun(fixture, made);
        fail('/cancel');
        const answer = await asked(fixture.processor.cancel(fixture.account, reference));
        expect(answer?.state ?? 'cancelled').to.equal('cancelled');
        expect((await fixture.processor.cancel(fixture.account, reference)).state).to.equal('cancelled');
        expect((await fixture.processor.confirm(made, reference)).state).to.equal('cancelled');
        expect(await fixture.charged()).to.equal(before);
      });

      it(`after a fault at refund, money is given back once, and the refunds list says whether (${name})`, async () => {
        const made = await charge();
        const { reference } = await fixture.processor.confirm(made, await begun(fixture, made));
        const request: RefundRequest = {
          account: fixture.account,
          paymentReference: reference,
          refundId: newId('refund', new Date()),
          amountCents: 5000,
        };
        fail('POST /v1/refunds');
        const answer = await asked(fixture.processor.refund(request));
        expect(answer !== null).to.equal(isHarmless);
        const given = await fixture.processor.retrieveRefunds(fixture.account, reference);
        expect(given).to.have.length(isHarmless || kind === 'lost' ? 1 : 0);
        await asked(fixture.processor.refund(request));
        const later = await fixture.processor.retrieveRefunds(fixture.account, reference);
        // Stripe replays an error until it forgets the key.
        expect(later).to.have.length(kind === 'error' ? 0 : 1);
      });
    }
  }
});
