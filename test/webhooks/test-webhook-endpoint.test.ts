import { expect } from 'chai';
import type { Client } from '../harness/client.ts';
import { isSignedWith } from '../harness/receiver.ts';
import { outcome } from '../harness/refusal.ts';
import { createEndpoint, ENDPOINTS, getDelivery, listDeliveries, ping, useEndpoint } from '../harness/webhooks.ts';

describe('testWebhookEndpoint', () => {
  const { service, practice, receiver, endpoint, deliver } = useEndpoint();

  const test = (client: Client = practice.test, id = endpoint.id) => client.post(`${ENDPOINTS}/${id}/test`);

  it('202 with the pending delivery of a ping', async () => {
    const reply = await test();
    expect(reply.status).to.equal(202);
    expect(reply.body).to.deep.equal({
      id: reply.body.id,
      object: 'webhook_delivery',
      endpointId: endpoint.id,
      paymentLinkId: null,
      type: 'ping',
      test: true,
      status: 'pending',
      attemptCount: 0,
      createdAt: service.clock.now().toISOString(),
      lastAttemptAt: null,
      deliveredAt: null,
      nextAttemptAt: null,
      lastResponseStatus: null,
      lastError: null,
    });
  });

  it('the ping arrives signed, with empty data, and its id is polled', async () => {
    const { id } = await ping(practice.test, endpoint.id);
    await deliver();
    const [received] = receiver.received;
    expect(received?.event).to.deep.equal({
      id,
      object: 'event',
      type: 'ping',
      test: true,
      createdAt: service.clock.now().toISOString(),
      data: {},
    });
    expect(received !== undefined && isSignedWith(endpoint.secret, received)).to.equal(true);
    expect((await getDelivery(practice.test, id)).status).to.equal('delivered');
  });

  it('a ping is sent to its endpoint and no other, whatever types it is subscribed to', async () => {
    await createEndpoint(practice.test, receiver.url);
    await practice.test.patch(`${ENDPOINTS}/${endpoint.id}`, { enabledEvents: ['payment_link.paid'] });
    await ping(practice.test, endpoint.id);
    await deliver();
    expect(receiver.types).to.deep.equal(['ping']);
  });

  it('a ping of a live endpoint has test false', async () => {
    const live = await createEndpoint(practice.live, receiver.url);
    expect((await ping(practice.live, live.id)).test).to.equal(false);
    await deliver(service.deliverer(), live.id);
    expect(receiver.received[0]?.event.test).to.equal(false);
  });

  it('409 endpoint_disabled, and nothing is queued', async () => {
    await practice.test.patch(`${ENDPOINTS}/${endpoint.id}`, { enabled: false });
    expect(outcome(await test())).to.equal('409 endpoint_disabled');
    expect(await listDeliveries(practice.test)).to.deep.equal([]);
  });
});
