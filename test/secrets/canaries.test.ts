import { expect } from 'chai';
import type { RunningServer } from '../../src/http/server.ts';
import { startServer } from '../../src/main/processes/serve.ts';
import { startWorker } from '../../src/main/processes/worker.ts';
import { createRefund } from '../../src/payment-links/payments/create-refund.ts';
import { separately } from '../../src/payment-links/store/change.ts';
import { CapturedLog } from '../harness/captured-log.ts';
import { Client, type Exchange } from '../harness/client.ts';
import { useReceiver } from '../harness/fixtures.ts';
import { until } from '../harness/processes.ts';
import { accept, refuse } from '../harness/receiver.ts';
import { createLink, idempotent, linkBody, type TestPractice, TestService } from '../harness/service.ts';
import { createEndpoint, DELIVERIES, ENDPOINTS, ping } from '../harness/webhooks.ts';
import { FakeStripe } from '../processors/fake-stripe.ts';
import { expectNone, keepJobs, keptJobs, PERSONAL, personalLink, rowsByTable } from './canaries.ts';

const LINKS = '/api/v1/payment-links';
const REFUND_REASON = 'a canary was sad';
const SECRET_KEY = 'sk_test_CanarySecret';

/** Tables whose business it is to know the patient, and the page's address. */
const KNOWING = ['public.idempotent_replies', 'public.patients', 'public.payment_links', 'public.webhook_deliveries'];

/**
 * Links, webhooks and live payments through Stripe, on the pages as patients use them, with everything that can go wrong. API and
 * worker log at debug level, and afterwards the tests look into everything they left behind.
 */
describe('secrets and personal data of patients', () => {
  const captured = new CapturedLog('debug');
  const receiver = useReceiver();
  let stripe: FakeStripe;
  let service: TestService;
  let practice: TestPractice;
  let server: RunningServer;
  let account: string;
  let databaseUrl: string;
  const refusals: Exchange[] = [];
  /** Keys, webhook secrets and the secret part of pages' addresses. */
  const keys: string[] = [];
  const webhookSecrets: string[] = [];
  const tokens: string[] = [];
  /** Data that only Stripe may receive. */
  const stripeSecrets: string[] = [];

  before(async () => {
    stripe = await new FakeStripe(() => new Date()).start();
    stripeSecrets.push(SECRET_KEY, stripe.webhookSecret);
    const env = {
      PROCESSOR: 'stripe',
      STRIPE_SECRET_KEY: SECRET_KEY,
      STRIPE_PUBLISHABLE_KEY: 'pk_test_fake',
      STRIPE_WEBHOOK_SECRETS: stripe.webhookSecret,
      STRIPE_API_BASE: stripe.url,
      WEBHOOK_RETRY_SECONDS: Array(7).fill('0.01').join(','),
    };
    service = await TestService.start({ env, log: captured.log });
    ({ databaseUrl } = service.config);
    service.clock.set(new Date().toISOString());
    practice = await service.practice();
    account = stripe.books.addAccount();
    await service.query('update practices set processor_account_id = $1', [account]);
    await keepJobs(databaseUrl);
    server = await startServer(service.config, captured.log);
    const worker = await startWorker(service.config, captured.log);
    await links();
    await byCard();
    await byDebit();
    await inTrouble();
    await worker.stop();
    await server.close();
  });

  after(async () => {
    await service?.close();
    await stripe?.close();
  });

  const base = () => `http://127.0.0.1:${server.port}`;
  const asked = ({ key }: Client) => new Client(base(), key);
  const logged = (text: string) =>
    until(
      () => JSON.stringify(captured.lines).includes(text),
      () => `the log has no ${text}`,
    );

  /** Remembers a refusal, whose text is looked through as well. */
  async function refused(reply: Promise<Exchange>): Promise<number> {
    const exchange = await reply;
    expect(exchange.status).to.be.at.least(400);
    refusals.push(exchange);
    return exchange.status;
  }

  /** Waits until so many deliveries have the status. */
  async function delivered(client: Client, status: string, count: number): Promise<void> {
    await until(
      async () => (await client.get(`${DELIVERIES}?status=${status}`)).body.totalCount === count,
      () => JSON.stringify(captured.lines.slice(-5)),
    );
  }

  /** Has the database refuse a kind of row for as long as `work` takes: its errors quote the row. */
  async function withBrokenTable(table: string, check: string, work: () => Promise<unknown>): Promise<void> {
    await service.query(`alter table ${table} add constraint trouble check (${check}) not valid`);
    await work();
    await service.query(`alter table ${table} drop constraint trouble`);
  }

  async function links(): Promise<void> {
    const [test, live] = [asked(practice.test), asked(practice.live)];
    keys.push(test.key ?? '', live.key ?? '');
    for (const client of [test, live]) {
      const endpoint = await createEndpoint(client, receiver.url);
      const rotate = () => client.post(`${ENDPOINTS}/${endpoint.id}/rotate-secret`, undefined, idempotent('rotation'));
      await withBrokenTable('sealed_replies', `operation <> 'rotateWebhookEndpointSecret'`, async () => {
        expect(await refused(rotate())).to.equal(500);
      });
      const rotated = await rotate();
      webhookSecrets.push(endpoint.secret, rotated.body.secret);
      const link = await createLink(client, personalLink());
      tokens.push(new URL(link.url).pathname.split('/').at(-1) ?? '');
      await client.patch(`${LINKS}/${link.id}`, { patient: { phone: PERSONAL.phone } });
      await client.get(`${LINKS}?externalReference=${PERSONAL.externalReference}`);
      await ping(client, endpoint.id);
      await client.post(`${LINKS}/${link.id}/cancel`);
      await delivered(client, 'delivered', 2);
    }
    await failingDeliveries(test);
    await refusedRequests(test);
    receiver.answer = accept;
  }

  async function failingDeliveries(client: Client): Promise<void> {
    receiver.answer = refuse(500);
    const paid = await createLink(client, personalLink());
    await client.post(`${LINKS}/${paid.id}/simulate`, { outcome: 'paid' });
    await delivered(client, 'exhausted', 1);
    await withBrokenTable('webhook_deliveries', `last_error is null or status = 'exhausted'`, async () => {
      const expired = await createLink(client, personalLink());
      await client.post(`${LINKS}/${expired.id}/simulate`, { outcome: 'expired' });
      await logged('webhook round failed');
    });
  }

  async function refusedRequests(client: Client): Promise<void> {
    const create = (body: Record<string, unknown>) => client.post(LINKS, linkBody(body), idempotent());
    await withBrokenTable('payment_links', 'amount_cents <> 66600', async () => {
      expect(await refused(create({ ...personalLink(), amount: 666 }))).to.equal(500);
    });
    const patient = personalLink().patient;
    for (const body of [
      { ...personalLink(), patient: { ...patient, phone: PERSONAL.lastName } },
      { ...personalLink(), patient: { ...patient, email: PERSONAL.firstName } },
      { ...personalLink(), amount: PERSONAL.description },
      { ...personalLink(), locationId: PERSONAL.externalId },
      { ...personalLink(), metadata: { note: { deep: PERSONAL.metadata } } },
      { ...personalLink(), expiresAt: PERSONAL.description },
    ]) {
      await refused(create(body));
    }
    await refused(client.post(LINKS, `{"description": "${PERSONAL.description}`, idempotent()));
    await refused(client.get(`${LINKS}?status=${encodeURIComponent(PERSONAL.description)}`));
    await refused(client.get(`${LINKS}/${encodeURIComponent(PERSONAL.description)}`));
    const unknown = `${practice.live.key?.slice(0, -1)}~`;
    keys.push(unknown);
    await refused(client.as(unknown).get(LINKS));
  }

  async function link(amount: number) {
    const made = await createLink(asked(practice.live), { amount, ...personalLink() });
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
    const [row] = await service.query<{ reference: string }>(
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
        .filter(({ event }) => event.data.paymentLink?.id === id)
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
    expect(
      (
        await createRefund(
          { ...scope, processor: await service.processor(), ...separately },
          {
            linkId: paid.id,
            amountCents: 4000,
            reason: REFUND_REASON,
          },
        )
      ).status,
    ).to.equal('succeeded');
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
    await service.query('alter table transactions add constraint trouble check (amount_cents <> 66600) not valid');
    const broken = await link(666);
    expect(await pay(broken, 'card', 'ctoken_success')).to.equal(500);
    await deliver();
    await logged('notification failed');
    await service.query('alter table transactions drop constraint trouble');
    stripe.faults.push({ match: '/v1/payment_intents', kind: 'error', times: 4 });
    const away = await link(400);
    expect(await pay(away, 'card', 'ctoken_challenge')).to.equal(303);
    expect((await fetch(`${base()}/pay/${tokens[0]}x`)).status).to.equal(404);
    expect(
      (await fetch(`${base()}/processor/notifications/stripe`, { method: 'POST', body: tokens[0] ?? '' })).status,
    ).to.equal(400);
  }

  const patients = () => [...Object.values(PERSONAL), ...tokens];
  const secrets = () => [...keys, ...webhookSecrets, ...stripeSecrets];
  const all = () => [...patients(), ...secrets(), REFUND_REASON];

  it('secrets and personal data are in no line of the log, whatever happened, at debug level', () => {
    const text = captured.lines.map((line) => JSON.stringify(line)).join('\n');
    for (const seen of [
      ...['"request"', 'webhook attempt', 'internal_error', 'webhook round failed', '23514'],
      ...['Stripe refused a call', 'notification failed'],
    ]) {
      expect(text, 'the flow was logged').to.include(seen);
    }
    expectNone('the log', text, all());
  });

  it('secrets and personal data are in no job, and no error of a job', async () => {
    const jobs = await keptJobs(databaseUrl);
    expect(jobs).to.include('evt_fake');
    expectNone('the jobs', jobs, all());
  });

  it('secrets and personal data are in no error text that a caller gets', () => {
    expect(refusals.map(({ status }) => status)).to.include.members([400, 401, 404, 500]);
    expectNone('the refusals', refusals.map(({ text }) => text).join(), all());
  });

  it('webhook secrets and keys lie nowhere in the database in clear, and patients’ data only where they belong', async () => {
    const tables = await rowsByTable(databaseUrl);
    expect([...tables.keys()]).to.include.members([
      ...[...KNOWING, 'public.processor_notifications', 'public.webhook_endpoints'],
    ]);
    for (const [name, rows] of tables) {
      expectNone(name, rows, secrets());
      if (!KNOWING.includes(name)) expectNone(name, rows, patients());
    }
  });

  it('no data about patients is sent to Stripe, except the token in the return URL', () => {
    const sent = stripe.requests.map((request) => request.replace(/return_url=[^&]*/, '')).join('\n');
    expect(sent).to.include('POST /v1/refunds');
    expectNone('what Stripe got', sent, [...patients(), REFUND_REASON]);
  });
});
