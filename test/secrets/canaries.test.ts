import { expect } from 'chai';
import { createLogger } from '../../src/base/log/log.ts';
import { sensitiveFields } from '../../src/contract/sensitive-fields.ts';
import type { RunningServer } from '../../src/http/server.ts';
import { startServer } from '../../src/processes/serve.ts';
import { type RunningWorker, startWorker } from '../../src/processes/worker.ts';
import { Client, type Exchange } from '../harness/client.ts';
import { createDatabase, query } from '../harness/database.ts';
import { until } from '../harness/processes.ts';
import { accept, Receiver, refuse } from '../harness/receiver.ts';
import { createLink, idempotent, linkBody, type TestPractice, TestService } from '../harness/service.ts';
import { createEndpoint, DELIVERIES, ENDPOINTS, ping } from '../harness/webhooks.ts';
import { expectNone, keepJobs, keptJobs, PERSONAL, personalLink, rowsByTable } from './canaries.ts';

const LINKS = '/api/v1/payment-links';

/** The whole flow, with API and worker at debug level, and afterwards a look into everything they left behind. */
describe('secrets and personal data of patients', () => {
  let service: TestService;
  let practice: TestPractice;
  let receiver: Receiver;
  let server: RunningServer;
  let worker: RunningWorker;
  let databaseUrl: string;
  const lines: string[] = [];
  const refusals: Exchange[] = [];
  /** Keys, webhook secrets and the secret part of pages' addresses. */
  const keys: string[] = [];
  const webhookSecrets: string[] = [];
  const tokens: string[] = [];

  before(async () => {
    databaseUrl = await createDatabase();
    const WEBHOOK_RETRY_SECONDS = Array(7).fill('0.01').join(',');
    service = await TestService.start({ databaseUrl, env: { WEBHOOK_RETRY_SECONDS } });
    service.clock.set(new Date().toISOString());
    practice = await service.practice();
    receiver = await new Receiver().start();
    await keepJobs(databaseUrl);
    const log = createLogger('debug', sensitiveFields, { write: (line) => void lines.push(line) });
    server = await startServer(service.config, log);
    worker = await startWorker(service.config, log);
    await wholeFlow();
    await worker.stop();
    await server.close();
  });

  after(async () => {
    await service.close();
    await receiver.close();
    expect(receiver.faults).to.deep.equal([]);
  });

  const asked = ({ key }: Client) => new Client(`http://127.0.0.1:${server.port}`, key);

  /** Remembers a refusal, whose text is looked through as well. */
  async function refused(reply: Promise<Exchange>): Promise<number> {
    const exchange = await reply;
    expect(exchange.status).to.be.at.least(400);
    refusals.push(exchange);
    return exchange.status;
  }

  async function deliveriesWith(client: Client, status: string): Promise<number> {
    return (await client.get(`${DELIVERIES}?status=${status}`)).body.totalCount;
  }

  /** Has the database refuse a kind of row for as long as `work` takes: its errors quote the row. */
  async function withBrokenTable(table: string, check: string, work: () => Promise<unknown>): Promise<void> {
    await query(databaseUrl, `alter table ${table} add constraint trouble check (${check}) not valid`);
    await work();
    await query(databaseUrl, `alter table ${table} drop constraint trouble`);
  }

  async function wholeFlow(): Promise<void> {
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
      await until(
        async () => (await deliveriesWith(client, 'delivered')) === 2,
        () => lines.slice(-5).join(''),
      );
    }
    await failingDeliveries(test);
    await refusedRequests(test);
    receiver.answer = accept;
  }

  async function failingDeliveries(client: Client): Promise<void> {
    receiver.answer = refuse(500);
    const paid = await createLink(client, personalLink());
    await client.post(`${LINKS}/${paid.id}/simulate`, { outcome: 'paid' });
    await until(
      async () => (await deliveriesWith(client, 'exhausted')) === 1,
      () => lines.slice(-5).join(''),
    );
    await withBrokenTable('webhook_deliveries', `last_error is null or status = 'exhausted'`, async () => {
      const expired = await createLink(client, personalLink());
      await client.post(`${LINKS}/${expired.id}/simulate`, { outcome: 'expired' });
      await until(
        () => lines.some((line) => line.includes('webhook round failed')),
        () => lines.slice(-5).join(''),
      );
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

  const all = () => [...Object.values(PERSONAL), ...keys, ...webhookSecrets, ...tokens];

  it('secrets and personal data are in no line of the log, whatever happened, at debug level', () => {
    const text = lines.join('');
    for (const seen of ['"request"', 'webhook attempt', 'internal_error', 'webhook round failed', '23514']) {
      expect(text, 'the flow was logged').to.include(seen);
    }
    expectNone('the log', text, all());
  });

  it('secrets and personal data are in no job, and no error of a job', async () => {
    const jobs = await keptJobs(databaseUrl);
    expect(jobs).to.not.equal('');
    expectNone('the jobs', jobs, all());
  });

  it('secrets and personal data are in no error text that a caller gets', () => {
    expect(refusals.map(({ status }) => status)).to.include.members([400, 401, 404, 500]);
    expectNone('the refusals', refusals.map(({ text }) => text).join(), all());
  });

  it('webhook secrets and keys lie nowhere in the database in clear', async () => {
    const tables = await rowsByTable(databaseUrl);
    expect([...tables.keys()]).to.include('public.webhook_endpoints');
    for (const [name, rows] of tables) expectNone(name, rows, [...keys, ...webhookSecrets]);
  });
});
