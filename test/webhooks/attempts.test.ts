import { expect } from 'chai';
import type { Lease } from '../../src/webhooks/delivery/lease.ts';
import { recordFailure, removeUnsentAttempt } from '../../src/webhooks/delivery/record.ts';
import { findStarted } from '../../src/webhooks/delivery/start.ts';
import { madeForEach, useService } from '../harness/fixtures.ts';
import { claimFree, createEndpoint, ENDPOINTS, getDelivery, ping, startDue } from '../harness/webhooks.ts';

const LEASE_MS = 12_000;

describe('recorded attempts that were not sent', () => {
  const service = useService();
  const practice = madeForEach(() => service.practice());
  const endpoint = madeForEach(() => createEndpoint(practice.test, 'http://127.0.0.1:9/'));
  let lease: Lease;
  beforeEach(async () => {
    lease = await claimFree(service.scope(), endpoint.id, LEASE_MS);
  });

  const start = () => startDue(service.scope(), lease, LEASE_MS);

  it('an attempt whose start lost its answer is found, with the former secret for its 24 hours only', async () => {
    await ping(practice.test, endpoint.id);
    await practice.test.post(`${ENDPOINTS}/${endpoint.id}/rotate-secret`);
    const { deliveryId, number, previousSecretCiphertext: former } = await start();
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
    await removeUnsentAttempt(service.scope(), await start());
    expect(await getDelivery(practice.test, id)).to.deep.equal(before);
    expect(await start(), 'the same again').to.include({ deliveryId: id, number: 1, runAttempts: 1 });
  });

  it('removing an attempt does not change the attempts before it', async () => {
    const { id } = await ping(practice.test, endpoint.id);
    const failed = { durationMs: 3, responseStatus: 500, error: 'http_status', retryAfterSeconds: null } as const;
    const retryAt = service.clock.now();
    await recordFailure(service.scope(), await start(), failed, { retryAt });
    const before = await getDelivery(practice.test, id);
    service.clock.advance({ seconds: 1 });
    const retry = await start();
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
