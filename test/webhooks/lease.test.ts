import { expect } from 'chai';
import pg from 'pg';
import { startAttempt } from '../../src/webhooks/delivery/attempts.ts';
import { claimLease } from '../../src/webhooks/delivery/claim.ts';
import { dropLease, type Lease } from '../../src/webhooks/delivery/lease.ts';
import { recordSuccess } from '../../src/webhooks/delivery/record-success.ts';
import { madeForEach, useService } from '../harness/fixtures.ts';
import { until } from '../harness/processes.ts';
import { claim, claimFree, createEndpoint, ping, startDue } from '../harness/webhooks.ts';

const LEASE_MS = 12_000;
const RANKS = [0, 1, 2];

describe('leases', () => {
  const service = useService();
  const practice = madeForEach(() => service.practice());
  const endpoint = madeForEach(() => createEndpoint(practice.test, 'http://127.0.0.1:9/'));

  const claimIt = () => claim(service.scope(), endpoint.id, LEASE_MS);
  const look = (lease: Lease) => startAttempt(service.scope(), lease, LEASE_MS, RANKS);
  const take = () => claimFree(service.scope(), endpoint.id, LEASE_MS);
  const start = (lease: Lease) => startDue(service.scope(), lease, LEASE_MS);

  /** Records a success of this lease, and looks for the next attempt. */
  async function succeed(lease: Lease) {
    const attempt = await start(lease);
    return () => {
      const result = { durationMs: 1, responseStatus: 200, error: null };
      return recordSuccess(service.scope(), LEASE_MS, { lease, attempt, result, ranks: RANKS });
    };
  }

  const isLeased = async () => {
    const rows = await service.query<{ leased: boolean }>(
      'select lease_until is not null as leased from webhook_endpoints where id = $1',
      [endpoint.id],
    );
    return rows[0]?.leased;
  };

  /**
   * Runs the step of the lease's worker so that it reads what is due, and then waits for the endpoint's lock. An event
   * is published in that time, and another worker leaves its wake-up to the first one. Its claim writes the wake count.
   */
  async function wakeUpWithin<T>(step: () => Promise<T>): Promise<T> {
    const other = new pg.Client({ connectionString: service.config.databaseUrl });
    await other.connect();
    try {
      await other.query('begin');
      await other.query('update webhook_endpoints set wake_count = wake_count + 1 where id = $1', [endpoint.id]);
      const stepping = step();
      const waiting = `select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%webhook_endpoints%'`;
      await until(
        async () => (await service.query(waiting)).length === 1,
        () => 'the step does not wait',
      );
      await ping(practice.test, endpoint.id);
      await other.query('commit');
      return await stepping;
    } finally {
      await other.end();
    }
  }

  it('one worker at a time has the lease of an endpoint, up to the millisecond at which it ends', async () => {
    const first = await take();
    service.clock.advance({ ms: LEASE_MS - 1 });
    expect(await claimIt()).to.equal(null);
    service.clock.advance({ ms: 1 });
    expect(Number((await take()).epoch)).to.equal(Number(first.epoch) + 1);
  });

  it('a worker that looks and finds nothing due releases its lease by the same statement', async () => {
    const lease = await take();
    expect(await claimIt(), 'another worker before it looks').to.equal(null);
    expect(await look(lease)).to.equal('released');
    expect(await claimIt()).not.to.equal(null);
  });

  it('a lease is not released if a wake-up arrives between the look for due deliveries and the release', async () => {
    const lease = await take();
    expect(await wakeUpWithin(() => look(lease)), 'there may be something new').to.equal('unknown');
    expect(await claimIt(), 'still leased').to.equal(null);
    const { deliveryId } = await start(lease);
    expect(deliveryId).to.match(/^evt_/);
  });

  it('a success does not release the lease if a wake-up arrives while it is recorded', async () => {
    await ping(practice.test, endpoint.id);
    const lease = await take();
    const record = await succeed(lease);
    expect(await wakeUpWithin(record)).to.deep.equal({ recorded: true, next: 'unknown' });
    expect(await claimIt(), 'still leased').to.equal(null);
    await start(lease);
  });

  it('the success after which nothing is due releases the lease, and no other worker waits for it', async () => {
    await ping(practice.test, endpoint.id);
    const record = await succeed(await take());
    expect(await claimIt(), 'a wake-up before the record').to.equal(null);
    expect(await record()).to.deep.equal({ recorded: true, next: 'released' });
    expect(await claimIt()).not.to.equal(null);
  });

  it('a worker that repeats a record whose answer was lost continues with the lease only if nobody has it', async () => {
    await ping(practice.test, endpoint.id);
    const lease = await take();
    const record = await succeed(lease);
    await record();
    expect(await record()).to.deep.equal({ recorded: false, next: null });
    expect(await look(lease), 'nobody has it').to.equal('released');
    await take();
    expect(await look(lease)).to.equal(null);
    expect(await isLeased()).to.equal(true);
  });

  it('a claim with nothing due does not take the lease, and writes nothing', async () => {
    const rows = () => service.query('select xmin::text, w.* from webhook_endpoints w where id = $1', [endpoint.id]);
    const before = await rows();
    const claimed = await claimLease(service.scope(), LEASE_MS, { endpointId: endpoint.id, ranks: RANKS });
    expect(claimed).to.equal('nothing_due');
    expect(await rows()).to.deep.equal(before);
  });

  it('a claim that reads what is due before a wake-up left to another worker takes the lease and looks again', async () => {
    const request = { endpointId: endpoint.id, ranks: RANKS };
    const claimed = await wakeUpWithin(() => claimLease(service.scope(), LEASE_MS, request));
    if (typeof claimed === 'string') throw new Error(claimed);
    expect(claimed.next).to.equal('unknown');
    await start(claimed.lease);
  });

  it('a worker that stops releases its lease at once, in spite of wake-ups', async () => {
    const lease = await take();
    expect(await claimIt()).to.equal(null);
    await dropLease(service.scope(), lease);
    expect(await claimIt()).not.to.equal(null);
  });

  it('a worker that lost its lease does not release its successor’s', async () => {
    await ping(practice.test, endpoint.id);
    const lost = await take();
    const record = await succeed(lost);
    service.clock.advance({ ms: LEASE_MS });
    await take();
    await dropLease(service.scope(), lost);
    expect(await look(lost), 'lost before').to.equal(null);
    expect(await record()).to.deep.equal({ recorded: true, next: null });
    expect(await claimIt()).to.equal(null);
  });
});
