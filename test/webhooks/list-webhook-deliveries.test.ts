import { expect } from 'chai';
import { madeForEach, useReceiver, useService } from '../harness/fixtures.ts';
import { refuse } from '../harness/receiver.ts';
import { outcome } from '../harness/refusal.ts';
import {
  createEndpoint,
  DELIVERIES,
  type Delivery,
  deliver,
  ENDPOINTS,
  listDeliveries,
  paidLink,
  ping,
} from '../harness/webhooks.ts';

describe('listWebhookDeliveries', () => {
  const service = useService();
  const practice = madeForEach(() => service.practice());
  const receiver = useReceiver();
  const endpoint = madeForEach(() => createEndpoint(practice.test, receiver.url));

  beforeEach(async () => {
    receiver.answer = refuse(200);
  });

  const ids = (deliveries: Delivery[]) => deliveries.map(({ id }) => id);

  describe('200', () => {
    it('the list shows every documented field of a delivery that failed once, and no payload', async () => {
      receiver.answer = refuse(503);
      const link = await paidLink(practice.test);
      const createdAt = service.clock.now().toISOString();
      await deliver(service.deliverer(), endpoint.id);
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

    it('deliveries are listed newest first over the pages, also those of one millisecond', async () => {
      const made: string[] = [];
      for (let count = 0; count < 5; count++) made.unshift((await ping(practice.test, endpoint.id)).id);
      const pages = await Promise.all([1, 2, 3].map((n) => practice.test.get(`${DELIVERIES}?page=${n}&pageSize=2`)));
      expect(pages.flatMap(({ body }) => ids(body.data))).to.deep.equal(made);
      expect(pages.map(({ body }) => [body.totalCount, body.hasMore])).to.deep.equal([
        [5, true],
        [5, true],
        [5, false],
      ]);
      expect((await practice.test.get(`${DELIVERIES}?page=4&pageSize=2`)).body.data).to.deep.equal([]);
    });

    it('endpoint, link, status, type and since filter the list, alone and together', async () => {
      const other = await createEndpoint(practice.test, receiver.url, { enabledEvents: ['payment_link.expired'] });
      const link = await paidLink(practice.test);
      await deliver(service.deliverer(), endpoint.id);
      service.clock.advance({ minutes: 1 });
      const since = service.clock.now().toISOString();
      const pinged = await ping(practice.test, other.id);
      const [delivered] = await listDeliveries(practice.test, `paymentLinkId=${link.id}`);
      const one = [delivered?.id];
      expect(ids(await listDeliveries(practice.test, `endpointId=${endpoint.id}`))).to.deep.equal(one);
      expect(ids(await listDeliveries(practice.test, 'status=delivered'))).to.deep.equal(one);
      expect(ids(await listDeliveries(practice.test, 'type=payment_link.paid'))).to.deep.equal(one);
      expect(ids(await listDeliveries(practice.test, `since=${since}`))).to.deep.equal([pinged.id]);
      const all = `endpointId=${endpoint.id}&paymentLinkId=${link.id}&status=delivered&type=payment_link.paid`;
      expect(ids(await listDeliveries(practice.test, `${all}&since=${delivered?.createdAt}`))).to.deep.equal(one);
      expect(ids(await listDeliveries(practice.test, `${all}&since=${since}`))).to.deep.equal([]);
    });

    it('since takes any zone and is inclusive', async () => {
      const { id } = await ping(practice.test, endpoint.id);
      const local = encodeURIComponent(service.clock.now().toISOString().replace('Z', '+02:00').replace('T12', 'T14'));
      service.clock.advance({ ms: 1 });
      expect(ids(await listDeliveries(practice.test, `since=${local}`))).to.deep.equal([id]);
      const later = service.clock.now().toISOString();
      expect(ids(await listDeliveries(practice.test, `since=${later}`))).to.deep.equal([]);
    });

    it('since with a fraction of a millisecond leaves out what was created before that fraction', async () => {
      const { id } = await ping(practice.test, endpoint.id);
      const now = service.clock.now().toISOString();
      expect(ids(await listDeliveries(practice.test, `since=${now.replace('Z', '000Z')}`))).to.deep.equal([id]);
      expect(ids(await listDeliveries(practice.test, `since=${now.replace('Z', '001Z')}`))).to.deep.equal([]);
    });

    for (const search of [
      'endpointId=we_00000000000000000000000000',
      'endpointId=nonsense',
      'paymentLinkId=plink_00000000000000000000000000',
    ]) {
      it(`the list is empty for ?${search}`, async () => {
        await ping(practice.test, endpoint.id);
        expect(await listDeliveries(practice.test, search)).to.deep.equal([]);
      });
    }

    it('the list has no delivery of another mode, practice or deleted endpoint', async () => {
      const live = await createEndpoint(practice.live, receiver.url);
      const stranger = await service.practice();
      const foreign = await createEndpoint(stranger.test, receiver.url);
      const doomed = await createEndpoint(practice.test, receiver.url);
      await Promise.all([
        ping(practice.live, live.id),
        ping(stranger.test, foreign.id),
        ping(practice.test, doomed.id),
      ]);
      await practice.test.delete(`${ENDPOINTS}/${doomed.id}`);
      const own = await ping(practice.test, endpoint.id);
      expect(ids(await listDeliveries(practice.test))).to.deep.equal([own.id]);
      expect(ids(await listDeliveries(practice.test, `endpointId=${live.id}`))).to.deep.equal([]);
      expect(ids(await listDeliveries(practice.test, `endpointId=${foreign.id}`))).to.deep.equal([]);
    });

    it('a pinned key sees the deliveries of its location’s endpoints only', async () => {
      const { practiceId, locationId } = practice;
      const own = await createEndpoint(practice.test, receiver.url, { locationId });
      const pinned = await service.key({ practiceId, test: true, locationId });
      await ping(practice.test, endpoint.id);
      const seen = await ping(practice.test, own.id);
      expect(ids(await listDeliveries(pinned))).to.deep.equal([seen.id]);
      expect(ids(await listDeliveries(pinned, `endpointId=${endpoint.id}`))).to.deep.equal([]);
    });
  });

  describe('400', () => {
    for (const [search, expected] of [
      ['status=lost', '400 validation_error status'],
      ['type=payment_link.stolen', '400 validation_error type'],
      ['since=yesterday', '400 validation_error since'],
      ['since=2030-06-15T12:00:00', '400 validation_error since'],
      ['page=0', '400 validation_error page'],
      ['pageSize=101', '400 validation_error pageSize'],
      ['status=pending&status=retrying', '400 validation_error status'],
      ['eventId=evt_1', '400 unknown_parameter eventId'],
    ]) {
      it(`${expected} for ?${search}`, async () => {
        expect(outcome(await practice.test.get(`${DELIVERIES}?${search}`))).to.equal(expected);
      });
    }

    it('type=ping is a type like the others', async () => {
      const { id } = await ping(practice.test, endpoint.id);
      expect(ids(await listDeliveries(practice.test, 'type=ping'))).to.deep.equal([id]);
    });
  });
});
