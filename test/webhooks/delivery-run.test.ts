import { expect } from 'chai';
import { DEFAULT_RETRY_SECONDS } from '../../src/webhooks/model/retry-schedule.ts';
import { CapturedLog } from '../harness/captured-log.ts';
import { useService } from '../harness/fixtures.ts';
import { accept, refuse } from '../harness/receiver.ts';
import { TestService } from '../harness/service.ts';
import {
  createEndpoint,
  getDelivery,
  paidLink,
  ping,
  secondsUntilNext,
  sweep,
  useEndpoint,
} from '../harness/webhooks.ts';

describe('a delivery run', () => {
  const { service, practice, receiver, endpoint, deliver } = useEndpoint();

  const wait = (id: string) => secondsUntilNext(service, practice.test, id);

  describe('the retry schedule', () => {
    it('a delivery waits 30 s, 2 min, 10 min, 1 h, 6 h, 24 h and 48 h, to the millisecond, and is exhausted after the eighth', async () => {
      receiver.answer = refuse(500);
      const { id } = await ping(practice.test, endpoint.id);
      for (const [index, seconds] of DEFAULT_RETRY_SECONDS.entries()) {
        await deliver();
        expect(receiver.received).to.have.length(index + 1);
        expect(await wait(id)).to.equal(seconds);
        service.clock.advance({ seconds, ms: -1 });
        await deliver();
        expect(receiver.received, 'not a millisecond early').to.have.length(index + 1);
        service.clock.advance({ ms: 1 });
      }
      await deliver();
      expect(await getDelivery(practice.test, id)).to.deep.include({
        status: 'exhausted',
        attemptCount: 8,
        nextAttemptAt: null,
        deliveredAt: null,
      });
      service.clock.advance({ days: 10 });
      await deliver();
      expect(receiver.received).to.have.length(8);
    });

    it('an address outside the allowed networks is blocked when sending, before any packet', async () => {
      const env = { WEBHOOK_ALLOWED_NETWORKS: '' };
      const strict = await TestService.start({ beside: service, env });
      const { id } = await ping(practice.test, endpoint.id);
      await deliver(strict.deliverer());
      await strict.close();
      expect(await getDelivery(practice.test, id)).to.deep.include({
        status: 'retrying',
        lastError: 'blocked_address',
      });
      expect(receiver.received).to.have.length(0);
    });
  });

  it('a Retry-After of 45 seconds postpones the first retry', async () => {
    receiver.answer = refuse(503, { 'retry-after': '45' });
    const { id } = await ping(practice.test, endpoint.id);
    await deliver();
    expect(await wait(id)).to.equal(45);
  });

  describe('unreadable secrets', () => {
    const keyless = useService({ beside: service, env: { SECRETS_KEY: '' } });

    /** Id of the transaction that wrote the delivery's row last. */
    async function versionOf(id: string): Promise<string | undefined> {
      const sql = 'select xmin::text from webhook_deliveries where id = $1';
      return (await service.query<{ xmin: string }>(sql, [id]))[0]?.xmin;
    }

    it('with an unreadable secret deliveries wait, use up no attempts, and continue when the key is back', async () => {
      const { id } = await ping(practice.test, endpoint.id);
      const before = await versionOf(id);
      await deliver(keyless.deliverer());
      service.clock.advance({ hours: 5 });
      await deliver(keyless.deliverer());
      expect(await versionOf(id), 'not even for a moment').to.equal(before);
      expect(await getDelivery(practice.test, id)).to.deep.include({
        status: 'pending',
        attemptCount: 0,
        attempts: [],
      });
      expect(await sweep(service.scope()), 'the sweep wakes the endpoint up again').to.include(endpoint.id);
      await deliver();
      expect(await getDelivery(practice.test, id)).to.deep.include({ status: 'delivered', attemptCount: 1 });
    });

    it('with an unreadable secret since a rotation, a round that has begun records no further attempt', async () => {
      const { id } = await ping(practice.test, endpoint.id);
      const second = await ping(practice.test, endpoint.id);
      const before = await versionOf(second.id);
      receiver.answer = async (received, response, request) => {
        const foreign = `update webhook_endpoints set secret_ciphertext = 'foreign.x.y.z' where id = $1`;
        await service.query(foreign, [endpoint.id]);
        accept(received, response, request);
      };
      await deliver();
      expect((await getDelivery(practice.test, id)).status).to.equal('delivered');
      expect(receiver.received).to.have.length(1);
      expect(await versionOf(second.id)).to.equal(before);
    });

    it('a ciphertext that was copied from another endpoint signs nothing', async () => {
      const other = await createEndpoint(practice.test, receiver.url);
      const deliverer = service.deliverer();
      await ping(practice.test, other.id);
      void deliverer.deliver([other.id]);
      await deliverer.idle();
      await service.query(
        `update webhook_endpoints set secret_ciphertext = (select secret_ciphertext from webhook_endpoints where id = $2)
         where id = $1`,
        [endpoint.id, other.id],
      );
      await paidLink(practice.test);
      await deliver(deliverer);
      expect(receiver.received, 'the ping to the other endpoint').to.have.length(1);
    });
  });

  it('the log line of an attempt has its practice, its number of how many in the run, and the time of the next one', async () => {
    const captured = new CapturedLog();
    const deliverer = service.deliverer({ scope: { ...service.scope(), log: captured.log } });
    receiver.answer = refuse(500);
    const { id: eventId } = await ping(practice.test, endpoint.id);
    await deliver(deliverer);
    const { nextAttemptAt } = await getDelivery(practice.test, eventId);
    service.clock.advance({ seconds: 30 });
    receiver.answer = accept;
    await deliver(deliverer);
    const common = { practiceId: practice.practiceId, endpointId: endpoint.id, eventId, type: 'ping', ofAttempts: 8 };
    const [failed, delivered, ...others] = captured.take('webhook attempt');
    expect(others).to.deep.equal([]);
    expect(failed).to.include({ ...common, attempt: 1, runAttempt: 1, result: 'retrying', nextAttemptAt });
    expect(delivered).to.include({ ...common, attempt: 2, runAttempt: 2, result: 'delivered', nextAttemptAt: null });
  });
});
