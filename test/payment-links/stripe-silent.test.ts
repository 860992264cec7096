import { expect } from 'chai';
import { madeForEach } from '../harness/fixtures.ts';
import type { PayableLink } from '../harness/payments.ts';
import { until } from '../harness/processes.ts';
import { serviceEnvironment, startProcess } from '../harness/service-process.ts';
import { startStripe } from './stripe-service.ts';

describe('while Stripe does not answer', () => {
  const stripe = madeForEach(() => startStripe());

  afterEach(() => stripe.close());

  const fallSilent = (match: string) => stripe.stripe.faults.push({ match, kind: 'silent', times: 1_000 });

  /** The payment's page takes a card, as a browser without scripts would send it. */
  async function submit({ token, amountCents }: PayableLink): Promise<{ status: number; location: string | null }> {
    const day = stripe.service.clock.now().toISOString().slice(0, 10);
    const fields = { lang: 'en', amount_cents: `${amountCents}`, day, method_type: 'card' };
    const response = await fetch(`${stripe.service.baseUrl}/pay/${token}/submit`, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams({ ...fields, confirmation_token: 'ctoken_success' }),
    });
    await response.body?.cancel();
    return { status: response.status, location: response.headers.get('location') };
  }

  async function page({ token }: PayableLink): Promise<string> {
    return (await fetch(`${stripe.service.baseUrl}/pay/${token}?lang=en`)).text();
  }

  async function within<T>(limitMs: number, work: Promise<T>): Promise<T> {
    const startedMs = performance.now();
    const result = await work;
    expect(performance.now() - startedMs, 'milliseconds').to.be.lessThan(limitMs);
    return result;
  }

  for (const match of ['/confirm', '/v1/payment_intents/']) {
    it(`a charge is answered within 20 seconds as in progress, and resolved later (${match})`, async () => {
      const link = await stripe.link();
      fallSilent(match);
      const { status, location } = await within(20_000, submit(link));
      expect(status).to.equal(303);
      if (match === '/confirm') expect(location).to.include('result=paid');
      const [attempt] = await stripe.service.query<{ status: string }>('select status from payment_attempts');
      stripe.stripe.faults.length = 0;
      if (match !== '/confirm') {
        expect(attempt?.status).to.equal('open');
        expect(await page(link)).to.match(/in progress|under way|being/i);
        stripe.service.clock.advance({ minutes: 4 });
        await stripe.sweep();
      }
      expect(await stripe.events(link)).to.deep.equal(['paid']);
      expect(stripe.books.charged(stripe.account)).to.equal(1);
    });
  }

  it('a payment that could not be begun is answered within 20 seconds, and the patient may try again', async () => {
    const link = await stripe.link();
    fallSilent('');
    const { status, location } = await within(20_000, submit(link));
    expect([status, location?.includes('result=cancelled')]).to.deep.equal([303, true]);
    stripe.stripe.faults.length = 0;
    expect(await stripe.pay(link, 'success')).to.equal('accepted');
    expect(stripe.books.charged(stripe.account)).to.equal(1);
  });

  it('a change of the amount and a cancellation that wait for a payment answer 503 within ten seconds', async () => {
    const link = await stripe.link();
    expect(await stripe.pay(link, 'challenge')).to.equal('requires_action');
    fallSilent('');
    const path = `/api/v1/payment-links/${link.id}`;
    const { live } = stripe.practice;
    const replies = await within(10_000, Promise.all([live.patch(path, { amount: 1 }), live.post(`${path}/cancel`)]));
    for (const reply of replies) {
      expect([reply.status, reply.body.error.code]).to.deep.equal([503, 'service_unavailable']);
      expect(Number(reply.headers['retry-after'])).to.be.within(30, 60);
    }
    stripe.stripe.faults.length = 0;
    expect((await live.post(`${path}/cancel`)).body.status).to.equal('cancelled');
  });

  it('a page that waits for the patient’s bank is shown within ten seconds', async () => {
    const { link } = await stripe.submitted('challenge');
    fallSilent('');
    expect(await within(10_000, page(link))).to.include('</html>');
  });

  it('a refund of an operator ends as pending within 20 seconds, and is made once', async () => {
    const { link } = await stripe.submitted('success', { amount: 100 });
    fallSilent('POST /v1/refunds');
    const refund = await within(20_000, stripe.refund(link, 4_000));
    expect(refund.status).to.equal('pending');
    stripe.stripe.faults.length = 0;
    stripe.service.clock.advance({ hours: 1 });
    await stripe.sweep();
    const reference = (await stripe.reference(link)) ?? '';
    expect(await stripe.processor.retrieveRefunds({ id: stripe.account }, reference)).to.have.length(1);
  });

  it('a worker that must stop does so within 20 seconds, and leaves its payment to the next run', async () => {
    await stripe.submitted('challenge');
    await stripe.service.query('update payment_attempts set reconcile_at = now()');
    fallSilent('');
    stripe.stripe.requests.length = 0;
    const worker = startProcess(
      'worker',
      serviceEnvironment(stripe.service.config.databaseUrl, {
        PROCESSOR: 'stripe',
        STRIPE_SECRET_KEY: 'sk_test_fake',
        STRIPE_PUBLISHABLE_KEY: 'pk_test_fake',
        STRIPE_API_BASE: stripe.stripe.url,
      }),
    );
    await until(() => stripe.stripe.requests.length > 0, worker.log);
    worker.signal('SIGTERM');
    expect(await within(20_000, worker.ended), worker.log()).to.equal(0);
    const [attempt] = await stripe.service.query(
      'select status, reconcile_at is not null as waits from payment_attempts',
    );
    expect(attempt).to.deep.equal({ status: 'requires_action', waits: true });
  });
});
