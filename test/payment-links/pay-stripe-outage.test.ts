import { expect } from 'chai';
import type { Processor } from '../../src/processors/processor.ts';
import { useStripe } from './stripe-service.ts';

/** The process dies here. */
class Crash extends Error {}

describe('paying through Stripe during faults', () => {
  const stripe = useStripe();

  afterEach(() => {
    stripe.stripe.faults.length = 0;
  });

  const charged = () => stripe.books.charged(stripe.account);

  /** Stripe's processor in a process that dies in the middle of a call. */
  function dying(overrides: Partial<Processor>): Processor {
    return { ...stripe.processor, ...overrides };
  }

  it('the service finds a charge whose answer was lost in a crash, even after Stripe has forgotten the key', async () => {
    const before = charged();
    const link = await stripe.link();
    const crashing = dying({
      confirm: async (charge, reference) => {
        await stripe.processor.confirm(charge, reference);
        throw new Crash();
      },
    });
    expect(await stripe.pay(link, 'success', crashing).catch((error) => error)).to.be.instanceOf(Crash);
    stripe.books.events.length = 0;
    stripe.service.clock.advance({ hours: 25 });
    await stripe.sweep();
    expect(await stripe.pay(link, 'success')).to.equal('not_payable');
    expect(await stripe.events(link)).to.deep.equal(['paid']);
    expect(charged()).to.equal(before + 1);
  });

  it('the service records the reference before anything is charged', async () => {
    const link = await stripe.link();
    const references: (string | null)[] = [];
    const looking = dying({
      confirm: async (charge, reference) => {
        references.push(reference, await stripe.reference(link));
        return stripe.processor.confirm(charge, reference);
      },
    });
    await stripe.pay(link, 'success', looking);
    expect(references[1]).to.be.a('string').and.to.equal(references[0]);
  });

  it('the service cancels an attempt without asking Stripe if the process died before it knew a reference', async () => {
    const before = charged();
    const link = await stripe.link();
    const crashing = dying({
      begin: async (intent) => {
        await stripe.processor.begin(intent);
        throw new Crash();
      },
    });
    await stripe.pay(link, 'success', crashing).catch(() => {});
    stripe.service.clock.advance({ hours: 25 });
    stripe.stripe.requests.length = 0;
    await stripe.sweep();
    expect(stripe.stripe.requests.filter((request) => request.startsWith('POST'))).to.deep.equal([]);
    expect(await stripe.pay(link, 'success')).to.equal('accepted');
    expect(charged()).to.equal(before + 1);
  });

  it('the service never confirms an attempt that was cancelled after its beginning', async () => {
    const before = charged();
    const link = await stripe.link();
    const overtaken = dying({
      begin: async (intent) => {
        const reference = await stripe.processor.begin(intent);
        expect((await stripe.practice.live.post(`/api/v1/payment-links/${link.id}/cancel`)).status).to.equal(200);
        return reference;
      },
    });
    expect(await stripe.pay(link, 'success', overtaken)).to.equal('cancelled');
    expect(await stripe.events(link)).to.deep.equal(['cancelled']);
    expect(charged()).to.equal(before);
  });

  it('the service does not cancel a charge that is still on its way for two and a half minutes', async () => {
    const link = await stripe.link();
    const slow = dying({
      confirm: async (charge, reference) => {
        stripe.service.clock.advance({ seconds: 150 });
        await stripe.sweep();
        return stripe.processor.confirm(charge, reference);
      },
    });
    expect(await stripe.pay(link, 'success', slow)).to.equal('accepted');
    expect(await stripe.events(link)).to.deep.equal(['paid']);
  });

  it('the service reports to the patient that a cancelled charge took no money', async () => {
    const link = await stripe.link();
    const stuck = dying({
      confirm: async (charge, reference) => {
        stripe.service.clock.advance({ minutes: 10 });
        await stripe.sweep();
        return stripe.processor.confirm(charge, reference);
      },
    });
    expect(await stripe.pay(link, 'success', stuck)).to.equal('cancelled');
    expect(await stripe.pay(link, 'success')).to.equal('accepted');
  });

  for (const kind of ['error', 'lost', 'refused'] as const) {
    it(`the service lets the patient try again when Stripe can’t begin a payment: ${kind}`, async () => {
      const before = charged();
      const link = await stripe.link();
      stripe.stripe.faults.push({ match: 'POST /v1/payment_intents', kind, times: 2 });
      expect(await stripe.pay(link, 'success')).to.equal('cancelled');
      expect((await stripe.pages().find(link.token))?.state).to.equal('payable');
      expect(await stripe.pay(link, 'success')).to.equal('accepted');
      expect(charged()).to.equal(before + 1);
    });
  }

  it('a refund happens once, even if the answer was lost and Stripe has forgotten the key at the retry', async () => {
    const { link, reference } = await stripe.submitted('success', { amount: 100 });
    stripe.stripe.faults.push({ match: 'POST /v1/refunds', kind: 'lost', times: 2 });
    const refund = await stripe.refund(link, 4000);
    expect(refund.status).to.equal('pending');
    stripe.books.events.length = 0;
    stripe.service.clock.advance({ hours: 25 });
    await stripe.sweep();
    expect(await stripe.processor.retrieveRefunds({ id: stripe.account }, reference)).to.have.length(1);
    expect(await stripe.events(link)).to.deep.equal(['paid', 'refunded']);
  });

  it('the service finds a dispute and a refund whose messages were lost, weeks after the fee is known', async () => {
    const { books } = stripe;
    const { link, reference } = await stripe.submitted('success', { amount: 100 });
    books.book(stripe.account, reference, 320);
    const days = async (count: number) => {
      for (let day = 0; day < count; day++) {
        stripe.service.clock.advance({ days: 1 });
        await stripe.sweep();
      }
    };
    await days(20);
    const dispute = books.openDispute(stripe.account, reference, { amount: 5000, reason: 'fraudulent' });
    books.refundInDashboard(stripe.account, reference, 2500);
    books.events.length = 0;
    await days(7);
    expect(await stripe.events(link)).to.have.members(['paid', 'refunded', 'disputed']);
    books.closeDispute(stripe.account, dispute, 'lost');
    books.events.length = 0;
    await days(7);
    expect(await stripe.events(link)).to.have.members(['paid', 'refunded', 'disputed', 'dispute_closed']);
  });

  it('the service stops asking about a payment after some months and about twenty requests', async () => {
    const { reference } = await stripe.submitted('success');
    stripe.books.book(stripe.account, reference, 320);
    const looks = () =>
      stripe.stripe.requests.filter((request) => request.startsWith(`GET /v1/payment_intents/${reference}`)).length;
    for (let day = 0; day < 130; day += 2) {
      stripe.service.clock.advance({ days: 2 });
      await stripe.sweep();
    }
    expect(looks()).to.be.within(15, 25);
    const before = looks();
    stripe.service.clock.advance({ days: 30 });
    await stripe.sweep();
    expect(looks()).to.equal(before);
  });

  it('the service cancels a charge at which Stripe failed and which it remembers as failed', async () => {
    const before = charged();
    const link = await stripe.link();
    stripe.stripe.faults.push({ match: '/confirm', kind: 'error', times: 2 });
    expect(await stripe.pay(link, 'success')).to.equal('accepted');
    stripe.service.clock.advance({ minutes: 5 });
    await stripe.sweep();
    expect(charged()).to.equal(before);
    expect(await stripe.pay(link, 'success')).to.equal('accepted');
    expect(await stripe.events(link)).to.deep.equal(['paid']);
    expect(charged()).to.equal(before + 1);
  });
});
