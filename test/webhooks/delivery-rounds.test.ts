import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { createStepLimiter } from '../../src/webhooks/delivery/deliverer.ts';
import { accept, delayedAnswer, Receiver, refuse } from '../harness/receiver.ts';
import { createEndpoint, ENDPOINTS, listDeliveries, paidLink, ping, useEndpoint } from '../harness/webhooks.ts';

describe('the order of deliveries', () => {
  const { service, practice, receiver, endpoint, deliver } = useEndpoint();

  for (const [what, answer] of [
    ['arrive', accept],
    ['fail', refuse(500)],
  ] as const) {
    it(`new events go before retries, and retries before replays, and none of them starves while attempts ${what}`, async () => {
      const path = `${ENDPOINTS}/${endpoint.id}`;
      await practice.test.patch(path, { enabled: false });
      const replayed = await paidLink(practice.test);
      await practice.test.patch(path, { enabled: true });
      receiver.answer = refuse(500);
      const retried = await paidLink(practice.test);
      await deliver();
      service.clock.advance({ minutes: 1 });
      await practice.test.post(`${path}/replay`, { since: endpoint.createdAt });
      for (let count = 0; count < 30; count++) await ping(practice.test, endpoint.id);
      receiver.received.length = 0;
      receiver.answer = answer;
      await deliver();
      const order = receiver.received.map(({ event }) => event.data.paymentLink?.id);
      expect([order.indexOf(retried.id), order.indexOf(replayed.id)]).to.deep.equal([3, 15]);
    });
  }

  it('a step that records an outcome begins at once, however many steps that start attempts wait', async () => {
    const limiter = createStepLimiter();
    let release = () => {};
    const unfinished = new Promise<void>((resolve) => {
      release = resolve;
    });
    const starts = Array.from({ length: 20 }, () => limiter.run('start', () => unfinished));
    let isRecorded = false;
    const recording = limiter.run('record', async () => {
      isRecorded = true;
    });
    await setImmediate();
    expect(isRecorded).to.equal(true);
    release();
    await Promise.all([...starts, recording]);
  });

  it('an endpoint whose receiver does not answer delays no other endpoint', async () => {
    const delayed = delayedAnswer(200);
    const silent = await new Receiver().start();
    silent.answer = delayed.answer;
    const slow = await createEndpoint(practice.test, silent.url);
    const link = await paidLink(practice.test);
    const deliverer = service.deliverer();
    void deliverer.deliver([slow.id]);
    const answer = await delayed.arrived;
    void deliverer.deliver([endpoint.id]);
    while (receiver.received.length === 0) await listDeliveries(practice.test);
    expect(receiver.received[0]?.event.data.paymentLink.id).to.equal(link.id);
    answer();
    await deliverer.idle();
    await silent.close();
  });

  it('a round decrypts the secret of its endpoint once, and a rotated one anew', async () => {
    for (let count = 0; count < 3; count++) await ping(practice.test, endpoint.id);
    const scope = service.scope();
    let decryptions = 0;
    const keys = scope.keyring.keys.map(({ id, key }) => ({
      id,
      get key() {
        decryptions++;
        return key;
      },
    }));
    const deliverer = service.deliverer({ scope: { ...scope, keyring: { keys } } });
    receiver.answer = async (received, response, request) => {
      if (receiver.received.length === 2) await practice.test.post(`${ENDPOINTS}/${endpoint.id}/rotate-secret`);
      accept(received, response, request);
    };
    await deliverer.deliver([endpoint.id]);
    await deliverer.idle();
    const signatures = receiver.received.map(({ headers }) => `${headers['service-signature']}`.match(/v1=/g)?.length);
    expect(signatures).to.deep.equal([1, 1, 2]);
    expect(decryptions, 'the secret before and after the rotation').to.equal(2);
  });

  it('when all places are taken, a round that had its time ends, and its endpoint queues up again', async () => {
    const other = await createEndpoint(practice.test, receiver.url);
    const deliverer = service.deliverer({ limits: { rounds: 1, roundMs: 0 } });
    const mine: string[] = [];
    for (let count = 0; count < 3; count++) mine.push((await ping(practice.test, endpoint.id)).id);
    const theirs = await ping(practice.test, other.id);
    void deliverer.deliver([endpoint.id]);
    void deliverer.deliver([other.id]);
    await deliverer.idle();
    const order = receiver.received.map(({ id }) => id);
    expect(order.toSorted()).to.deep.equal([...mine, theirs.id].toSorted());
    expect(order.indexOf(theirs.id), 'not behind all of the first one’s').to.be.below(3);
  });
});
