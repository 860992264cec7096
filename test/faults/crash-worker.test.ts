import { expect } from 'chai';
import { until } from '../harness/processes.ts';
import { useCrashSetup } from './crash-setup.ts';

const START = /insert into webhook_attempts/;
const LEASED = 'select from webhook_endpoints where lease_until > clock_timestamp()';

describe('a worker', function () {
  this.timeout(180_000);
  const setup = useCrashSetup();

  async function outcomes(eventId: string): Promise<(number | string | null)[]> {
    const attempts = await setup.attempts(eventId);
    expect(attempts.map(({ number }) => number)).to.deep.equal(attempts.map((_, index) => index + 1));
    return attempts.map(({ error, response_status }) => error ?? response_status);
  }

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
