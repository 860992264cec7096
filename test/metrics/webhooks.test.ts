import { expect } from 'chai';
import { endAbandonedAttempts } from '../../src/webhooks/delivery/record.ts';
import { DEFAULT_RETRY_SECONDS } from '../../src/webhooks/model/retry-schedule.ts';
import { refuse } from '../harness/receiver.ts';
import {
  claimFree,
  ENDPOINTS,
  followRetrySchedule,
  paidLink,
  ping,
  setExhaustedInARow,
  startDue,
  useEndpoint,
} from '../harness/webhooks.ts';
import { Counters, type Values } from './counters.ts';

describe('metrics of webhook attempts', () => {
  const { service, practice, receiver, endpoint, deliver, underWay } = useEndpoint();
  let counters: Counters;

  before(() => {
    counters = new Counters('worker');
  });

  const results = (action: () => Promise<unknown>): Promise<Values> =>
    counters.growth(['paylinks_webhook_attempts_recorded_total'], action);

  it('each attempt is counted by the status that its delivery got: delivered, retrying or exhausted', async () => {
    await ping(practice.test, endpoint.id);
    const deliverer = service.deliverer();
    expect(await results(() => deliver(deliverer))).to.deep.equal({ 'result="delivered"': 1 });
    receiver.answer = refuse(500);
    await ping(practice.test, endpoint.id);
    expect(await results(() => followRetrySchedule(service, deliverer, endpoint.id))).to.deep.equal({
      'result="retrying"': 7,
      'result="exhausted"': 1,
    });
  });

  it('the exhausted event that disables its endpoint is counted as such', async () => {
    receiver.answer = refuse(500);
    await setExhaustedInARow(service, endpoint.id, 19);
    await paidLink(practice.test);
    expect(await results(() => followRetrySchedule(service, service.deliverer(), endpoint.id))).to.deep.equal({
      'result="retrying"': 7,
      'result="disabled"': 1,
    });
  });

  it('a failed attempt at an endpoint that was disabled in between is counted as skipped', async () => {
    await ping(practice.test, endpoint.id);
    const skipped = async () => {
      const { end } = await underWay(500);
      expect((await practice.test.patch(`${ENDPOINTS}/${endpoint.id}`, { enabled: false })).status).to.equal(200);
      await end();
    };
    expect(await results(skipped)).to.deep.equal({ 'result="skipped"': 1 });
  });

  for (const late of [200, 500]) {
    it(`an attempt that another worker found has one outcome, also when its own worker is late with a ${late}`, async () => {
      await ping(practice.test, endpoint.id);
      const foundBeforeItsEnd = async () => {
        const { end } = await underWay(late);
        service.clock.advance({ minutes: 1 });
        await deliver();
        await end();
      };
      const names = [
        'paylinks_webhook_attempts_recorded_total',
        'paylinks_webhook_attempt_duration_seconds_count',
        'paylinks_webhook_delivery_age_seconds_count',
      ];
      expect(await counters.growth(names, foundBeforeItsEnd)).to.deep.equal({
        'result="retrying"': 1,
        'result="delivered"': 1,
        'result="stale"': 1,
        'outcome="interrupted",retry="false"': 1,
        'outcome="success",retry="true"': 1,
      });
    });
  }

  it('an abandoned attempt that two workers find at the same time is counted once', async () => {
    await ping(practice.test, endpoint.id);
    const lease = await claimFree(service.scope(), endpoint.id, 12_000);
    await startDue(service.scope(), lease, 12_000);
    service.clock.advance({ seconds: 12 });
    const next = await claimFree(service.scope(), endpoint.id, 12_000);
    const release = await service.lock('select from webhook_endpoints where id = $1 for update', [endpoint.id]);
    const bothFind = async () => {
      const end = () => endAbandonedAttempts(service.scope(), next, { retrySeconds: DEFAULT_RETRY_SECONDS });
      const both = Promise.all([end(), end()]);
      // Each has found the attempt, and waits to record it.
      await service.untilWaiting(2, 'webhook_attempts');
      await release();
      await both;
    };
    const names = ['paylinks_webhook_attempts_recorded_total', 'paylinks_webhook_attempt_duration_seconds_count'];
    expect(await counters.growth(names, bothFind)).to.deep.equal({
      'result="retrying"': 1,
      'outcome="interrupted",retry="false"': 1,
    });
  });
});
