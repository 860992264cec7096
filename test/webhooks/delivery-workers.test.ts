import { expect } from 'chai';
import { startAttempt } from '../../src/webhooks/attempts.ts';
import { claimLease } from '../../src/webhooks/lease.ts';
import { endpointsWithDueDeliveries } from '../../src/webhooks/sweep.ts';
import { query } from '../harness/database.ts';
import { type Answer, accept, Receiver, refuse } from '../harness/receiver.ts';
import { type TestPractice, TestService } from '../harness/service.ts';
import { climb, createEndpoint, deliver, ENDPOINTS, type Endpoint, getDelivery, ping } from '../harness/webhooks.ts';

/** An answer that waits for the test: `arrived` resolves with a function that sends it. */
function heldAnswer(status: number): { answer: Answer; arrived: Promise<() => void> } {
  const { promise: arrived, resolve } = Promise.withResolvers<() => void>();
  return { arrived, answer: (_, response) => resolve(() => void response.writeHead(status).end()) };
}

describe('workers that deliver', () => {
  let service: TestService;
  let practice: TestPractice;
  let receiver: Receiver;
  let endpoint: Endpoint;

  before(async () => {
    service = await TestService.start();
    receiver = await new Receiver().start();
  });

  beforeEach(async () => {
    practice = await service.practice();
    endpoint = await createEndpoint(practice.test, receiver.url);
    receiver.received.length = 0;
    receiver.maxInFlight = 0;
    receiver.answer = accept;
  });

  after(async () => {
    await service.close();
    await receiver.close();
    expect(receiver.faults).to.deep.equal([]);
  });

  /** Seconds until the next attempt, from now. */
  async function wait(id: string): Promise<number> {
    const { nextAttemptAt } = await getDelivery(practice.test, id);
    return nextAttemptAt === null ? Number.NaN : (Date.parse(nextAttemptAt) - service.clock.now().getTime()) / 1000;
  }

  async function sweep(): Promise<string[]> {
    const due: string[] = [];
    for await (const id of endpointsWithDueDeliveries(() => service.scope())) due.push(id);
    return due;
  }

  describe('workers that die', () => {
    /** Starts an attempt as a worker does, and forgets it as one that is killed. */
    async function dieInTheMiddle(): Promise<void> {
      const lease = await claimLease(service.scope(), endpoint.id, 12_000);
      if (lease === null) throw new Error('the lease is held');
      const attempt = await startAttempt(service.scope(), lease, 12_000, [0, 1, 2]);
      if (attempt === null || attempt === 'none') throw new Error('nothing was due');
    }

    it('an attempt of a dead worker ends as interrupted once the lease is over, and the ladder goes on', async () => {
      const { id } = await ping(practice.test, endpoint.id);
      const startedAt = service.clock.now().toISOString();
      await dieInTheMiddle();
      await deliver(service.deliverer(), endpoint.id);
      expect(receiver.received, 'nobody sends while the lease holds').to.have.length(0);
      service.clock.advance({ seconds: 12 });
      await deliver(service.deliverer(), endpoint.id);
      const interrupted = await getDelivery(practice.test, id);
      expect(interrupted).to.deep.include({ status: 'retrying', attemptCount: 1, lastError: 'interrupted' });
      expect(interrupted.attempts).to.deep.equal([
        { number: 1, startedAt, durationMs: null, responseStatus: null, error: 'interrupted' },
      ]);
      expect(await wait(id)).to.equal(30);
      service.clock.advance({ seconds: 30 });
      await deliver(service.deliverer(), endpoint.id);
      const delivered = await getDelivery(practice.test, id);
      expect(delivered).to.deep.include({ status: 'delivered', attemptCount: 2 });
      expect(delivered.attempts.map(({ number }) => number)).to.deep.equal([1, 2]);
    });

    it('an interrupted attempt counts among the eight', async () => {
      receiver.answer = refuse(500);
      const { id } = await ping(practice.test, endpoint.id);
      await climb(service, service.deliverer(), endpoint.id, 7);
      service.clock.advance({ hours: 48 });
      await dieInTheMiddle();
      service.clock.advance({ seconds: 12 });
      await deliver(service.deliverer(), endpoint.id);
      expect(await getDelivery(practice.test, id)).to.deep.include({ status: 'exhausted', attemptCount: 8 });
    });

    it('one of a disabled endpoint ends as skipped', async () => {
      const { id } = await ping(practice.test, endpoint.id);
      await dieInTheMiddle();
      await practice.test.patch(`${ENDPOINTS}/${endpoint.id}`, { enabled: false });
      service.clock.advance({ seconds: 12 });
      expect(await sweep()).to.include(endpoint.id);
      await deliver(service.deliverer(), endpoint.id);
      expect((await getDelivery(practice.test, id)).status).to.equal('skipped');
    });

    it('one that comes back after its lease writes nothing: the attempt stays interrupted', async () => {
      const held = heldAnswer(200);
      receiver.answer = held.answer;
      const { id } = await ping(practice.test, endpoint.id);
      const stopped = service.deliverer();
      stopped.ring(endpoint.id);
      const answer = await held.arrived;
      service.clock.advance({ minutes: 1 });
      await deliver(service.deliverer(), endpoint.id);
      const before = await getDelivery(practice.test, id);
      expect(before).to.deep.include({ status: 'retrying', lastError: 'interrupted' });
      answer();
      await stopped.idle();
      expect(await getDelivery(practice.test, id)).to.deep.equal(before);
    });

    it('one that comes back starts no further attempt under its old lease', async () => {
      const lease = await claimLease(service.scope(), endpoint.id, 12_000);
      service.clock.advance({ seconds: 12 });
      await claimLease(service.scope(), endpoint.id, 12_000);
      await ping(practice.test, endpoint.id);
      if (lease === null) throw new Error('the lease was free');
      expect(await startAttempt(service.scope(), lease, 12_000, [0, 1, 2])).to.equal(null);
    });

    it('doorbells that were lost are made up for by the sweep, wherever the endpoint stands', async () => {
      const { id } = await ping(practice.test, endpoint.id);
      expect(await sweep()).to.include(endpoint.id);
      receiver.answer = refuse(500);
      await deliver(service.deliverer(), endpoint.id);
      expect(await sweep(), 'nothing is due').to.not.include(endpoint.id);
      service.clock.advance({ seconds: 30 });
      expect(await sweep(), 'the retry is due').to.include(endpoint.id);
      await claimLease(service.scope(), endpoint.id, 12_000);
      expect(await sweep(), 'somebody is at it').to.not.include(endpoint.id);
      service.clock.advance({ seconds: 12 });
      expect(await sweep(), 'who has died').to.include(endpoint.id);
      receiver.answer = accept;
      await deliver(service.deliverer(), endpoint.id);
      expect((await getDelivery(practice.test, id)).status).to.equal('delivered');
    });

    it('the sweep finds all that are due, though a thousand others stay due', async () => {
      await ping(practice.test, endpoint.id);
      await query(
        service.config.databaseUrl,
        `with endpoints as (
           insert into webhook_endpoints select r.* from webhook_endpoints w, generate_series(1, 1500) as n,
             json_populate_record(w, json_build_object('id', 'we_0' || lpad(n::text, 25, '0'))) as r where w.id = $1
           returning id
         )
         insert into webhook_deliveries (id, practice_id, endpoint_id, type, test, status, payload, ladder, due_at,
           created_at)
         select 'evt_0' || substr(e.id, 5), practice_id, e.id, type, test, status, payload, ladder, due_at, created_at
         from webhook_deliveries d, endpoints e where d.endpoint_id = $1`,
        [endpoint.id],
      );
      const due = await sweep();
      expect(due).to.include(endpoint.id);
      expect(new Set(due).size).to.be.at.least(1501);
      await query(
        service.config.databaseUrl,
        `with d as (delete from webhook_deliveries where id like 'evt_00%' returning endpoint_id)
         update webhook_endpoints set status = 'disabled', url = '', secret_ciphertext = '', deleted_at = now()
         from d where id = endpoint_id`,
      );
    });
  });

  describe('several workers on one database', () => {
    it('three send every event once, one at a time, in the order in which they happened', async () => {
      receiver.answer = (_, response) => setImmediate(() => setImmediate(() => response.writeHead(200).end()));
      const ids: string[] = [];
      for (let count = 0; count < 20; count++) ids.push((await ping(practice.test, endpoint.id)).id);
      const deliverers = [service.deliverer(), service.deliverer(), service.deliverer()];
      const rung = [...Array(10).keys()].flatMap(() => deliverers);
      for (const deliverer of rung) deliverer.ring(endpoint.id);
      await Promise.all(deliverers.map((deliverer) => deliverer.idle()));
      expect(receiver.received.map(({ id }) => id)).to.deep.equal(ids);
      expect(receiver.maxInFlight).to.equal(1);
    });

    it('an event that happens while one of them lets go is not missed', async () => {
      const deliverers = [service.deliverer(), service.deliverer()];
      const sent: string[] = [];
      for (let count = 0; count < 30; count++) {
        for (const deliverer of deliverers) deliverer.ring(endpoint.id);
        sent.push((await ping(practice.test, endpoint.id)).id);
        deliverers[count % 2]?.ring(endpoint.id);
      }
      await Promise.all(deliverers.map((deliverer) => deliverer.idle()));
      expect(receiver.received.map(({ id }) => id)).to.deep.equal(sent);
      expect(receiver.maxInFlight).to.equal(1);
    });

    it('one that is stopped finishes what is under way, starts nothing else and leaves the rest to others at once', async () => {
      const held = heldAnswer(200);
      receiver.answer = held.answer;
      const first = await ping(practice.test, endpoint.id);
      const second = await ping(practice.test, endpoint.id);
      const stopping = service.deliverer();
      stopping.ring(endpoint.id);
      const answer = await held.arrived;
      const stopped = stopping.stop();
      receiver.answer = accept;
      answer();
      await stopped;
      stopping.ring(endpoint.id);
      await stopping.idle();
      const statuses = async () => [
        (await getDelivery(practice.test, first.id)).status,
        (await getDelivery(practice.test, second.id)).status,
      ];
      expect(await statuses()).to.deep.equal(['delivered', 'pending']);
      await deliver(service.deliverer(), endpoint.id);
      expect(await statuses()).to.deep.equal(['delivered', 'delivered']);
    });
  });
});
