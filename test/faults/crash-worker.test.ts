import { expect } from 'chai';
import { until } from '../harness/processes.ts';
import { useCrashSetup } from './crash-setup.ts';

const START = /insert into webhook_attempts/;
const LEASED = 'select from webhook_endpoints where lease_until > clock_timestamp()';
const RECORD = /update webhook_attempts a set duration_ms/;

/** A retry schedule that no test waits for, so that what follows an interrupted attempt follows at once. */
const HOURLY_RETRIES = { WEBHOOK_RETRY_SECONDS: '3600,3600,3600,3600,3600,3600,3600' };

describe('a worker', function () {
  this.timeout(180_000);
  const setup = useCrashSetup();

  async function outcomes(eventId: string): Promise<(number | string | null)[]> {
    const attempts = await setup.attempts(eventId);
    expect(attempts.map(({ number }) => number)).to.deep.equal(attempts.map((_, index) => index + 1));
    return attempts.map(({ error, response_status }) => error ?? response_status);
  }

  for (const [what, when, point, expected, arrivals] of [
    [
      'before the send leaves an interrupted attempt, and the next follows at once',
      'after',
      START,
      ['interrupted', 200],
      1,
    ],
    ['between the 2xx and its record delivers the same bytes once more', 'before', RECORD, ['interrupted', 200], 2],
    ['after the record sends nothing again', 'after', RECORD, [200], 1],
  ] as const) {
    it(`a worker killed ${what}`, async () => {
      const eventId = await setup.createEvent();
      const reached = setup.proxy.stop(when, point);
      const worker = setup.worker(setup.proxy.url, HOURLY_RETRIES);
      await reached;
      worker.signal('SIGKILL');
      await worker.ended;
      await setup.expireLease();
      setup.worker(setup.databaseUrl, HOURLY_RETRIES);
      await setup.untilStatus(eventId, 'delivered');
      // What another worker sends again would come before the next event.
      await setup.untilStatus(await setup.createEvent(), 'delivered');
      expect(await outcomes(eventId)).to.deep.equal(expected);
      const sent = setup.receiver.received.filter(({ id }) => id === eventId);
      expect([sent.length, new Set(sent.map(({ raw }) => raw)).size]).to.deep.equal([arrivals, 1]);
    });
  }

  it('a worker stopped during a slow delivery finishes it and exits 0', async () => {
    let answer: (() => void) | undefined;
    setup.receiver.answer = (_, response) => {
      answer = () => response.writeHead(200).end();
    };
    const eventId = await setup.createEvent();
    const worker = setup.worker();
    await until(() => answer !== undefined, worker.log);
    worker.signal('SIGTERM');
    await until(() => worker.log().includes('"stopping"'), worker.log);
    answer?.();
    expect(await worker.ended).to.equal(0);
    expect(await outcomes(eventId)).to.deep.equal([200]);
    await setup.untilStatus(eventId, 'delivered');
    const [endpoint] = await setup.rows<{ lease_until: string | null }>('select lease_until from webhook_endpoints');
    expect(endpoint?.lease_until, 'the next worker need not wait').to.equal(null);
  });

  it('a worker stopped past its lease between the record of an attempt and its send does not send it', async () => {
    const eventId = await setup.createEvent();
    const reached = setup.proxy.stop('before', START);
    const stopped = setup.worker(setup.proxy.url, { WEBHOOK_TIMEOUT_MS: '500' });
    await reached;
    stopped.signal('SIGSTOP');
    setup.proxy.release();
    await until(async () => (await setup.attempts(eventId)).length === 1, stopped.log);
    // In real time, because the stopped process also sees by its own clock that its lease is over.
    await until(async () => (await setup.rows(LEASED)).length === 0, 'the lease never ends');
    setup.worker(setup.databaseUrl);
    await setup.untilStatus(eventId, 'delivered');
    stopped.signal('SIGCONT');
    const next = await setup.createEvent();
    await setup.untilStatus(next, 'delivered');
    stopped.signal('SIGTERM');
    expect(await stopped.ended).to.equal(0);
    expect(setup.received(eventId)).to.equal(1);
    expect(await outcomes(eventId)).to.deep.equal(['interrupted', 200]);
  });
});
