import { expect } from 'chai';
import type { RunningServer } from '../../src/http/server.ts';
import { createRefund } from '../../src/payment-links/refund/create-refund.ts';
import { startServer } from '../../src/processes/serve.ts';
import { type RunningWorker, startWorker } from '../../src/processes/worker.ts';
import { CapturedLog } from '../harness/captured-log.ts';
import { Client } from '../harness/client.ts';
import { createDatabase, query } from '../harness/database.ts';
import { until } from '../harness/processes.ts';
import { Receiver } from '../harness/receiver.ts';
import { createLink, type TestPractice, TestService } from '../harness/service.ts';
import { createEndpoint } from '../harness/webhooks.ts';
import { FakeStripe } from '../processors/fake-stripe.ts';
import { expectNone, keepJobs, keptJobs, PERSONAL, personalLink, rowsByTable } from './canaries.ts';

const REFUND_REASON = 'a canary was sad';
const SECRET_KEY = 'sk_test_CanarySecret';

/** Tables whose business it is to know the patient, and the page's address. */
const KNOWING = ['public.idempotent_replies', 'public.patients', 'public.payment_links', 'public.webhook_deliveries'];

/** Live payments through Stripe, on the pages as patients use them, with everything that can go wrong, at debug level. */
describe('secrets and patients behind payments', () => {
  const captured = new CapturedLog('debug');
  let stripe: FakeStripe;
  let service: TestService;
  let practice: TestPractice;
  let receiver: Receiver;
  let server: RunningServer;
  let worker: RunningWorker;
  let account: string;
  let databaseUrl: string;
  /** The secret parts of pages' addresses. */
  const tokens: string[] = [];
  /** Data that only Stripe may receive. */
  const stripeSecrets: string[] = [];

  before(async () => {
    databaseUrl = await createDatabase();
    stripe = await new FakeStripe(() => new Date()).start();
    stripeSecrets.push(SECRET_KEY, stripe.webhookSecret);
    const env = {
      PROCESSOR: 'stripe',
      STRIPE_SECRET_KEY: SECRET_KEY,
      STRIPE_PUBLISHABLE_KEY: 'pk_test_fake',
      STRIPE_WEBHOOK_SECRETS: stripe.webhookSecret,
      STRIPE_API_BASE: stripe.url,
    };
    service = await TestService.start({ databaseUrl, env, log: captured.log });
    service.clock.set(new Date().toISOString());
    practice = await service.practice();
    account = stripe.books.addAccount();
    await run('update practices set processor_account_id = $1', [account]);
    receiver = await new Receiver().start();
    await keepJobs(databaseUrl);
    server = await startServer(service.config, captured.log);
    worker = await startWorker(service.config, captured.log);
    await createEndpoint(asked(), receiver.url);
    await byCard();
    await byDebit();
    await inTrouble();
    await worker.stop();
    await server.close();
  });

  after(async () => {
    await service?.close();
    await receiver?.close();
    await stripe?.close();
    expect(receiver?.faults).to.deep.equal([]);
  });

  const run = <Row extends Record<string, unknown>>(text: string, values: unknown[] = []) =>
    query<Row>(databaseUrl, text, values);
  const base = () => `http://127.0.0.1:${server.port}`;
  const asked = () => new Client(base(), practice.live.key);

  async function link(amount: number) {
    const made = await createLink(asked(), { amount, ...personalLink() });
    const token = new URL(made.url).pathname.split('/').at(-1) ?? '';
    tokens.push(token);
    return { id: made.id, amount, page: `/pay/${token}` };
  }

  type Link = Awaited<ReturnType<typeof link>>;

  async function post(path: string, fields: Record<string, string>): Promise<Response> {
    return fetch(`${base()}${path}`, { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual' });
  }

  const shown = async ({ page }: Link) => (await fetch(`${base()}${page}`)).text();

  /** Sends the page's form with what Stripe's frame hands over. */
  async function pay(to: Link, methodType: 'card' | 'us_bank_account', token: string): Promise<number> {
    const day = /name="day" value="([^"]+)"/.exec(await shown(to))?.[1] ?? '';
    stripeSecrets.push(token);
    const fields = { lang: 'en', amount_cents: `${to.amount * 100}`, day, method_type: methodType };
    return (await post(`${to.page}/submit`, { ...fields, confirmation_token: token })).status;
  }

  async function reference({ id }: Link): Promise<string> {
    const [row] = await run<{ reference: string }>(
      'select processor_reference as reference from payment_attempts where payment_link_id = $1 order by id desc',
      [id],
    );
    return row?.reference ?? '';
  }

  /** Delivers all notifications of Stripe. */
  async function deliver(): Promise<void> {
    for (const event of stripe.books.events.splice(0)) {
      const { raw, headers } = stripe.sign(event);
      const reply = await fetch(`${base()}/processor/notifications/stripe`, { method: 'POST', body: raw, headers });
      expect(reply.status).to.equal(200);
    }
  }

  /** Waits for the events of a link, in any order: a delivery can overtake another one. */
  async function becomes({ id }: Link, events: string[]): Promise<void> {
    const types = () =>
      receiver.received
        .filter(({ event }) => event.data.paymentLink.id === id)
        .map(({ type }) => type)
        .sort();
    const wanted = events.map((event) => `payment_link.${event}`).sort();
    await until(
      () => types().join() === wanted.join(),
      () => `${types().join()} arrived`,
    );
  }

  async function byCard(): Promise<void> {
    const paid = await link(100);
    expect(await pay(paid, 'card', 'ctoken_declined')).to.equal(303);
    expect(await pay(paid, 'card', 'ctoken_challenge')).to.equal(303);
    const clientSecret = `${await reference(paid)}_secret_fake`;
    expect(await shown(paid)).to.include(clientSecret);
    stripeSecrets.push(clientSecret);
    stripe.books.finishAction(account, await reference(paid), true);
    // The address to which Stripe sends patients back carries the secret too.
    await fetch(`${base()}${paid.page}?payment_intent=pi&payment_intent_client_secret=${clientSecret}`);
    expect((await post(`${paid.page}/resume`, { lang: 'en' })).status).to.equal(303);
    expect(await shown(paid)).to.include('ending in 4242');
    const scope = service.scope();
    expect((await createRefund(scope, await service.processor(), paid.id, 4000, REFUND_REASON)).status).to.equal(
      'succeeded',
    );
    await deliver();
    await becomes(paid, ['paid', 'refunded']);
  }

  async function byDebit(): Promise<void> {
    const paid = await link(200);
    expect(await pay(paid, 'us_bank_account', 'ctoken_bank_settles')).to.equal(303);
    stripe.books.finishDebit(account, await reference(paid), true);
    await deliver();
    await becomes(paid, ['processing', 'paid']);
  }

  async function inTrouble(): Promise<void> {
    const refused = await link(300);
    expect(await pay(refused, 'card', 'ctoken_nobody')).to.equal(303);
    // Errors of the database quote the row.
    await run('alter table transactions add constraint trouble check (amount_cents <> 66600) not valid');
    const broken = await link(666);
    expect(await pay(broken, 'card', 'ctoken_success')).to.equal(500);
    await deliver();
    await until(
      () => captured.lines.some(({ msg }) => /notification failed/.test(String(msg))),
      () => 'the notification did not fail',
    );
    await run('alter table transactions drop constraint trouble');
    stripe.faults.push({ match: '/v1/payment_intents', kind: 'error', times: 4 });
    const away = await link(400);
    expect(await pay(away, 'card', 'ctoken_challenge')).to.equal(303);
    expect((await fetch(`${base()}/pay/${tokens[0]}x`)).status).to.equal(404);
    expect(
      (await fetch(`${base()}/processor/notifications/stripe`, { method: 'POST', body: tokens[0] ?? '' })).status,
    ).to.equal(400);
  }

  const patients = () => [...Object.values(PERSONAL), ...tokens];

  it('secrets and patients’ data are in no line of the log', () => {
    const text = captured.lines.map((line) => JSON.stringify(line)).join('\n');
    for (const seen of ['"request"', 'internal_error', '23514', 'Stripe refused a call', 'notification failed']) {
      expect(text, 'the flow was logged').to.include(seen);
    }
    expectNone('the log', text, [...patients(), ...stripeSecrets, REFUND_REASON]);
  });

  it('secrets and patients’ data are in no job', async () => {
    const jobs = await keptJobs(databaseUrl);
    expect(jobs).to.include('evt_fake');
    expectNone('the jobs', jobs, [...patients(), ...stripeSecrets, REFUND_REASON]);
  });

  it('secrets and patients’ data lie nowhere in the database but where they belong', async () => {
    const tables = await rowsByTable(databaseUrl);
    expect([...tables.keys()]).to.include.members([...KNOWING, 'public.processor_notifications']);
    for (const [name, text] of tables) {
      expectNone(name, text, stripeSecrets);
      if (!KNOWING.includes(name)) expectNone(name, text, patients());
    }
  });

  it('no data about patients is sent to Stripe, except the token in the return URL', () => {
    const sent = stripe.requests.map((request) => request.replace(/return_url=[^&]*/, '')).join('\n');
    expect(sent).to.include('POST /v1/refunds');
    expectNone('what Stripe got', sent, [...patients(), REFUND_REASON]);
  });
});
