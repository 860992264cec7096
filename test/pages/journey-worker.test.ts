import { expect } from 'chai';
import { createLogger } from '../../src/base/log/log.ts';
import { type RunningWorker, startWorker } from '../../src/processes/worker.ts';
import { SettableClock } from '../harness/clock.ts';
import { query } from '../harness/database.ts';
import { until } from '../harness/processes.ts';
import { accept, isSignedWith, type Received, Receiver } from '../harness/receiver.ts';
import { createLink, type TestPractice, TestService } from '../harness/service.ts';
import { createEndpoint, type Endpoint } from '../harness/webhooks.ts';
import { heading, useVisits } from './fixtures/browser.ts';

describe('payments and their webhooks, with a worker', function () {
  this.timeout(180_000);
  let service: TestService;
  let practice: TestPractice;
  let receiver: Receiver;
  let endpoint: Endpoint;
  let worker: RunningWorker;
  const visits = useVisits();

  before(async () => {
    // The worker and its jobs use the real time. The sandbox behind the page uses this clock, which stands still.
    const clock = new SettableClock(new Date().toISOString());
    service = await TestService.start({ clock });
    practice = await service.practice();
    receiver = await new Receiver().start();
    receiver.answer = accept;
    endpoint = await createEndpoint(practice.live, receiver.url);
    worker = await startWorker(service.config, createLogger('silent'));
  });

  after(async () => {
    await worker?.stop();
    await service?.close();
    await receiver?.close();
    expect(receiver?.faults).to.deep.equal([]);
  });

  /** Returns the webhooks about a link, in the order of their events: a delivery can overtake another one. */
  function arrived(id: string): Received[] {
    return receiver.received
      .filter(({ event }) => event.data.paymentLink.id === id)
      .sort((one, other) => one.event.createdAt.localeCompare(other.event.createdAt));
  }

  async function arrive(id: string, types: string[]): Promise<void> {
    await until(
      () => arrived(id).length >= types.length,
      () => `${arrived(id).length} of ${types.length} webhooks arrived`,
    );
    expect(arrived(id).map(({ type }) => type)).to.deep.equal(types);
    for (const received of arrived(id)) expect(isSignedWith(endpoint.secret, received)).to.equal(true);
  }

  async function open() {
    const link = await createLink(practice.live);
    const page = await visits.open(service.baseUrl, new URL(link.url).pathname, { width: 390 });
    return { page, id: link.id };
  }

  it('a card payment shows the receipt at once and sends payment_link.paid, signed', async () => {
    const { page, id } = await open();
    await page.getByRole('button', { name: 'Pay $125.50' }).click();
    await heading(page, 'Thank you, your payment was received');
    await page.getByText('Visa ending in 4242').waitFor();
    await arrive(id, ['payment_link.paid']);
    const reported = arrived(id)[0]?.event.data.paymentLink;
    expect(reported).to.include({ status: 'paid', amount: 125.5 });
    expect((await practice.live.get(`/api/v1/payment-links/${id}`)).body).to.deep.equal(reported);
  });

  it('a bank debit is on its way, settles, and sends both webhooks in order', async () => {
    const { page, id } = await open();
    await page.getByLabel('US bank account', { exact: true }).check();
    await page.getByRole('button', { name: 'Pay $125.50' }).click();
    await heading(page, 'Your bank payment is on its way');
    // The debit settles only now, because a busy machine may show the page late.
    const { databaseUrl } = service.config;
    await query(databaseUrl, `update sandbox.payments set final_at = now() - interval '1 second'`);
    await query(databaseUrl, 'update transactions set reconcile_at = created_at where reconcile_at is not null');
    await arrive(id, ['payment_link.processing', 'payment_link.paid']);
    const states = arrived(id).map(({ event }) => event.data.paymentLink.transaction.status);
    expect(states).to.deep.equal(['pending', 'succeeded']);
    await page.reload();
    await page.getByText('Bank account ending in 6789').waitFor();
    expect(await page.getByText('is on its way').count()).to.equal(0);
    await page.goto(new URL(page.url()).pathname);
    await heading(page, 'This has already been paid');
  });
});
