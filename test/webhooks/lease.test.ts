import { expect } from 'chai';
import { dropLease, type Lease, releaseLease } from '../../src/webhooks/delivery/lease.ts';
import { type TestPractice, TestService } from '../harness/service.ts';
import { claim, createEndpoint, type Endpoint } from '../harness/webhooks.ts';

const LEASE_MS = 12_000;

describe('leases', () => {
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

  const claimIt = () => claim(service.scope(), endpoint.id, LEASE_MS);
  const release = (lease: Lease) => releaseLease(service.scope(), lease);

  async function claimFree(): Promise<Lease> {
    const lease = await claimIt();
    if (lease === null) throw new Error('another worker has the lease');
    return lease;
  }

  it('one worker at a time has the lease of an endpoint, up to the millisecond at which it ends', async () => {
    const first = await claimFree();
    service.clock.advance({ ms: LEASE_MS - 1 });
    expect(await claimIt()).to.equal(null);
    service.clock.advance({ ms: 1 });
    expect(Number((await claimFree()).epoch)).to.equal(Number(first.epoch) + 1);
  });

  it('a lease is not released after a wake-up, until its worker has looked again', async () => {
    const lease = await claimFree();
    expect(await claimIt(), 'the other worker').to.equal(null);
    expect(await release(lease), 'there may be something new to deliver').to.equal(false);
    expect(await claimIt(), 'still leased').to.equal(null);
    expect(await release(lease), 'a wake-up arrived in between').to.equal(false);
    expect(await release(lease), 'no wake-up arrived since').to.equal(true);
    expect(await claimIt()).not.to.equal(null);
  });

  it('a worker that stops releases its lease at once, in spite of wake-ups', async () => {
    const lease = await claimFree();
    expect(await claimIt()).to.equal(null);
    await dropLease(service.scope(), lease);
    expect(await claimIt()).not.to.equal(null);
  });

  it('a worker that lost its lease does not release its successor’s', async () => {
    const lost = await claimFree();
    service.clock.advance({ ms: LEASE_MS });
    await claimFree();
    await dropLease(service.scope(), lost);
    expect(await release(lost), 'lost before').to.equal(true);
    expect(await claimIt()).to.equal(null);
  });
});
