import { expect } from 'chai';
import { retentionSweep } from '../../src/processes/tasks.ts';
import { purgeOldDeliveries } from '../../src/webhooks/events/retention.ts';
import { query } from '../harness/database.ts';
import { madeForEach, useServiceForEach } from '../harness/fixtures.ts';
import { accept, Receiver, refuse } from '../harness/receiver.ts';
import { createLink, idempotent, linkBody } from '../harness/service.ts';
import {
  createEndpoint,
  deliver,
  ENDPOINTS,
  type Endpoint,
  followRetrySchedule,
  listDeliveries,
  paidLink,
} from '../harness/webhooks.ts';

describe('retention', () => {
  const service = useServiceForEach();
  const practice = madeForEach(() => service.practice());
  let receiver: Receiver;
  let endpoint: Endpoint;

  beforeEach(async () => {
    receiver = await new Receiver().start();
    endpoint = await createEndpoint(practice.test, receiver.url);
  });

  afterEach(() => receiver.close());

  /** One turn of the worker's sweep. */
  const purge = () => retentionSweep(() => service.scope())(() => true);
  const count = async (table: string) =>
    (await service.query<{ n: number }>(`select count(*)::integer as n from ${table}`))[0]?.n;

  it('a delivered event is kept for 30 days, to the millisecond, and its attempts go with it', async () => {
    await paidLink(practice.test);
    await deliver(service.deliverer(), endpoint.id);
    service.clock.advance({ days: 30 });
    await purge();
    expect(await listDeliveries(practice.test)).to.have.length(1);
    service.clock.advance({ ms: 1 });
    await purge();
    expect(await listDeliveries(practice.test)).to.deep.equal([]);
    expect(await count('webhook_attempts')).to.equal(0);
  });

  it('jobs without a try left are deleted after a week', async () => {
    const jobs: [task: string, name: string, change: string][] = [
      ['mail_failing_endpoint', 'died', `attempts = 1, locked_at = now() - interval '169 hours', locked_by = 'w'`],
      ['mail_failing_endpoint', 'under way', `attempts = 1, locked_at = now() - interval '167 hours', locked_by = 'w'`],
      [
        'mail_failing_endpoint',
        'to come',
        `run_at = now() + interval '2 days', updated_at = now() - interval '8 days'`,
      ],
      ['mail_failing_endpoint', 'late', `run_at = now() - interval '1 day', updated_at = now() - interval '8 days'`],
      ['mail_failing_endpoint', 'exhausted', `attempts = 1, updated_at = now() - interval '169 hours'`],
      ['mail_failing_endpoint', 'exhausted lately', `attempts = 1, updated_at = now() - interval '167 hours'`],
      [
        'mail_failing_endpoint',
        'tried again',
        `max_attempts = 2, attempts = 1, updated_at = now() - interval '169 hours'`,
      ],
    ];
    const { databaseUrl } = service.config;
    await query(databaseUrl, 'delete from graphile_worker._private_jobs');
    for (const [task, name, change] of jobs) {
      await query(databaseUrl, 'select graphile_worker.add_job($1, max_attempts := 1, job_key := $2)', [task, name]);
      await query(databaseUrl, `update graphile_worker._private_jobs set ${change} where key = $1`, [name]);
    }
    await purge();
    const left = await query<{ key: string }>(databaseUrl, 'select key from graphile_worker.jobs order by id');
    const names = jobs.map(([, name]) => name);
    expect(left.map(({ key }) => key)).to.deep.equal(names.filter((name) => !['died', 'exhausted'].includes(name)));
  });

  it('exhausted, skipped and pending deliveries are kept for 90 days', async () => {
    const deliverer = service.deliverer();
    receiver.answer = refuse(500);
    await paidLink(practice.test);
    await followRetrySchedule(service, deliverer, endpoint.id);
    await paidLink(practice.test);
    await practice.test.patch(`${ENDPOINTS}/${endpoint.id}`, { enabled: false });
    await practice.test.patch(`${ENDPOINTS}/${endpoint.id}`, { enabled: true });
    await paidLink(practice.test);
    const before = await listDeliveries(practice.test);
    expect(before.map(({ status }) => status)).to.deep.equal(['exhausted', 'skipped', 'pending']);
    service.clock.set(before[0]?.createdAt ?? '');
    service.clock.advance({ days: 90 });
    await purge();
    expect(await listDeliveries(practice.test), 'all are there on their 90th day').to.have.length(3);
    service.clock.advance({ days: 4 });
    await purge();
    expect(await listDeliveries(practice.test)).to.deep.equal([]);
  });

  it('a delivery that succeeded late is kept for 30 days from its success', async () => {
    await practice.test.patch(`${ENDPOINTS}/${endpoint.id}`, { enabled: false });
    await paidLink(practice.test);
    await practice.test.patch(`${ENDPOINTS}/${endpoint.id}`, { enabled: true });
    const [skipped] = await listDeliveries(practice.test);
    service.clock.advance({ days: 80 });
    await practice.test.post(`/api/v1/webhook-deliveries/${skipped?.id}/redeliver`);
    receiver.answer = accept;
    await deliver(service.deliverer(), endpoint.id);
    service.clock.advance({ days: 29 });
    await purge();
    expect(await listDeliveries(practice.test)).to.have.length(1);
    service.clock.advance({ days: 2 });
    await purge();
    expect(await listDeliveries(practice.test)).to.deep.equal([]);
  });

  it('a redelivery after 80 days runs to its end, which is kept for 30 days from its last attempt', async () => {
    receiver.answer = refuse(500);
    const deliverer = service.deliverer();
    await paidLink(practice.test);
    await followRetrySchedule(service, deliverer, endpoint.id);
    const [exhausted] = await listDeliveries(practice.test);
    service.clock.set(exhausted?.createdAt ?? '');
    service.clock.advance({ days: 88 });
    await practice.test.post(`/api/v1/webhook-deliveries/${exhausted?.id}/redeliver`);
    await followRetrySchedule(service, deliverer, endpoint.id, 7);
    service.clock.advance({ days: 1, hours: 23 });
    await purge();
    const status = async () => (await listDeliveries(practice.test)).map(({ status }) => status);
    expect(await status()).to.deep.equal(['retrying']);
    service.clock.advance({ hours: 1 });
    await deliver(deliverer, endpoint.id);
    service.clock.advance({ days: 30 });
    await purge();
    expect(await status()).to.deep.equal(['exhausted']);
    service.clock.advance({ days: 1 });
    await purge();
    expect(await status()).to.deep.equal([]);
  });

  it('deliveries are deleted in batches, oldest first, and the result says when there may be more', async () => {
    await paidLink(practice.test);
    await deliver(service.deliverer(), endpoint.id);
    await service.query(`insert into webhook_deliveries (id, practice_id, endpoint_id, type, test, status, payload, delivery_run, delivered_at,
         created_at)
       select 'evt_0' || n, practice_id, endpoint_id, type, test, status, payload, delivery_run,
         delivered_at - n * interval '1 minute', created_at - n * interval '1 minute'
       from webhook_deliveries, generate_series(1, 2500) as n`);
    service.clock.advance({ days: 30 });
    const left: unknown[] = [];
    for (let more = true; more; left.push(await count('webhook_deliveries'))) {
      more = await purgeOldDeliveries(service.scope());
    }
    expect(left).to.deep.equal([1501, 501, 1]);
  });

  it('several workers share the deletions, and none deletes a row twice', async () => {
    await paidLink(practice.test);
    await deliver(service.deliverer(), endpoint.id);
    service.clock.advance({ days: 31 });
    await Promise.all([purge(), purge(), purge()]);
    expect(await count('webhook_deliveries')).to.equal(0);
  });

  it('a former secret is erased when its 24 hours are over', async () => {
    await practice.test.post(`${ENDPOINTS}/${endpoint.id}/rotate-secret`);
    const former = async () =>
      (await service.query('select previous_secret_ciphertext as it from webhook_endpoints'))[0]?.it;
    service.clock.advance({ hours: 23, minutes: 59 });
    await purge();
    expect(await former()).to.be.a('string');
    service.clock.advance({ minutes: 1 });
    await purge();
    expect(await former()).to.equal(null);
  });

  it('replies for idempotency keys are deleted after 24 hours, not before', async () => {
    const { headers } = idempotent('once');
    const first = await practice.test.post('/api/v1/payment-links', linkBody(), { headers });
    service.clock.advance({ hours: 23, minutes: 59 });
    await purge();
    const again = await practice.test.post('/api/v1/payment-links', linkBody(), { headers });
    expect(again.text).to.equal(first.text);
    service.clock.advance({ minutes: 1 });
    await purge();
    expect(await count('idempotent_replies')).to.equal(0);
  });

  it('daily counts are deleted after a week, and the present daily cap stays', async () => {
    await createLink(practice.test);
    service.clock.advance({ days: 7 });
    await purge();
    expect(await count('daily_link_counts')).to.equal(1);
    await createLink(practice.test);
    service.clock.advance({ days: 1 });
    await purge();
    expect(await count('daily_link_counts')).to.equal(1);
  });

  it('idle rate windows are deleted with their slots; others stay exact', async () => {
    const limited = await service.key({ practiceId: practice.practiceId, test: true, requestsPerMinute: 2 });
    const ask = async () => (await limited.get(ENDPOINTS)).status;
    expect([await ask(), await ask(), await ask()]).to.deep.equal([200, 200, 429]);
    await purge();
    expect(await ask(), 'a window in use is not forgotten').to.equal(429);
    service.clock.advance({ minutes: 6 });
    await purge();
    expect([await count('rate_windows'), await count('rate_slots')]).to.deep.equal([0, 0]);
    expect([await ask(), await ask(), await ask()]).to.deep.equal([200, 200, 429]);
  });

  it('a rate window that still runs is not deleted, however old its last request is', async () => {
    const limited = await service.key({ practiceId: practice.practiceId, test: true, requestsPerMinute: 2 });
    const ask = async () => (await limited.get(ENDPOINTS)).status;
    expect([await ask(), await ask()]).to.deep.equal([200, 200]);
    for (const pause of [{ seconds: 40 }, { seconds: 20, ms: -1 }]) {
      service.clock.advance(pause);
      await purge();
      expect(await ask()).to.equal(429);
    }
    service.clock.advance({ ms: 1 });
    await purge();
    expect(await ask()).to.equal(200);
  });
});
