import { expect } from 'chai';
import { refuse } from '../harness/receiver.ts';
import { outcome } from '../harness/refusal.ts';
import {
  createEndpoint,
  DELIVERIES,
  type Delivery,
  ENDPOINTS,
  listDeliveries,
  paidLink,
  ping,
  useEndpoint,
} from '../harness/webhooks.ts';

describe('listWebhookDeliveries', () => {
  const { service, practice, receiver, endpoint, deliver } = useEndpoint();

  const ids = (deliveries: Delivery[]) => deliveries.map(({ id }) => id);

  it('the list shows every documented field of a delivery that failed once, and no payload', async () => {
    receiver.answer = refuse(503);
    const link = await paidLink(practice.test);
    const createdAt = service.clock.now().toISOString();
    await deliver();
    const [delivery] = await listDeliveries(practice.test);
    expect(delivery).to.deep.equal({
      id: delivery?.id,
      object: 'webhook_delivery',
      endpointId: endpoint.id,
      paymentLinkId: link.id,
      type: 'payment_link.paid',
      test: true,
      status: 'retrying',
      attemptCount: 1,
      createdAt,
      lastAttemptAt: createdAt,
      deliveredAt: null,
      nextAttemptAt: new Date(service.clock.now().getTime() + 30_000).toISOString(),
      lastResponseStatus: 503,
      lastError: 'http_status',
    });
  });

  it('the link filters the list, and an unknown or malformed id finds nothing', async () => {
    const link = await paidLink(practice.test);
    const { id } = await ping(practice.test, endpoint.id);
    const [first, ...others] = await listDeliveries(
      practice.test,
      `paymentLinkId=${link.id}&endpointId=${endpoint.id}`,
    );
    expect([first?.type, others]).to.deep.equal(['payment_link.paid', []]);
    expect(ids(await listDeliveries(practice.test, 'type=ping'))).to.deep.equal([id]);
    for (const search of [
      'endpointId=we_00000000000000000000000000',
      'endpointId=nonsense',
      'paymentLinkId=plink_00000000000000000000000000',
    ]) {
      expect(await listDeliveries(practice.test, search), search).to.deep.equal([]);
    }
  });

  it('since takes any zone and is inclusive', async () => {
    const { id } = await ping(practice.test, endpoint.id);
    const local = encodeURIComponent(service.clock.now().toISOString().replace('Z', '+02:00').replace('T12', 'T14'));
    service.clock.advance({ ms: 1 });
    expect(ids(await listDeliveries(practice.test, `since=${local}`))).to.deep.equal([id]);
    const later = service.clock.now().toISOString();
    expect(ids(await listDeliveries(practice.test, `since=${later}`))).to.deep.equal([]);
  });

  it('the list has no delivery of another mode, practice or deleted endpoint', async () => {
    const live = await createEndpoint(practice.live, receiver.url);
    const stranger = await service.practice();
    const foreign = await createEndpoint(stranger.test, receiver.url);
    const doomed = await createEndpoint(practice.test, receiver.url);
    await Promise.all([ping(practice.live, live.id), ping(stranger.test, foreign.id), ping(practice.test, doomed.id)]);
    await practice.test.delete(`${ENDPOINTS}/${doomed.id}`);
    const own = await ping(practice.test, endpoint.id);
    expect(ids(await listDeliveries(practice.test))).to.deep.equal([own.id]);
    expect(ids(await listDeliveries(practice.test, `endpointId=${live.id}`))).to.deep.equal([]);
    expect(ids(await listDeliveries(practice.test, `endpointId=${foreign.id}`))).to.deep.equal([]);
  });

  it('400 for a filter or page that is malformed, repeated or unknown, naming it', async () => {
    for (const [search, expected] of [
      ['status=lost', '400 validation_error status'],
      ['type=payment_link.stolen', '400 validation_error type'],
      ['since=2030-06-15T12:00:00', '400 validation_error since'],
      ['pageSize=101', '400 validation_error pageSize'],
      ['status=pending&status=retrying', '400 validation_error status'],
      ['eventId=evt_1', '400 unknown_parameter eventId'],
    ]) {
      expect(outcome(await practice.test.get(`${DELIVERIES}?${search}`)), search).to.equal(expected);
    }
  });
});
