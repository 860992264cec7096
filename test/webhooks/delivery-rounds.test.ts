import { expect } from 'chai';
import { madeForEach, useReceiver, useService } from '../harness/fixtures.ts';
import { accept, delayedAnswer, Receiver, refuse } from '../harness/receiver.ts';
import { createEndpoint, deliver, ENDPOINTS, listDeliveries, paidLink, ping } from '../harness/webhooks.ts';

describe('the order of deliveries', () => {
  const service = useService();
  const practice = madeForEach(() => service.practice());
  const receiver = useReceiver();
  const endpoint = madeForEach(() => createEndpoint(practice.test, receiver.url));

  describe('at one endpoint and among endpoints', () => {
    it('new events are sent before retries, and retries before replays', async () => {
      await practice.test.patch(`${ENDPOINTS}/${endpoint.id}`, { enabled: false });
      const replayed = await paidLink(practice.test);
      await practice.test.patch(`${ENDPOINTS}/${endpoint.id}`, { enabled: true });
      receiver.answer = refuse(500);
      const retried = await paidLink(practice.test);
      const deliverer = service.deliverer();
      await deliver(deliverer, endpoint.id);
      service.clock.advance({ minutes: 1 });
      await practice.test.post(`${ENDPOINTS}/${endpoint.id}/replay`, { since: endpoint.createdAt });
      const fresh = await paidLink(practice.test);
      receiver.received.length = 0;
      receiver.answer = accept;
      await deliver(deliverer, endpoint.id);
      const order = receiver.received.map(({ event }) => event.data.paymentLink.id);
      expect(order).to.deep.equal([fresh.id, retried.id, replayed.id]);
    });

    it('a replay that failed stays behind retries, however long it has been due', async () => {
      await practice.test.patch(`${ENDPOINTS}/${endpoint.id}`, { enabled: false });
      const replayed = await paidLink(practice.test);
      await practice.test.patch(`${ENDPOINTS}/${endpoint.id}`, { enabled: true });
      receiver.answer = refuse(500);
      const deliverer = service.deliverer();
      await practice.test.post(`${ENDPOINTS}/${endpoint.id}/replay`, { since: endpoint.createdAt });
      await deliver(deliverer, endpoint.id);
      service.clock.advance({ seconds: 1 });
      const retried = await paidLink(practice.test);
      await deliver(deliverer, endpoint.id);
      service.clock.advance({ minutes: 1 });
      receiver.received.length = 0;
      receiver.answer = accept;
      await deliver(deliverer, endpoint.id);
      const order = receiver.received.map(({ event }) => event.data.paymentLink.id);
      expect(order).to.deep.equal([retried.id, replayed.id]);
    });

    it('neither retries nor replays starve while new events keep coming', async () => {
      await practice.test.patch(`${ENDPOINTS}/${endpoint.id}`, { enabled: false });
      const replayed = await paidLink(practice.test);
      await practice.test.patch(`${ENDPOINTS}/${endpoint.id}`, { enabled: true });
      receiver.answer = refuse(500);
      const retried = await paidLink(practice.test);
      const deliverer = service.deliverer();
      await deliver(deliverer, endpoint.id);
      service.clock.advance({ minutes: 1 });
      await practice.test.post(`${ENDPOINTS}/${endpoint.id}/replay`, { since: endpoint.createdAt });
      for (let count = 0; count < 30; count++) await ping(practice.test, endpoint.id);
      receiver.received.length = 0;
      receiver.answer = accept;
      await deliver(deliverer, endpoint.id);
      const order = receiver.received.map(({ event }) => event.data.paymentLink?.id);
      expect([order.indexOf(retried.id), order.indexOf(replayed.id)]).to.deep.equal([3, 15]);
    });

    it('an endpoint whose receiver does not answer delays no other endpoint', async () => {
      const delayed = delayedAnswer(200);
      const silent = await new Receiver().start();
      silent.answer = delayed.answer;
      const slow = await createEndpoint(practice.test, silent.url);
      const link = await paidLink(practice.test);
      const deliverer = service.deliverer();
      deliverer.wakeUp(slow.id);
      const answer = await delayed.arrived;
      deliverer.wakeUp(endpoint.id);
      while (receiver.received.length === 0) await listDeliveries(practice.test);
      expect(receiver.received[0]?.event.data.paymentLink.id).to.equal(link.id);
      answer();
      await deliverer.idle();
      await silent.close();
    });

    it('when all places are taken, a round that had its time ends, and its endpoint queues up again', async () => {
      const other = await createEndpoint(practice.test, receiver.url);
      const deliverer = service.deliverer({ maxRounds: 1, maxRoundMs: 0 });
      const mine: string[] = [];
      for (let count = 0; count < 3; count++) mine.push((await ping(practice.test, endpoint.id)).id);
      const theirs = await ping(practice.test, other.id);
      deliverer.wakeUp(endpoint.id);
      deliverer.wakeUp(other.id);
      await deliverer.idle();
      const order = receiver.received.map(({ id }) => id);
      expect(order.toSorted()).to.deep.equal([...mine, theirs.id].toSorted());
      expect(order.indexOf(theirs.id), 'not behind all of the first one’s').to.be.below(3);
    });

    it('two hundred endpoints share a limited number of database steps, and all get their deliveries', async () => {
      const practices = await Promise.all(Array.from({ length: 20 }, () => service.practice()));
      const ids: string[] = [];
      for (const { test } of practices) {
        for (let count = 0; count < 10; count++) ids.push((await createEndpoint(test, receiver.url)).id);
        await paidLink(test);
      }
      const deliverer = service.deliverer();
      for (const id of ids) deliverer.wakeUp(id);
      await deliverer.idle();
      expect(receiver.received).to.have.length(200);
      expect(new Set(receiver.received.map(({ id }) => id)).size).to.equal(200);
    });
  });
});
