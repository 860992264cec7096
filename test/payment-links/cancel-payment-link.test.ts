import { expect } from 'chai';
import { cancelLinkForOffice } from '../../src/payment-links/api/change-link.ts';
import { separately } from '../../src/payment-links/store/change.ts';
import { expireDueLinks } from '../../src/payment-links/upkeep/expire-links.ts';
import type { Client } from '../harness/client.ts';
import { madeOnce, useService } from '../harness/fixtures.ts';
import { outcome } from '../harness/refusal.ts';
import { createLink } from '../harness/service.ts';

const PATH = '/api/v1/payment-links';

/** The events that the practice's one endpoint was given for a link, oldest first: type and context. */
async function eventsOf(client: Client, linkId: string): Promise<[type: string, context: unknown, status: string][]> {
  const { data } = (await client.get(`/api/v1/webhook-deliveries?paymentLinkId=${linkId}`)).body;
  const deliveries = await Promise.all(
    data.map(({ id }: { id: string }) => client.get(`/api/v1/webhook-deliveries/${id}`)),
  );
  return deliveries.reverse().map(({ body }) => {
    const event = JSON.parse(body.payload);
    return [event.type, event.data.context, event.data.paymentLink.status];
  });
}

describe('cancellation and expiry of links', () => {
  const service = useService();
  const second = useService({ beside: service });
  const practice = madeOnce(() => service.practice());

  before(async () => {
    for (const client of [practice.test, practice.live]) {
      await client.post('/api/v1/webhook-endpoints', { url: 'http://127.0.0.1:9/hook' });
    }
  });

  describe('cancelPaymentLink', () => {
    it('200 returns the cancelled link, and its one event names the API as the trigger', async () => {
      for (const client of [practice.test, practice.live]) {
        const link = await createLink(client);
        const reply = await client.post(`${PATH}/${link.id}/cancel`);
        expect(reply.body).to.deep.equal({ ...link, status: 'cancelled' });
        expect((await client.get(`${PATH}/${link.id}`)).text).to.equal(reply.text);
        expect(await eventsOf(client, link.id)).to.deep.equal([
          ['payment_link.cancelled', { triggeredBy: 'api' }, 'cancelled'],
        ]);
      }
    });

    it('200 for a cancelled link returns it unchanged without an event, even after its expiry time', async () => {
      const link = await createLink(practice.test);
      const first = await practice.test.post(`${PATH}/${link.id}/cancel`);
      expect((await practice.test.post(`${PATH}/${link.id}/cancel`)).text).to.equal(first.text);
      service.clock.advance({ days: 31 });
      expect((await practice.test.post(`${PATH}/${link.id}/cancel`)).text).to.equal(first.text);
      await expireDueLinks(() => service.scope());
      expect(await eventsOf(practice.test, link.id)).to.have.length(1);
    });

    it('200 for 20 concurrent cancellations on two servers, with exactly one event', async () => {
      const link = await createLink(practice.test);
      const clients = [practice.test, second.client(practice.test.key)];
      const replies = await Promise.all(
        Array.from({ length: 20 }, (_, index) => clients[index % 2]?.post(`${PATH}/${link.id}/cancel`)),
      );
      expect(new Set(replies.map((reply) => reply?.text)).size).to.equal(1);
      expect(await eventsOf(practice.test, link.id)).to.have.length(1);
    });

    it('a link that is cancelled and paid at once ends one way: the second request gets 409, and one event is sent', async () => {
      for (let round = 0; round < 10; round++) {
        const link = await createLink(practice.test);
        const [cancelled, paid] = await Promise.all([
          practice.test.post(`${PATH}/${link.id}/cancel`),
          practice.test.post(`${PATH}/${link.id}/simulate`, { outcome: 'paid' }),
        ]);
        expect([cancelled.status, paid.status].sort()).to.deep.equal([200, 409]);
        const { status } = (await practice.test.get(`${PATH}/${link.id}`)).body;
        expect(status).to.equal(cancelled.status === 200 ? 'cancelled' : 'paid');
        expect((await eventsOf(practice.test, link.id)).map(([type]) => type)).to.deep.equal([
          `payment_link.${status}`,
        ]);
      }
    });

    it('200 by the office names staff as the trigger; the API then returns the link as cancelled', async () => {
      const link = await createLink(practice.live);
      await cancelLinkForOffice({ ...service.scope(), processor: service.processor(), ...separately }, link.id);
      await cancelLinkForOffice({ ...service.scope(), processor: service.processor(), ...separately }, link.id);
      expect((await practice.live.post(`${PATH}/${link.id}/cancel`)).status).to.equal(200);
      expect(await eventsOf(practice.live, link.id)).to.deep.equal([
        ['payment_link.cancelled', { triggeredBy: 'staff' }, 'cancelled'],
      ]);
    });

    it('cancelling needs no Idempotency-Key, and ignores one', async () => {
      const link = await createLink(practice.test);
      for (const key of ['', 'x', ['x', 'y'], 'x'.repeat(300)]) {
        const headers = { 'idempotency-key': key };
        const reply = await practice.test.post(`${PATH}/${link.id}/cancel`, undefined, { headers });
        expect(reply.headers['idempotency-replayed']).to.equal(undefined);
        expect(reply.status).to.equal(200);
      }
    });

    it('409 link_not_active when paid, expired, or overdue before the sweep ran', async () => {
      for (const simulated of ['paid', 'processing', 'failed', 'expired']) {
        const link = await createLink(practice.test);
        await practice.test.post(`${PATH}/${link.id}/simulate`, { outcome: simulated });
        expect(outcome(await practice.test.post(`${PATH}/${link.id}/cancel`))).to.equal('409 link_not_active');
      }
      const link = await createLink(practice.test);
      service.clock.advance({ days: 30 });
      expect(outcome(await practice.test.post(`${PATH}/${link.id}/cancel`))).to.equal('409 link_not_active');
      expect(await eventsOf(practice.test, link.id)).to.deep.equal([]);
    });
  });

  describe('expireDueLinks', () => {
    it('the sweep expires overdue links only, each with one event that names the system as the trigger', async () => {
      const own = await service.practice();
      await own.live.post('/api/v1/webhook-endpoints', { url: 'http://127.0.0.1:9/hook' });
      const inTime = (ms: number) => ({ expiresAt: new Date(service.clock.now().getTime() + ms).toISOString() });
      const due = await createLink(own.live, inTime(1000));
      const later = await createLink(own.live, inTime(1001));
      const cancelled = await createLink(own.live, inTime(1000));
      await own.live.post(`${PATH}/${cancelled.id}/cancel`);
      service.clock.advance({ ms: 1000 });
      await expireDueLinks(() => service.scope());
      const statuses = await Promise.all(
        [due, later, cancelled].map(async ({ id }) => (await own.live.get(`${PATH}/${id}`)).body.status),
      );
      expect(statuses).to.deep.equal(['expired', 'active', 'cancelled']);
      expect(await eventsOf(own.live, due.id)).to.deep.equal([
        ['payment_link.expired', { triggeredBy: 'system' }, 'expired'],
      ]);
      expect(await eventsOf(own.live, later.id)).to.deep.equal([]);
      expect(await expireDueLinks(() => service.scope()), 'again there is nothing to do').to.equal(0);
    });

    it('four concurrent sweeps expire each of 100 links once', async () => {
      const own = await service.practice();
      await own.test.post('/api/v1/webhook-endpoints', { url: 'http://127.0.0.1:9/hook' });
      service.clock.advance({ days: 31 });
      await expireDueLinks(() => service.scope());
      const expiresAt = new Date(service.clock.now().getTime() + 1).toISOString();
      await Promise.all(Array.from({ length: 100 }, () => createLink(own.test, { expiresAt })));
      service.clock.advance({ seconds: 1 });
      const counts = await Promise.all([1, 2, 3, 4].map(() => expireDueLinks(() => service.scope())));
      const rest = await expireDueLinks(() => service.scope());
      expect([...counts, rest].reduce((sum, count) => sum + count)).to.equal(100);
      const events = await own.test.get('/api/v1/webhook-deliveries?type=payment_link.expired&pageSize=100');
      expect(events.body.totalCount).to.equal(100);
      const links = events.body.data.map(({ paymentLinkId }: { paymentLinkId: string }) => paymentLinkId);
      expect(new Set(links).size).to.equal(100);
    });
  });
});
