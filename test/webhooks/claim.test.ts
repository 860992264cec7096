import { expect } from 'chai';
import type { Scope } from '../../src/base/scope.ts';
import { createConcurrencyLimiter } from '../../src/jobs/concurrency-limiter.ts';
import { type ClaimResult, createClaimer } from '../../src/webhooks/delivery/start.ts';
import { madeForEach, useService } from '../harness/fixtures.ts';
import { claim, createEndpoint, ENDPOINTS, getDelivery, ping } from '../harness/webhooks.ts';

const LEASE_MS = 12_000;
const RANKS = [0, 1, 2];

describe('claims of leases', () => {
  const service = useService();
  const practice = madeForEach(() => service.practice());

  /** The claims of one worker process; `statements` counts its scopes, one for each statement. */
  function worker(newScope: () => Scope = () => service.scope()) {
    let statements = 0;
    const counted = () => {
      statements++;
      return newScope();
    };
    const claimer = createClaimer(counted, LEASE_MS, createConcurrencyLimiter(4));
    return {
      claim: (endpointId: string) => claimer({ endpointId, ranks: RANKS }),
      statements: () => statements,
    };
  }

  /** Endpoints with one delivery due at each; returns the ids of endpoint and delivery. */
  async function due(count: number): Promise<{ id: string; deliveryId: string }[]> {
    const endpoints: { id: string; deliveryId: string }[] = [];
    for (let index = 0; index < count; index++) {
      const { id } = await createEndpoint(practice.test, 'http://127.0.0.1:9/');
      endpoints.push({ id, deliveryId: (await ping(practice.test, id)).id });
    }
    return endpoints;
  }

  /** The delivery that the claim started, or its result instead. */
  function started(result: ClaimResult): string {
    if (typeof result === 'string') return result;
    return result.next === 'unknown' ? 'unknown' : result.next.deliveryId;
  }

  it('claims that arrive together share one statement, and each starts the delivery of its own endpoint', async () => {
    const endpoints = await due(5);
    const { claim, statements } = worker();
    const results = await Promise.all(endpoints.map(({ id }) => claim(id)));
    expect(results.map(started)).to.deep.equal(endpoints.map(({ deliveryId }) => deliveryId));
    expect(statements()).to.equal(1);
    for (const { deliveryId } of endpoints) {
      expect((await getDelivery(practice.test, deliveryId)).attempts).to.have.length(1);
    }
  });

  it('each claim of a batch has its own result: started, leased elsewhere, deleted, nothing due, disabled or abandoned', async () => {
    const [free, leased, abandoned] = await due(3);
    if (free === undefined || leased === undefined || abandoned === undefined) throw new Error('three are due');
    await claim(service.scope(), leased.id, LEASE_MS);
    await worker().claim(abandoned.id);
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
    const results = await Promise.all(ids.map(worker().claim));
    expect(await left(), 'what is not claimed is not written').to.deep.equal(before);
    const seen = results.map((result) => {
      if (typeof result === 'string') return result;
      return { next: started(result), enabled: result.lease.enabled, abandoned: result.lease.abandoned };
    });
    expect(seen).to.deep.equal([
      'nothing_due',
      'not_claimed',
      { next: free.deliveryId, enabled: true, abandoned: 0 },
      'not_claimed',
      { next: 'unknown', enabled: false, abandoned: 0 },
      { next: 'unknown', enabled: true, abandoned: 1 },
    ]);
  });

  it('of two workers that claim the same endpoints at once, exactly one gets each of them', async () => {
    const endpoints = await due(8);
    const claims = async ({ claim }: ReturnType<typeof worker>, ids: readonly string[]) => {
      const results = await Promise.all(ids.map(claim));
      return results.filter((result) => typeof result !== 'string').length;
    };
    const ids = endpoints.map(({ id }) => id);
    const [first, second] = await Promise.all([claims(worker(), ids), claims(worker(), ids.toReversed())]);
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
    const [locked, free] = await due(2);
    if (locked === undefined || free === undefined) throw new Error('two are due');
    const release = await service.lock('select from webhook_endpoints where id = $1 for no key update', [locked.id]);
    const { claim, statements } = worker();
    const [left, taken] = await Promise.all([claim(locked.id), claim(free.id)]);
    expect([left, started(taken)]).to.deep.equal(['not_claimed', free.deliveryId]);
    expect(statements()).to.equal(1);
    await release();
    expect(started(await claim(locked.id))).to.equal(locked.deliveryId);
  });

  it('claims wait for a place of the limiter, together', async () => {
    const endpoints = await due(3);
    const limiter = createConcurrencyLimiter(1);
    const place = Promise.withResolvers<void>();
    const occupied = limiter.run(() => place.promise);
    const claimer = createClaimer(() => service.scope(), LEASE_MS, limiter);
    let claimed = 0;
    const claims = endpoints.map(async ({ id }) => {
      await claimer({ endpointId: id, ranks: RANKS });
      claimed++;
    });
    // Its answer comes later than those of claims that did not wait.
    await getDelivery(practice.test, endpoints[0]?.deliveryId ?? '');
    expect(claimed).to.equal(0);
    place.resolve();
    await Promise.all([occupied, ...claims]);
    expect(claimed).to.equal(3);
  });
});
