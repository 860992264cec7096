import { expect } from 'chai';
import type { Client } from '../harness/client.ts';
import { itRefusesStrangers } from '../harness/common-refusals.ts';
import { isSignedWith, Receiver } from '../harness/receiver.ts';
import { outcome } from '../harness/refusal.ts';
import { type TestPractice, TestService } from '../harness/service.ts';
import {
  createEndpoint,
  deliver,
  ENDPOINTS,
  type Endpoint,
  getDelivery,
  listDeliveries,
  ping,
} from '../harness/webhooks.ts';

describe('testWebhookEndpoint', () => {
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
  });

  after(async () => {
    await service.close();
    await receiver.close();
    expect(receiver.faults).to.deep.equal([]);
  });

  const test = (client: Client = practice.test, id = endpoint.id) => client.post(`${ENDPOINTS}/${id}/test`);

  describe('202', () => {
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
      await deliver(service.deliverer(), endpoint.id);
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

    it('a ping is sent whatever types the endpoint is subscribed to', async () => {
      await practice.test.patch(`${ENDPOINTS}/${endpoint.id}`, { enabledEvents: ['payment_link.paid'] });
      await ping(practice.test, endpoint.id);
      await deliver(service.deliverer(), endpoint.id);
      expect(receiver.types).to.deep.equal(['ping']);
    });

    it('a ping is sent to its endpoint and no other', async () => {
      const other = await createEndpoint(practice.test, receiver.url);
      await ping(practice.test, endpoint.id);
      expect(await listDeliveries(practice.test, `endpointId=${other.id}`)).to.deep.equal([]);
    });

    it('a ping of a live endpoint has test false', async () => {
      const live = await createEndpoint(practice.live, receiver.url);
      expect((await ping(practice.live, live.id)).test).to.equal(false);
      await deliver(service.deliverer(), live.id);
      expect(receiver.received[0]?.event.test).to.equal(false);
    });

    it('an empty object counts as no body', async () => {
      expect((await practice.test.post(`${ENDPOINTS}/${endpoint.id}/test`, {})).status).to.equal(202);
    });
  });

  it('400 unknown_parameter for a body with anything in it', async () => {
    const reply = await practice.test.post(`${ENDPOINTS}/${endpoint.id}/test`, { type: 'payment_link.paid' });
    expect(outcome(reply)).to.equal('400 unknown_parameter type');
  });

  it('404 for an endpoint that the key does not see', async () => {
    const { practiceId, locationId } = practice;
    const pinned = await service.key({ practiceId, test: true, locationId });
    for (const client of [practice.live, (await service.practice()).test, pinned]) {
      expect(outcome(await test(client))).to.equal('404 not_found');
    }
    expect(outcome(await test(practice.test, 'we_00000000000000000000000000'))).to.equal('404 not_found');
  });

  it('409 endpoint_disabled, and nothing is queued', async () => {
    await practice.test.patch(`${ENDPOINTS}/${endpoint.id}`, { enabled: false });
    expect(outcome(await test())).to.equal('409 endpoint_disabled');
    expect(await listDeliveries(practice.test)).to.deep.equal([]);
  });

  it('503 webhooks_unavailable without a usable SECRETS_KEY, and nothing is queued', async () => {
    const { databaseUrl } = service.config;
    const keyless = await TestService.start({ databaseUrl, clock: service.clock, env: { SECRETS_KEY: '' } });
    expect(outcome(await test(keyless.client(practice.test.key)))).to.equal('503 webhooks_unavailable');
    await keyless.close();
    expect(await listDeliveries(practice.test)).to.deep.equal([]);
  });

  itRefusesStrangers({ service: () => service, practice: () => practice, send: (client) => test(client) });
});
