import { expect } from 'chai';
import { createConcurrencyLimiter } from '../../src/jobs/concurrency-limiter.ts';
import { createSuccessRecorder, type Success } from '../../src/webhooks/delivery/record.ts';
import { madeForEach, useService } from '../harness/fixtures.ts';
import { claimFree, createEndpoint, getDelivery, ping, startDue } from '../harness/webhooks.ts';

const LEASE_MS = 12_000;

describe('recording successes', () => {
  const service = useService();
  const practice = madeForEach(() => service.practice());

  const recorder = () => createSuccessRecorder(() => service.scope(), LEASE_MS, createConcurrencyLimiter(2));

  /** An endpoint with two deliveries due, the first of them sent with success. */
  async function sent(): Promise<Success & { second: string }> {
    const { id } = await createEndpoint(practice.test, 'http://127.0.0.1:9/');
    await ping(practice.test, id);
    const second = (await ping(practice.test, id)).id;
    const lease = await claimFree(service.scope(), id, LEASE_MS);
    const attempt = await startDue(service.scope(), lease, LEASE_MS);
    const result = { durationMs: 7, responseStatus: 204, error: null };
    return { lease, attempt, result, ranks: [0, 1, 2], second };
  }

  /** The delivery that was started along with the record, or what was answered instead. */
  async function next(recorded: ReturnType<ReturnType<typeof recorder>>) {
    const { next } = await recorded;
    return next === null || typeof next === 'string' ? next : next.deliveryId;
  }

  const status = async ({ attempt }: Success) => (await getDelivery(practice.test, attempt.deliveryId)).status;

  it('successes of one batch each start the next delivery of their own endpoint, in one transaction', async () => {
    const successes = [await sent(), await sent(), await sent()];
    const record = recorder();
    const started = await Promise.all(successes.map((success) => next(record(success))));
    expect(started).to.deep.equal(successes.map(({ second }) => second));
    for (const success of successes) expect(await status(success)).to.equal('delivered');
    const rows = await service.query<{ count: number }>(
      'select count(distinct xmin::text)::integer as count from webhook_deliveries where id = any ($1)',
      [successes.flatMap(({ attempt, second }) => [attempt.deliveryId, second])],
    );
    expect(rows).to.deep.equal([{ count: 1 }]);
  });

  it('each success of a batch has its own result: recorded before, lease lost, or nothing left to start', async () => {
    const [recorded, lost, last] = [await sent(), await sent(), await sent()];
    const record = recorder();
    await record({ ...recorded, ranks: [] });
    const lose = 'update webhook_endpoints set lease_epoch = lease_epoch + 1 where id = $1';
    await service.query(lose, [lost.lease.endpointId]);
    const skip = `update webhook_deliveries set status = 'skipped', due_at = null where id = $1`;
    await service.query(skip, [last.second]);
    const answers = await Promise.all([recorded, lost, last].map(record));
    expect(answers).to.deep.equal([
      { recorded: false, next: null },
      { recorded: true, next: null },
      { recorded: true, next: 'released' },
    ]);
    expect((await getDelivery(practice.test, lost.second)).attempts).to.deep.equal([]);
  });

  it('a batch does not wait for a success whose endpoint is locked; that is recorded after the lock', async () => {
    const [locked, free] = [await sent(), await sent()];
    const lock = 'select from webhook_endpoints where id = $1 for update';
    const release = await service.lock(lock, [locked.lease.endpointId]);
    const record = recorder();
    const [waits, goes] = [next(record(locked)), next(record(free))];
    expect(await goes).to.equal(free.second);
    expect(await status(locked)).to.equal('pending');
    await release();
    expect(await waits, 'its next delivery may be the locked row').to.equal('unknown');
    expect(await status(locked)).to.equal('delivered');
  });

  it('a success that the database refuses does not make the others of its batch fail', async () => {
    const [refused, good] = [await sent(), await sent()];
    const record = recorder();
    const broken = record({ ...refused, result: { ...refused.result, responseStatus: 2 ** 40 } });
    const answers = await Promise.allSettled([broken, record(good)]);
    expect(answers.map((answer) => answer.status)).to.deep.equal(['rejected', 'fulfilled']);
    expect([await status(refused), await status(good)]).to.deep.equal(['pending', 'delivered']);
  });
});
