import { expect } from 'chai';
import { claimLease, dropLease, type Lease, releaseLease } from '../../src/webhooks/delivery/lease.ts';
import { type TestPractice, TestService } from '../harness/service.ts';
import { createEndpoint, type Endpoint } from '../harness/webhooks.ts';

const LEASE_MS = 12_000;

describe('the lease of an endpoint', () => {
  let service: TestService;
  let practice: TestPractice;
  let endpoint: Endpoint;

  before(async () => {
    service = await TestService.start();
  });
  beforeEach(async () => {
    practice = await service.practice();
    endpoint = await createEndpoint(practice.test, 'http://127.0.0.1:9/');
  });
  after(() => service.close());

  const claim = () => claimLease(service.scope(), endpoint.id, LEASE_MS);
  const release = (lease: Lease) => releaseLease(service.scope(), lease);

  async function claimFree(): Promise<Lease> {
    const lease = await claim();
    if (lease === null) throw new Error('the lease is held');
    return lease;
  }

  it('is held by one worker at a time, up to the millisecond at which it ends', async () => {
    const first = await claimFree();
    service.clock.advance({ ms: LEASE_MS - 1 });
    expect(await claim()).to.equal(null);
    service.clock.advance({ ms: 1 });
    expect(Number((await claimFree()).epoch)).to.equal(Number(first.epoch) + 1);
  });

  it('stays with its holder when another worker asked for it meanwhile, until the holder has looked again', async () => {
    const lease = await claimFree();
    expect(await claim(), 'the other worker').to.equal(null);
    expect(await release(lease), 'there may be something new to deliver').to.equal(false);
    expect(await claim(), 'still held').to.equal(null);
    expect(await release(lease), 'and somebody asked again').to.equal(false);
    expect(await release(lease), 'nobody asked since').to.equal(true);
    expect(await claim()).not.to.equal(null);
  });

  it('is given up at once by a worker that stops, whoever asked for it', async () => {
    const lease = await claimFree();
    expect(await claim()).to.equal(null);
    await dropLease(service.scope(), lease);
    expect(await claim()).not.to.equal(null);
  });

  it('is not given up for the next holder by one who lost it', async () => {
    const lost = await claimFree();
    service.clock.advance({ ms: LEASE_MS });
    await claimFree();
    await dropLease(service.scope(), lost);
    expect(await release(lost), 'lost before').to.equal(true);
    expect(await claim()).to.equal(null);
  });
});
