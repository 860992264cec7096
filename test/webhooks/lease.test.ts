import { expect } from 'chai';
import { createLimiter } from '../../src/platform/database/query/limiter.ts';
import { recordFailure, removeUnsentAttempt } from '../../src/webhooks/delivery/record.ts';
import { recordSuccess } from '../../src/webhooks/delivery/record-success.ts';
import { type Claim, createClaimer, type Lease, releaseLease } from '../../src/webhooks/delivery/start.ts';
import { madeForEach, useService } from '../harness/fixtures.ts';
import { claim, claimFree, createEndpoint, ENDPOINTS, getDelivery, ping, startDue } from '../harness/webhooks.ts';

const LEASE_MS = 12_000;
const RANKS = [0, 1, 2];

describe('leases', () => {
  const service = useService();
  const practice = madeForEach(() => service.practice());
  const endpoint = madeForEach(() => createEndpoint(practice.test, 'http://127.0.0.1:9/'));

  const claimIt = () => claim(service.scope(), endpoint.id, LEASE_MS);
  const take = () => claimFree(service.scope(), endpoint.id, LEASE_MS);
  const start = (lease: Lease) => startDue(service.scope(), lease, LEASE_MS);

  /** Records a success of this lease, and looks for the next attempt. */
  async function succeed(lease: Lease) {
    const attempt = await start(lease);
    return () => {
      const result = { durationMs: 1, responseStatus: 200, error: null };
      return recordSuccess(service.scope(), LEASE_MS, { lease, attempt, result, ranks: RANKS, isFirst: false });
    };
  }

  const isLeased = async () => {
    const rows = await service.query<{ leased: boolean }>(
      'select lease_until is not null as leased from webhook_endpoints where id = $1',
      [endpoint.id],
    );
    return rows[0]?.leased;
  };

  it('one worker at a time has the lease of an endpoint, up to the millisecond at which it ends', async () => {
    const first = await take();
    service.clock.advance({ ms: LEASE_MS - 1 });
    expect(await claimIt()).to.equal(null);
    service.clock.advance({ ms: 1 });
    expect(Number((await take()).epoch)).to.equal(Number(first.epoch) + 1);
  });

  it('the success after which nothing is due releases the lease, and no other worker waits for it', async () => {
    await ping(practice.test, endpoint.id);
    const record = await succeed(await take());
    expect(await claimIt(), 'a wake-up before the record').to.equal(null);
    expect(await record()).to.deep.equal({ result: 'delivered', next: 'released' });
    expect(await claimIt()).not.to.equal(null);
  });

  it('a worker that repeats a record whose answer was lost takes no lease, and leaves another worker’s alone', async () => {
    await ping(practice.test, endpoint.id);
    const lease = await take();
    const record = await succeed(lease);
    await record();
    expect(await record()).to.deep.equal({ result: 'stale', next: null });
    expect(await isLeased()).to.equal(false);
    await take();
    expect(await record()).to.deep.equal({ result: 'stale', next: null });
    expect(await isLeased()).to.equal(true);
  });

  it('a worker that lost its lease does not release its successor’s', async () => {
    await ping(practice.test, endpoint.id);
    const lost = await take();
    const record = await succeed(lost);
    service.clock.advance({ ms: LEASE_MS });
    await take();
    await releaseLease(service.scope(), lost);
    expect(await record()).to.deep.equal({ result: 'delivered', next: null });
    expect(await claimIt()).to.equal(null);
  });

  it('the record of a failure releases the lease under which it was sent, and no later one', async () => {
    await ping(practice.test, endpoint.id);
    const failed = { durationMs: 3, responseStatus: 500, error: 'http_status', retryAfterSeconds: null } as const;
    await recordFailure(service.scope(), await start(await take()), failed, 0);
    expect(await isLeased()).to.equal(false);
    const attempt = await start(await take());
    service.clock.advance({ ms: LEASE_MS });
    await take();
    expect((await recordFailure(service.scope(), attempt, failed, 0)).result).to.equal('retrying');
    expect(await isLeased()).to.equal(true);
  });

  describe('recorded attempts that were not sent', () => {
    let lease: Lease;
    beforeEach(async () => {
      lease = await take();
    });

    it('a removed attempt leaves no trace, and uses up none of the eight', async () => {
      const { id } = await ping(practice.test, endpoint.id);
      const before = await getDelivery(practice.test, id);
      await start(lease);
      await removeUnsentAttempt(service.scope(), lease);
      expect(await getDelivery(practice.test, id)).to.deep.equal(before);
      expect(await start(lease), 'the same again').to.include({ deliveryId: id, number: 1, runAttempts: 1 });
    });

    it('an attempt that a success has started, whose answer was lost, leaves no trace, and starts again', async () => {
      await ping(practice.test, endpoint.id);
      const second = await ping(practice.test, endpoint.id);
      const before = await getDelivery(practice.test, second.id);
      await (await succeed(lease))();
      expect((await getDelivery(practice.test, second.id)).attemptCount).to.equal(1);
      await removeUnsentAttempt(service.scope(), lease);
      expect(await getDelivery(practice.test, second.id)).to.deep.equal(before);
      expect(await start(lease)).to.include({ deliveryId: second.id, number: 1, runAttempts: 1 });
    });

    it('removing an attempt does not change the attempts before it', async () => {
      const { id } = await ping(practice.test, endpoint.id);
      const failed = { durationMs: 3, responseStatus: 500, error: 'http_status', retryAfterSeconds: null } as const;
      await recordFailure(service.scope(), await start(lease), failed, 0);
      const before = await getDelivery(practice.test, id);
      service.clock.advance({ seconds: 1 });
      await start(lease);
      await removeUnsentAttempt(service.scope(), lease);
      expect(await getDelivery(practice.test, id)).to.deep.equal(before);
      await removeUnsentAttempt(service.scope(), lease);
      expect(await getDelivery(practice.test, id), 'again changes nothing').to.deep.equal(before);
      const [row] = await service.query<{ attempts: number }>(
        'select run_attempts as attempts from webhook_deliveries where id = $1',
        [id],
      );
      expect(row?.attempts).to.equal(1);
    });
  });

  describe('claims of several endpoints', () => {
    /** Returns the claims of one worker process. Each statement passes the limiter. */
    function worker(limiter = createLimiter({ placesInAll: 4 })) {
      const claimer = createClaimer(service.scope(), LEASE_MS, limiter);
      return (endpointId: string) => claimer({ endpointId, ranks: RANKS });
    }

    /** Creates an endpoint with a delivery that is due. */
    async function due(): Promise<{ id: string; deliveryId: string }> {
      const { id } = await createEndpoint(practice.test, 'http://127.0.0.1:9/');
      return { id, deliveryId: (await ping(practice.test, id)).id };
    }

    /** The delivery that the claim started, or its result instead. */
    function started(result: Claim | null): string {
      if (result === null) return 'not claimed';
      return result.next === null ? 'none' : result.next.deliveryId;
    }

    it('each claim of a batch has its own result: started, leased elsewhere, deleted, nothing due, disabled or abandoned', async () => {
      const [free, leased, abandoned] = [await due(), await due(), await due()];
      await claim(service.scope(), leased.id, LEASE_MS);
      await worker()(abandoned.id);
      await service.query('update webhook_endpoints set lease_until = null where id = $1', [abandoned.id]);
      const quiet = await createEndpoint(practice.test, 'http://127.0.0.1:9/');
      const disabled = await createEndpoint(practice.test, 'http://127.0.0.1:9/');
      await practice.test.patch(`${ENDPOINTS}/${disabled.id}`, { enabled: false });
      const deleted = await createEndpoint(practice.test, 'http://127.0.0.1:9/');
      expect((await practice.test.delete(`${ENDPOINTS}/${deleted.id}`)).status).to.equal(204);
      const ids = [quiet, leased, free, deleted, disabled, abandoned].map(({ id }) => id);
      const left = () =>
        service.query(
          `select xmin::text, case id when $2 then xmax::text end as locked_by, w.* from webhook_endpoints w
           where id in ($1, $2)`,
          [quiet.id, leased.id],
        );
      const before = await left();
      const results = await Promise.all(ids.map(worker()));
      expect(await left(), 'what is not claimed is not written').to.deep.equal(before);
      const seen = results.map((result) => {
        if (result === null) return 'not claimed';
        return { next: started(result), enabled: result.lease.isEnabled, abandoned: result.lease.abandonedCount };
      });
      expect(seen).to.deep.equal([
        'not claimed',
        'not claimed',
        { next: free.deliveryId, enabled: true, abandoned: 0 },
        'not claimed',
        { next: 'none', enabled: false, abandoned: 0 },
        { next: 'none', enabled: true, abandoned: 1 },
      ]);
    });

    it('of two workers that claim the same endpoints at once, exactly one gets each of them', async () => {
      const endpoints = await Promise.all(Array.from({ length: 8 }, due));
      const claims = async (ids: readonly string[]) => {
        const results = await Promise.all(ids.map(worker()));
        return results.filter((result) => result !== null).length;
      };
      const ids = endpoints.map(({ id }) => id);
      const [first, second] = await Promise.all([claims(ids), claims(ids.toReversed())]);
      expect(first + second).to.equal(endpoints.length);
      const rows = await service.query<{ lease_epoch: string }>(
        'select distinct lease_epoch from webhook_endpoints where id = any ($1)',
        [ids],
      );
      expect(rows).to.deep.equal([{ lease_epoch: '1' }]);
      for (const { deliveryId } of endpoints) {
        expect((await getDelivery(practice.test, deliveryId)).attempts).to.have.length(1);
      }
    });

    it('a locked endpoint is not claimed, and delays no other claim of its statement', async () => {
      const [locked, free] = [await due(), await due()];
      const release = await service.lock('select from webhook_endpoints where id = $1 for no key update', [locked.id]);
      let statements = 0;
      const claimOf = worker({
        run(_, statement) {
          statements++;
          return statement();
        },
      });
      const [left, taken] = await Promise.all([claimOf(locked.id), claimOf(free.id)]);
      expect([left, started(taken)]).to.deep.equal([null, free.deliveryId]);
      expect(statements).to.equal(1);
      await release();
      expect(started(await claimOf(locked.id))).to.equal(locked.deliveryId);
    });
  });
});
