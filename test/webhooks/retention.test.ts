import { expect } from 'chai';
import { retentionSweep } from '../../src/main/processes/tasks.ts';
import { sql } from '../../src/platform/database/query/sql.ts';
import { inTransaction } from '../../src/platform/database/query/transaction.ts';
import { purgeOldDeliveries } from '../../src/webhooks/events/retention.ts';
import { type InsertedDelivery, insertDeliveries } from '../harness/deliveries.ts';
import { madeForEach, useReceiver, useServiceForEach } from '../harness/fixtures.ts';
import { createLink, idempotent, linkBody } from '../harness/service.ts';
import { createEndpoint, deliver, ENDPOINTS, listDeliveries, paidLink } from '../harness/webhooks.ts';

describe('retention', () => {
  const service = useServiceForEach();
  const practice = madeForEach(() => service.practice());
  const receiver = useReceiver();
  const endpoint = madeForEach(() => createEndpoint(practice.test, receiver.url));

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
    const jobs: [name: string, change: string][] = [
      ['died', `attempts = 1, locked_at = now() - interval '169 hours', locked_by = 'w'`],
      ['under way', `attempts = 1, locked_at = now() - interval '167 hours', locked_by = 'w'`],
      ['to come', `run_at = now() + interval '2 days', updated_at = now() - interval '8 days'`],
      ['late', `run_at = now() - interval '1 day', updated_at = now() - interval '8 days'`],
      ['exhausted', `attempts = 1, updated_at = now() - interval '169 hours'`],
      ['exhausted lately', `attempts = 1, updated_at = now() - interval '167 hours'`],
      ['tried again', `max_attempts = 2, attempts = 1, updated_at = now() - interval '169 hours'`],
    ];
    await service.query('delete from graphile_worker._private_jobs');
    for (const [name, change] of jobs) {
      await service.query(`select graphile_worker.add_job('work', max_attempts := 1, job_key := $1)`, [name]);
      await service.query(`update graphile_worker._private_jobs set ${change} where key = $1`, [name]);
    }
    await purge();
    const left = await service.query<{ key: string }>('select key from graphile_worker.jobs order by id');
    const names = jobs.map(([name]) => name);
    expect(left.map(({ key }) => key)).to.deep.equal(names.filter((name) => !['died', 'exhausted'].includes(name)));
  });

  it('deliveries without success are kept for 90 days, those that succeeded later and ends of a redelivery for 30 days more', async () => {
    const now = service.clock.now().getTime();
    const daysAgo = (days: number) => new Date(now - days * 86_400_000);
    const rows: [kept: boolean, Omit<InsertedDelivery, 'practiceId' | 'endpointId'>][] = [];
    for (const kept of [true, false]) {
      const days = (limit: number) => daysAgo(kept ? limit : limit + 1);
      for (const status of ['exhausted', 'skipped', 'pending'] as const) {
        rows.push([kept, { status, createdAt: days(90) }]);
        // A run that a client asked for ends first.
        const isWaiting = status === 'pending';
        rows.push([kept || isWaiting, { status, createdAt: daysAgo(130), run: 'redelivery', lastAttemptAt: days(30) }]);
        rows.push([kept || isWaiting, { status, createdAt: daysAgo(130), run: 'replay', lastAttemptAt: days(30) }]);
      }
      rows.push([kept, { status: 'delivered', createdAt: daysAgo(80), deliveredAt: days(30) }]);
    }
    const ids = await insertDeliveries(
      service,
      rows.map(([, row]) => ({ practiceId: practice.practiceId, endpointId: endpoint.id, ...row })),
    );
    await purge();
    const left = await service.query<{ id: string }>('select id from webhook_deliveries');
    expect(left.map(({ id }) => id)).to.have.members(ids.filter((_, index) => rows[index]?.[0]));
  });

  it('deliveries are deleted in batches, oldest first, and the result says when there may be more', async () => {
    await paidLink(practice.test);
    await deliver(service.deliverer(), endpoint.id);
    await service.query(`insert into webhook_deliveries (id, practice_id, endpoint_id, type, test, status, payload, delivery_run, delivered_at,
         created_at)
       select 'evt_00' || n, practice_id, endpoint_id, type, test, status, payload, delivery_run,
         delivered_at - n * interval '1 minute', created_at - n * interval '1 minute'
       from webhook_deliveries, generate_series(1, 2500) as n`);
    service.clock.advance({ days: 30 });
    const left: unknown[] = [];
    for (let more = true; more; left.push(await count('webhook_deliveries'))) {
      more = await purgeOldDeliveries(service.scope());
    }
    expect(left).to.deep.equal([1501, 501, 1]);
  });

  it('the search for delivered events whose time is over reads none of those that failed, however many wait for their 90 days', async () => {
    const failed = Array.from({ length: 2_000 }, (_, index) => ({
      practiceId: practice.practiceId,
      endpointId: endpoint.id,
      status: 'skipped' as const,
      createdAt: new Date(service.clock.now().getTime() - 31 * 86_400_000 - index * 60_000),
    }));
    await insertDeliveries(service, failed);
    await service.query('analyze webhook_deliveries');
    const [row] = await inTransaction(service.scope(), async (scope) => {
      await purgeOldDeliveries(scope);
      return sql<{ rows: number }>(
        scope.em,
        `select (seq_tup_read + idx_tup_fetch)::integer as rows
         from pg_stat_xact_user_tables where relid = 'webhook_deliveries'::regclass`,
      );
    });
    // The planner looks up ends of indexes.
    expect(row?.rows).to.be.below(10);
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

  it('a rate window that still runs is not deleted, however old its last request is, and an idle one is, with its slots', async () => {
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
    service.clock.advance({ minutes: 6 });
    await purge();
    expect([await count('rate_windows'), await count('rate_slots')]).to.deep.equal([0, 0]);
  });
});
