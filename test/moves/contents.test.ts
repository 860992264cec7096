import { expect } from 'chai';
import pg from 'pg';
import type { ApiError } from '../../src/base/errors.ts';
import { createLogger } from '../../src/base/log/log.ts';
import { type MoveOptions, type MoveStep, movePractices } from '../../src/moves/move.ts';
import { startWorker } from '../../src/worker.ts';
import type { Client } from '../harness/client.ts';
import { query, testServer } from '../harness/database.ts';
import { Payments, SETTLE_SECONDS } from '../harness/payments.ts';
import { startPaylinks, until } from '../harness/processes.ts';
import { isSignedWith, Receiver, refuse } from '../harness/receiver.ts';
import { createLink, idempotent, type TestPractice } from '../harness/service.ts';
import { createEndpoint, deliver, ENDPOINTS, paidLink } from '../harness/webhooks.ts';
import { TwoCells } from './two-cells.ts';

const LINKS = '/api/v1/payment-links';
const EVENTS = '/api/v1/test-helpers/events';

describe('what moves with a practice', function () {
  this.timeout(180_000);
  let cells: TwoCells;
  let practice: TestPractice;
  const receiver = new Receiver();

  before(() => receiver.start());

  // Each test moves the clocks of its own cells.
  beforeEach(async () => {
    cells = await TwoCells.start({ workers: false });
    practice = await cells.source.practice();
  });

  afterEach(() => cells.close());

  after(() => receiver.close());

  const move = (options: Partial<MoveOptions> = {}) =>
    movePractices({ ...cells.urls, ...options, practiceIds: [practice.practiceId] });

  const there = (client: Client) => cells.target.client(client.key);

  it('payments go on: a pending debit settles, an unfinished payment stays open, and nothing is charged twice', async () => {
    const [source, target] = [new Payments(cells.source), new Payments(cells.target)];
    const [pending, open, paid] = [
      await source.link(practice),
      await source.link(practice),
      await source.link(practice),
    ];
    await source.pay(pending, 'bank_settles');
    await source.pay(open, 'card_challenge');
    await source.pay(paid, 'card_success');
    const attempt = await source.payment(open);
    await move();
    const [row] = await query<{ open: string | null }>(
      cells.urls.targetUrl,
      'select open_attempt_id as open from payment_links where id = $1',
      [open.id],
    );
    expect(row?.open).to.equal(attempt.attemptId);
    cells.target.clock.advance({ seconds: SETTLE_SECONDS });
    await target.sweep();
    const debit = await there(practice.live).get(`${LINKS}/${pending.id}`);
    expect([debit.body.status, debit.body.transaction.status]).to.deep.equal(['paid', 'succeeded']);
    expect(await target.charges(paid)).to.equal(1);
  });

  it('a reply with a secret is replayed, and both secrets of a rotation sign what was waiting', async () => {
    receiver.answer = refuse(500);
    const { id: endpointId, secret } = await createEndpoint(practice.test, receiver.url);
    const rotate = `${ENDPOINTS}/${endpointId}/rotate-secret`;
    const rotated = await practice.test.post(rotate, {}, idempotent('rotate-once'));
    const { id } = await paidLink(practice.test);
    await move();
    const replayed = await there(practice.test).post(rotate, {}, idempotent('rotate-once'));
    expect([replayed.text, replayed.headers['idempotency-replayed']]).to.deep.equal([rotated.text, 'true']);
    receiver.answer = (_, response) => void response.writeHead(200).end();
    const worker = await startWorker(cells.target.config, createLogger('silent'));
    try {
      const arrived = () => receiver.received.filter(({ type }) => type === 'payment_link.paid');
      await until(
        () => arrived().length > 0,
        () => 'the waiting event does not arrive',
      );
      for (const one of arrived()) {
        expect([secret, rotated.body.secret].map((secret) => isSignedWith(secret, one))).to.deep.equal([true, true]);
      }
      const { body } = await there(practice.test).get(`${LINKS}/${id}`);
      expect(body.status).to.equal('paid');
    } finally {
      await worker.stop();
    }
  });

  it('a reader of test events goes on with its cursor, and misses no event of either cell', async () => {
    const first = await practice.test.get(EVENTS);
    await paidLink(practice.test);
    const second = await practice.test.get(`${EVENTS}?after=${first.body.cursor}`);
    expect(second.body.data).to.have.length(1);
    await paidLink(practice.test);
    // Transaction numbers of the target may be behind those of the source, or ahead.
    await move();
    await paidLink(there(practice.test));
    const third = await there(practice.test).get(`${EVENTS}?after=${second.body.cursor}`);
    expect(third.status).to.equal(200);
    const ids = (
      await query<{ id: string }>(
        cells.urls.targetUrl,
        'select id from test_events where practice_id = $1 order by id',
        [practice.practiceId],
      )
    ).map(({ id }) => id);
    expect(ids).to.have.length(3);
    expect(third.body.data.map(({ id }: { id: string }) => id)).to.deep.equal(ids);
    const fourth = await there(practice.test).get(`${EVENTS}?after=${third.body.cursor}`);
    expect(fourth.body.data).to.deep.equal([]);
  });

  it('queued mails of the practice are in the queue of the target, and no longer in that of the source', async () => {
    const { id } = await createLink(practice.live);
    const add = `select graphile_worker.add_job('send_patient_mail', json_build_object('paymentLinkId', $1::text,
      'language', 'en', 'number', 1), queue_name := 'mails', priority := 1, max_attempts := 20)`;
    await query(cells.urls.sourceUrl, add, [id]);
    await move();
    const queued = `select queue_name, priority, max_attempts from graphile_worker.jobs j
      where exists (select from graphile_worker._private_jobs p where p.id = j.id and p.payload ->> 'paymentLinkId' = $1)`;
    expect(await query(cells.urls.targetUrl, queued, [id])).to.deep.equal([
      { queue_name: 'mails', priority: 1, max_attempts: 20 },
    ]);
    expect(await query(cells.urls.sourceUrl, queued, [id])).to.deep.equal([]);
  });

  it('a delivery under way ends before the copy, so its receiver gets the event once', async () => {
    const slow = await new Receiver().start();
    slow.answer = (_, response) => void setTimeout(() => response.writeHead(200).end(), 1_500);
    const { id: endpointId } = await createEndpoint(practice.test, slow.url);
    await paidLink(practice.test);
    const deliverer = cells.source.deliverer({ timeoutMs: 10_000 });
    deliverer.wakeUp(endpointId);
    await until(
      () => slow.maxInFlight > 0,
      () => 'nothing is sent',
    );
    await move();
    await deliver(cells.target.deliverer(), endpointId);
    const [delivery] = await query(
      cells.urls.targetUrl,
      'select status, attempt_count from webhook_deliveries where endpoint_id = $1',
      [endpointId],
    );
    expect([delivery, slow.received.length]).to.deep.equal([{ status: 'delivered', attempt_count: 1 }, 1]);
    await slow.close();
  });

  it('the source refuses pages and notifications of a moved practice, and its jobs serve the others', async () => {
    const { source } = cells;
    const payments = new Payments(source);
    const other = await source.practice();
    const [moved, stays] = [await payments.link(practice), await payments.link(other)];
    for (const link of [moved, stays]) await payments.pay(link, 'bank_settles');
    const [overdue, expiring] = [await createLink(practice.live), await createLink(other.live)];
    await move();
    expect((await fetch(`${source.baseUrl}/pay/${moved.token}`)).status).to.equal(503);
    expect((await fetch(`${source.baseUrl}/pay/${stays.token}`)).status).to.equal(200);
    const { reference, account } = await payments.payment(moved);
    const refused = await payments.notify(account, { kind: 'payment', reference }).catch((error: ApiError) => error);
    expect(refused).to.have.property('code', 'service_unavailable');
    source.clock.advance({ days: 40 });
    await payments.sweep();
    const states = await query<{ id: string; status: string }>(
      cells.urls.sourceUrl,
      `select l.id, coalesce(t.status, l.status) as status
       from payment_links l left join transactions t on t.payment_link_id = l.id where l.id = any ($1)`,
      [[moved, stays, overdue, expiring].map(({ id }) => id)],
    );
    expect(Object.fromEntries(states.map(({ id, status }) => [id, status]))).to.deep.equal({
      [moved.id]: 'pending',
      [stays.id]: 'succeeded',
      [overdue.id]: 'active',
      [expiring.id]: 'expired',
    });
  });

  it('the command moves a practice, and deletes it in the source', async () => {
    await createLink(practice.live);
    const paylinks = async (...args: string[]) => {
      const env = { ...process.env, DATABASE_URL: cells.urls.sourceUrl, PROCESSOR: 'sandbox' };
      const command = startPaylinks(['practices', ...args, '--json'], env);
      const { code, stdout, stderr } = await command.finished;
      return { code, stderr, output: stdout === '' ? null : JSON.parse(stdout) };
    };
    const refused = await paylinks('delete-moved', practice.practiceId);
    expect([refused.code, refused.stderr]).to.deep.equal([
      1,
      `paylinks: ${practice.practiceId} is active in this cell.\nMove it first.\n`,
    ]);
    const moved = await paylinks('move', practice.practiceId, '--to-database-url', cells.urls.targetUrl);
    expect([moved.code, moved.output.practiceIds], moved.stderr).to.deep.equal([0, [practice.practiceId]]);
    expect(moved.output.frozenMs).to.satisfy((ms: number) => ms > 0 && Number.isInteger(ms));
    const deleted = await paylinks('delete-moved', practice.practiceId);
    expect([deleted.code, deleted.output.deletedRows > 5]).to.deep.equal([0, true]);
    expect((await there(practice.live).get(LINKS)).body.totalCount).to.equal(1);
  });

  it('a role that may not switch triggers off copies a practice during its freeze, with exact totals', async () => {
    const { targetUrl } = cells.urls;
    const { url } = await testServer();
    const role = `mover_${process.pid}`;
    await query(url, `create role ${role} login bypassrls password 'mover'`);
    await query(targetUrl, `grant pg_read_all_data, pg_write_all_data to ${role}`);
    await query(
      targetUrl,
      `grant execute on all functions in schema public, graphile_worker to ${role};
       grant usage on all sequences in schema graphile_worker, sandbox to ${role}`,
    );
    const payments = new Payments(cells.source);
    await payments.pay(await payments.link(practice), 'card_challenge');
    await Promise.all([1, 2, 3].map(() => createLink(practice.live)));
    const limited = new URL(targetUrl);
    [limited.username, limited.password] = [role, 'mover'];
    const steps: MoveStep[] = [];
    await move({ targetUrl: limited.href, onStep: (step) => void steps.push(step) });
    expect(steps.slice(0, 2)).to.deep.equal(['begun', 'marked']);
    const list = await there(practice.live).get(`${LINKS}?pageSize=1`);
    expect(list.body.totalCount).to.equal(4);
    const client = new pg.Client({ connectionString: targetUrl });
    await client.connect();
    await client.query(`drop owned by ${role}; drop role ${role}`).finally(() => client.end());
    expect(await cells.check(cells.target)).to.deep.equal([]);
  });
});
