import { expect } from 'chai';
import { dropLease, type Lease } from '../../src/webhooks/delivery/lease.ts';
import { recordFailure, recordSuccess, removeUnsentAttempt } from '../../src/webhooks/delivery/record.ts';
import { findStarted, startAttempt } from '../../src/webhooks/delivery/start.ts';
import { madeForEach, useService } from '../harness/fixtures.ts';
import { claim, claimFree, createEndpoint, ENDPOINTS, getDelivery, ping, startDue } from '../harness/webhooks.ts';

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

  describe('recorded attempts that were not sent', () => {
    let lease: Lease;
    beforeEach(async () => {
      lease = await take();
    });

    it('an attempt whose start lost its answer is found, with the former secret for its 24 hours only', async () => {
      await ping(practice.test, endpoint.id);
      await practice.test.post(`${ENDPOINTS}/${endpoint.id}/rotate-secret`);
      const { deliveryId, number, previousSecretCiphertext: former } = await start(lease);
      const found = () => findStarted(service.scope(), lease);
      expect(former).to.be.a('string');
      expect(await found()).to.include({ deliveryId, number, previousSecretCiphertext: former });
      service.clock.advance({ hours: 24, ms: -1 });
      expect(await found()).to.include({ deliveryId, number, previousSecretCiphertext: former });
      service.clock.advance({ ms: 1 });
      expect(await found()).to.include({ deliveryId, number, previousSecretCiphertext: null });
    });

    it('a removed attempt leaves no trace, and uses up none of the eight', async () => {
      const { id } = await ping(practice.test, endpoint.id);
      const before = await getDelivery(practice.test, id);
      await removeUnsentAttempt(service.scope(), await start(lease));
      expect(await getDelivery(practice.test, id)).to.deep.equal(before);
      expect(await start(lease), 'the same again').to.include({ deliveryId: id, number: 1, runAttempts: 1 });
    });

    it('removing an attempt does not change the attempts before it', async () => {
      const { id } = await ping(practice.test, endpoint.id);
      const failed = { durationMs: 3, responseStatus: 500, error: 'http_status', retryAfterSeconds: null } as const;
      const retryAt = service.clock.now();
      await recordFailure(service.scope(), await start(lease), failed, { retryAt });
      const before = await getDelivery(practice.test, id);
      service.clock.advance({ seconds: 1 });
      const retry = await start(lease);
      await removeUnsentAttempt(service.scope(), retry);
      expect(await getDelivery(practice.test, id)).to.deep.equal(before);
      await removeUnsentAttempt(service.scope(), retry);
      expect(await getDelivery(practice.test, id), 'again changes nothing').to.deep.equal(before);
      const [row] = await service.query<{ attempts: number }>(
        'select run_attempts as attempts from webhook_deliveries where id = $1',
        [id],
      );
      expect(row?.attempts).to.equal(1);
    });
  });
});
