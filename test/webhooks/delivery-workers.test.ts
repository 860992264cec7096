import { expect } from 'chai';
import { createLogger } from '../../src/platform/base/log/log.ts';
import { endAbandonedAttempts } from '../../src/webhooks/delivery/record.ts';
import { recordSuccess } from '../../src/webhooks/delivery/record-success.ts';
import { enqueueDueDeliveries } from '../../src/webhooks/delivery/sweep.ts';
import { redeliver, sendExample } from '../../src/webhooks/events/deliveries.ts';
import { DEFAULT_RETRY_SECONDS } from '../../src/webhooks/model/retry-schedule.ts';
import { accept, delayedAnswer, refuse } from '../harness/receiver.ts';
import {
  claim,
  claimFree,
  ENDPOINTS,
  getDelivery,
  ping,
  secondsUntilNext,
  startDue,
  sweep,
  useEndpoint,
} from '../harness/webhooks.ts';

describe('delivery by several workers', () => {
  const { service, practice, receiver, endpoint, deliver, underWay } = useEndpoint();

  const wait = (id: string) => secondsUntilNext(service, practice.test, id);

  describe('workers that die', () => {
    /** Starts an attempt as a worker does, and forgets it as one that is killed. */
    async function dieInTheMiddle(): Promise<void> {
      await startDue(service.scope(), await claimFree(service.scope(), endpoint.id, 12_000), 12_000);
    }

    it('an attempt of a dead worker ends as interrupted after the lease, and the next one follows at once', async () => {
      const { id } = await ping(practice.test, endpoint.id);
      const startedAt = service.clock.now().toISOString();
      await dieInTheMiddle();
      await deliver();
      expect(receiver.received, 'nobody sends while the lease holds').to.have.length(0);
      service.clock.advance({ seconds: 12 });
      await deliver();
      const delivered = await getDelivery(practice.test, id);
      expect(delivered).to.deep.include({ status: 'delivered', attemptCount: 2, lastError: null });
      expect(delivered.attempts[0]).to.deep.equal({
        number: 1,
        startedAt,
        durationMs: null,
        responseStatus: null,
        error: 'interrupted',
      });
      expect(delivered.attempts.map(({ number }) => number)).to.deep.equal([1, 2]);
    });

    it('a failure after an interrupted attempt is retried as the second of the retry schedule', async () => {
      receiver.answer = refuse(500);
      const { id } = await ping(practice.test, endpoint.id);
      await dieInTheMiddle();
      service.clock.advance({ seconds: 12 });
      await deliver();
      expect(await getDelivery(practice.test, id)).to.deep.include({ attemptCount: 2, lastError: 'http_status' });
      expect(await wait(id)).to.equal(120);
    });

    it('a second interruption in a row follows the retry schedule, because the delivery may make workers crash', async () => {
      const { id } = await ping(practice.test, endpoint.id);
      await dieInTheMiddle();
      service.clock.advance({ seconds: 12 });
      const lease = await claimFree(service.scope(), endpoint.id, 12_000);
      await endAbandonedAttempts(service.scope(), lease, { retrySeconds: DEFAULT_RETRY_SECONDS });
      expect((await getDelivery(practice.test, id)).lastError).to.equal('interrupted');
      expect(await wait(id), 'the next attempt is due').to.equal(0);
      await startDue(service.scope(), lease, 12_000);
      service.clock.advance({ seconds: 12 });
      await deliver();
      expect(await getDelivery(practice.test, id)).to.deep.include({ status: 'retrying', attemptCount: 2 });
      expect(await wait(id)).to.equal(120);
      expect(receiver.received).to.have.length(0);
    });

    it('an abandoned attempt at a disabled endpoint makes its delivery skipped', async () => {
      const { id } = await ping(practice.test, endpoint.id);
      await dieInTheMiddle();
      await practice.test.patch(`${ENDPOINTS}/${endpoint.id}`, { enabled: false });
      service.clock.advance({ seconds: 12 });
      expect(await sweep(service.scope())).to.include(endpoint.id);
      await deliver();
      expect((await getDelivery(practice.test, id)).status).to.equal('skipped');
    });

    it('a worker that continues after its lease writes nothing: the attempt stays interrupted', async () => {
      const { id } = await ping(practice.test, endpoint.id);
      const { end } = await underWay(200);
      service.clock.advance({ minutes: 1 });
      await deliver();
      const before = await getDelivery(practice.test, id);
      expect(before).to.deep.include({ status: 'delivered', attemptCount: 2 });
      expect(before.attempts.map(({ error }) => error)).to.deep.equal(['interrupted', null]);
      await end();
      expect(await getDelivery(practice.test, id)).to.deep.equal(before);
    });

    it('the sweep replaces lost wake-ups of all endpoints', async () => {
      const { id } = await ping(practice.test, endpoint.id);
      expect(await sweep(service.scope())).to.include(endpoint.id);
      receiver.answer = refuse(500);
      await deliver();
      expect(await sweep(service.scope()), 'nothing is due').to.not.include(endpoint.id);
      service.clock.advance({ seconds: 30 });
      expect(await sweep(service.scope()), 'the retry is due').to.include(endpoint.id);
      await claim(service.scope(), endpoint.id, 12_000);
      expect(await sweep(service.scope()), 'another worker delivers').to.not.include(endpoint.id);
      service.clock.advance({ seconds: 12 });
      expect(await sweep(service.scope()), 'who has died').to.include(endpoint.id);
      receiver.answer = accept;
      await deliver();
      expect((await getDelivery(practice.test, id)).status).to.equal('delivered');
    });

    it('the sweep adds no jobs while those of an earlier run wait, unless they wait for ten seconds', async () => {
      await ping(practice.test, endpoint.id);
      expect(await enqueueDueDeliveries(service.scope())).to.be.at.least(1);
      expect(await enqueueDueDeliveries(service.scope())).to.equal(0);
      await service.query(`update graphile_worker._private_jobs set created_at = now() - interval '11 seconds'`);
      expect(await enqueueDueDeliveries(service.scope())).to.be.at.least(1);
      expect(await sweep(service.scope())).to.include(endpoint.id);
    });

    it('the sweep finds all endpoints with due deliveries, even if a thousand others stay due', async () => {
      await ping(practice.test, endpoint.id);
      await service.query(
        `with endpoints as (
           insert into webhook_endpoints select r.* from webhook_endpoints w, generate_series(1, 1500) as n,
             json_populate_record(w, json_build_object('id', 'we_0' || lpad(n::text, 25, '0'))) as r where w.id = $1
           returning id
         )
         insert into webhook_deliveries (id, practice_id, endpoint_id, type, test, status, payload, delivery_run, due_at,
           created_at)
         select 'evt_0' || substr(e.id, 5), practice_id, e.id, type, test, status, payload, delivery_run, due_at, created_at
         from webhook_deliveries d, endpoints e where d.endpoint_id = $1`,
        [endpoint.id],
      );
      const due = await sweep(service.scope());
      expect(due).to.include(endpoint.id);
      expect(new Set(due).size).to.be.at.least(1501);
      await service.query(`with d as (delete from webhook_deliveries where id like 'evt_00%' returning endpoint_id)
         update webhook_endpoints set status = 'disabled', url = '', secret_ciphertext = '', deleted_at = now()
         from d where id = endpoint_id`);
    });
  });

  describe('several workers on one database', () => {
    it('a worker that asks for an endpoint leased by another one leaves it alone, and the sweep finds it once that one stops', async () => {
      const ids = [(await ping(practice.test, endpoint.id)).id, (await ping(practice.test, endpoint.id)).id];
      const second = service.deliverer();
      const { deliverer: first, release } = await underWay(200);
      await deliver(second);
      expect(receiver.received).to.have.length(1);
      const stopped = first.stop();
      release();
      await stopped;
      expect(await sweep(service.scope())).to.include(endpoint.id);
      await deliver(second);
      expect(receiver.received.map(({ id }) => id)).to.deep.equal(ids);
    });

    it('a notification starts a round in the worker that owns it, and makes a round that runs look again', async () => {
      const [owner, other] = [service.deliverer(), service.deliverer()];
      await ping(practice.test, endpoint.id);
      other.notify(endpoint.id, () => false);
      await other.idle();
      expect(receiver.received).to.have.length(0);
      owner.notify(endpoint.id, () => true);
      await owner.idle();
      expect(receiver.received).to.have.length(1);
      await ping(practice.test, endpoint.id);
      const { deliverer: running, release } = await underWay(200);
      const { id } = await ping(practice.test, endpoint.id);
      running.notify(endpoint.id, () => false);
      release();
      await running.idle();
      expect(receiver.received.at(-1)?.id).to.equal(id);
    });

    it('a job waits for the claim of its endpoints, so that a crash leaves the job or a lease', async () => {
      await ping(practice.test, endpoint.id);
      const release = await service.lock('select from webhook_endpoints where id = $1 for update', [endpoint.id]);
      await service.deliverer().deliver([endpoint.id]);
      await release();
      const { answer, arrived } = delayedAnswer(200);
      receiver.answer = answer;
      const deliverer = service.deliverer();
      await deliverer.deliver([endpoint.id]);
      const [row] = await service.query<{ leased: boolean }>(
        'select lease_until is not null as leased from webhook_endpoints where id = $1',
        [endpoint.id],
      );
      expect(row?.leased).to.equal(true);
      (await arrived)();
      await deliverer.idle();
    });

    it('two workers send every event once, one at a time, in order, and one that is published while a worker releases its lease is not missed', async () => {
      const deliverers = [service.deliverer(), service.deliverer()];
      const sent: string[] = [];
      for (let count = 0; count < 30; count++) {
        for (const deliverer of deliverers) void deliverer.deliver([endpoint.id]);
        sent.push((await ping(practice.test, endpoint.id)).id);
        for (const deliverer of deliverers) void deliverer.deliver([endpoint.id]);
      }
      await Promise.all(deliverers.map((deliverer) => deliverer.idle()));
      expect(receiver.received.map(({ id }) => id)).to.deep.equal(sent);
      expect(receiver.maxInFlight).to.equal(1);
    });

    it('a wake-up that arrives after the last look of a round starts another round', async () => {
      const first = await ping(practice.test, endpoint.id);
      const later = await ping(practice.test, endpoint.id);
      await service.query(`update webhook_deliveries set due_at = due_at + interval '1 minute' where id = $1`, [
        later.id,
      ]);
      // The line of an attempt is written after its outcome is recorded, in the statement that also looks for the next one.
      const write = () => {
        service.clock.advance({ minutes: 1 });
        void deliverer.deliver([endpoint.id]);
      };
      const log = createLogger('info', [], { write });
      const deliverer = service.deliverer({ scope: { ...service.scope(), log } });
      await deliver(deliverer);
      expect(receiver.received.map(({ id }) => id)).to.deep.equal([first.id, later.id]);
    });

    it('a worker that stops finishes attempts under way, starts no others, and releases its leases at once', async () => {
      const first = await ping(practice.test, endpoint.id);
      const second = await ping(practice.test, endpoint.id);
      const { deliverer: stopping, release } = await underWay(200);
      const stopped = stopping.stop();
      release();
      await stopped;
      void stopping.deliver([endpoint.id]);
      await stopping.idle();
      const statuses = async () => [
        (await getDelivery(practice.test, first.id)).status,
        (await getDelivery(practice.test, second.id)).status,
      ];
      expect(await statuses()).to.deep.equal(['delivered', 'pending']);
      await deliver();
      expect(await statuses()).to.deep.equal(['delivered', 'delivered']);
    });
  });

  describe('a database that fails while an outcome is recorded', () => {
    /** Makes the next so many writes of an outcome fail as a database does that is in trouble. */
    async function failWrites(count: number): Promise<void> {
      await service.query(`drop sequence if exists trouble cascade;
         create sequence trouble;
         create or replace function be_in_trouble() returns trigger language plpgsql as $$
         begin
           if nextval('trouble') <= ${count} then raise exception 'in trouble' using errcode = '57P03'; end if;
           return new;
         end $$;
         create or replace trigger trouble before update on webhook_attempts
           for each row execute function be_in_trouble()`);
    }

    afterEach(() => service.query('drop trigger if exists trouble on webhook_attempts'));

    for (const [answer, status] of [
      [accept, 'delivered'],
      [refuse(500), 'retrying'],
    ] as const) {
      it(`an outcome of ${status} is recorded once the database is available, sent once and not interrupted`, async () => {
        receiver.answer = answer;
        const { id } = await ping(practice.test, endpoint.id);
        await failWrites(2);
        await deliver();
        const { attempts, ...delivery } = await getDelivery(practice.test, id);
        expect(delivery.status).to.equal(status);
        expect(attempts).to.have.length(1);
        expect(receiver.received).to.have.length(1);
      });
    }

    it('two recordings of one success that wait for the endpoint’s lock start its next delivery once', async () => {
      await ping(practice.test, endpoint.id);
      const second = await ping(practice.test, endpoint.id);
      const lease = await claimFree(service.scope(), endpoint.id, 12_000);
      const attempt = await startDue(service.scope(), lease, 12_000);
      const outcome = { durationMs: 1, responseStatus: 200, error: null };
      const record = () =>
        recordSuccess(service.scope(), 12_000, { lease, attempt, result: outcome, ranks: [0, 1, 2], isFirst: false });
      const release = await service.lock('select from webhook_endpoints where id = $1 for update', [endpoint.id]);
      // The first one's connection broke, its statement waits on; and so does the try after it.
      const tries = [record(), record()];
      await service.untilWaiting(2, 'webhook_attempts');
      await release();
      const answers = await Promise.all(tries);
      expect(answers.map(({ result }) => result).toSorted()).to.deep.equal(['delivered', 'stale']);
      const started = answers.flatMap(({ next }) => (next === null || typeof next === 'string' ? [] : [next]));
      expect(started.map(({ deliveryId, number }) => [deliveryId, number])).to.deep.equal([[second.id, 1]]);
      expect((await getDelivery(practice.test, second.id)).attempts.map(({ number }) => number)).to.deep.equal([1]);
    });

    it('other errors of recording are not retried: the lease expires, and the attempt ends as interrupted', async () => {
      const { id } = await ping(practice.test, endpoint.id);
      await service.query(
        'alter table webhook_attempts add constraint trouble check (response_status is null) not valid',
      );
      await deliver();
      await service.query('alter table webhook_attempts drop constraint trouble');
      expect((await getDelivery(practice.test, id)).attempts).to.have.length(1);
      service.clock.advance({ minutes: 1 });
      await deliver();
      expect((await getDelivery(practice.test, id)).attempts.map(({ error }) => error)).to.deep.equal([
        'interrupted',
        null,
      ]);
    });
  });

  describe('clocks that disagree', () => {
    /** A scope as production has it, on a machine whose clock is wrong by so many seconds. */
    const scopeOff = (seconds: number) => ({
      ...service.scope(),
      clock: { now: () => new Date(Date.now() + seconds * 1000), shared: () => null },
    });

    for (const [api, worker] of [
      [-6, 6],
      [3600, -3600],
    ] as const) {
      it(`with an API clock ${api} s and a worker clock ${worker} s off, events and redeliveries are sent at once`, async () => {
        const { practiceId } = practice;
        const caller = { apiKeyId: 'key_1', practiceId, test: true, scopes: [], locationId: null };
        const { id } = await sendExample({ ...scopeOff(api), caller }, endpoint.id, 'ping');
        expect(await sweep(scopeOff(worker))).to.include(endpoint.id);
        const deliverer = service.deliverer({ scope: scopeOff(worker) });
        await deliver(deliverer);
        await redeliver({ ...scopeOff(api), caller }, id);
        await deliver(deliverer);
        expect(receiver.received.map((received) => received.id)).to.deep.equal([id, id]);
      });
    }
  });

  it('a round that cannot start is logged, and the next round at the endpoint starts', async () => {
    const lines: string[] = [];
    let isBroken = true;
    const now = () => {
      if (isBroken) throw new Error('no time today');
      return service.clock.now();
    };
    const clock = { now, shared: () => service.clock.shared() };
    const log = createLogger('error', [], { write: (line) => lines.push(line) });
    const deliverer = service.deliverer({ scope: { ...service.scope(), clock, log } });
    const { id } = await ping(practice.test, endpoint.id);
    await deliver(deliverer);
    expect(lines.join()).to.include('no time today').and.include(endpoint.id);
    isBroken = false;
    await deliver(deliverer);
    expect((await getDelivery(practice.test, id)).status).to.equal('delivered');
  });
});
