import { expect } from 'chai';
import { missedChanges } from '../../src/payment-links/api/missed-changes.ts';
import { settleDebit } from '../../src/payment-links/decide/link-decision.ts';
import { createRefund } from '../../src/payment-links/payments/create-refund.ts';
import { separately } from '../../src/payment-links/store/change.ts';
import { linkRef } from '../../src/payment-links/store/port.ts';
import { type MissedChanges, replay as runReplay } from '../../src/webhooks/events/replay.ts';
import type { Client } from '../harness/client.ts';
import { madeForEach, useReceiver, useService } from '../harness/fixtures.ts';
import { accept, refuse } from '../harness/receiver.ts';
import { outcome } from '../harness/refusal.ts';
import { createLink } from '../harness/service.ts';
import {
  createEndpoint,
  deliver,
  ENDPOINTS,
  type Endpoint,
  exhaust,
  followRetrySchedule,
  listDeliveries,
  paidLink,
  ping,
} from '../harness/webhooks.ts';

describe('replayWebhookEndpoint', () => {
  const service = useService();
  const practice = madeForEach(() => service.practice());
  const receiver = useReceiver();
  let endpoint: Endpoint;
  let start: string;

  beforeEach(async () => {
    start = service.clock.now().toISOString();
  });

  const register = async (overrides: object = {}) => {
    endpoint = await createEndpoint(practice.test, receiver.url, overrides);
  };
  const replay = (since: unknown = start, client: Client = practice.test) =>
    client.post(`${ENDPOINTS}/${endpoint.id}/replay`, { since });
  const switchTo = (enabled: boolean) => practice.test.patch(`${ENDPOINTS}/${endpoint.id}`, { enabled });
  const counts = async (since: unknown = start) => {
    const { body } = await replay(since);
    return [body.requeuedCount, body.freshCount, body.capped];
  };
  const simulate = async (outcome: string, overrides: Record<string, unknown> = {}): Promise<string> => {
    const link = await createLink(practice.test, overrides);
    await practice.test.post(`/api/v1/payment-links/${link.id}/simulate`, { outcome });
    return link.id;
  };

  /** The bank's word on a debit that was submitted before. */
  const settle = (linkId: string) =>
    separately.change(service.scope(), linkRef(linkId), (draft) => settleDebit(draft, 100, service.clock.now()));

  describe('202: deliveries that never succeeded', () => {
    it('exhausted and skipped deliveries are queued again with their ids and bytes, oldest first', async () => {
      await register();
      receiver.answer = refuse(500);
      const deliverer = service.deliverer();
      await exhaust(service, deliverer, practice.test, endpoint.id, 2);
      await switchTo(false);
      await paidLink(practice.test);
      await switchTo(true);
      const ids = (await listDeliveries(practice.test)).map(({ id }) => id);
      const reply = await replay();
      expect(reply.status).to.equal(202);
      expect(reply.body).to.deep.equal({
        object: 'webhook_replay',
        endpointId: endpoint.id,
        since: start,
        requeuedCount: 3,
        freshCount: 0,
        capped: false,
      });
      const payloads = new Map(receiver.received.map(({ id, raw }) => [id, raw]));
      receiver.received.length = 0;
      receiver.answer = accept;
      await deliver(deliverer, endpoint.id);
      expect(receiver.received.map(({ id }) => id)).to.deep.equal(ids);
      for (const { id, raw } of receiver.received.slice(0, 2)) expect(raw).to.equal(payloads.get(id));
    });

    it('a replay queues no ping, nothing from before since, and no delivery that waits or succeeded once', async () => {
      await register();
      const deliverer = service.deliverer();
      const statuses = async () => (await listDeliveries(practice.test)).map(({ status }) => status);
      await paidLink(practice.test);
      await switchTo(false);
      service.clock.advance({ ms: 1 });
      const since = service.clock.now().toISOString();
      await paidLink(practice.test);
      await switchTo(true);
      await ping(practice.test, endpoint.id);
      await switchTo(false);
      await switchTo(true);
      await paidLink(practice.test);
      await deliver(deliverer, endpoint.id);
      receiver.answer = refuse(500);
      const [delivered] = await listDeliveries(practice.test, 'status=delivered');
      await practice.test.post(`/api/v1/webhook-deliveries/${delivered?.id}/redeliver`);
      await followRetrySchedule(service, deliverer, endpoint.id);
      await paidLink(practice.test);
      await deliver(deliverer, endpoint.id);
      await paidLink(practice.test);
      const others = ['skipped', 'exhausted', 'retrying', 'pending'];
      expect(await statuses()).to.deep.equal(['skipped', 'skipped', ...others]);
      expect(await counts(since)).to.deep.equal([1, 0, false]);
      expect(await statuses()).to.deep.equal(['skipped', 'pending', ...others]);
    });

    it('the present enabledEvents filter the replay', async () => {
      await register();
      await switchTo(false);
      await simulate('expired');
      await simulate('paid');
      await practice.test.patch(`${ENDPOINTS}/${endpoint.id}`, {
        enabled: true,
        enabledEvents: ['payment_link.expired'],
      });
      expect(await counts()).to.deep.equal([1, 0, false]);
    });
  });

  describe('202: changes that the endpoint missed', () => {
    it('links paid, cancelled and expired before the endpoint existed get new events, oldest first, with their present state', async () => {
      const paid = await simulate('paid');
      service.clock.advance({ seconds: 1 });
      const expired = await simulate('expired');
      service.clock.advance({ seconds: 1 });
      const cancelled = (await createLink(practice.test)).id;
      await practice.test.post(`/api/v1/payment-links/${cancelled}/cancel`);
      await createLink(practice.test);
      service.clock.advance({ seconds: 1 });
      await createRefund(
        { ...service.scope(), processor: service.processor(), ...separately },
        { linkId: paid, amountCents: 1000 },
      );
      await register();
      expect(await counts()).to.deep.equal([0, 3, false]);
      await deliver(service.deliverer(), endpoint.id);
      const seen = receiver.received.map(({ event }) => [event.type, event.data.paymentLink.id, event.data.context]);
      expect(seen).to.deep.equal([
        ['payment_link.paid', paid, { triggeredBy: 'simulated' }],
        ['payment_link.expired', expired, { triggeredBy: 'simulated' }],
        ['payment_link.cancelled', cancelled, { triggeredBy: 'api' }],
      ]);
      expect(receiver.received[0]?.event.data.paymentLink.refunds).to.have.length(1);
      expect(receiver.received[0]?.event.createdAt).to.equal(service.clock.now().toISOString());
    });

    it('a pending payment gives a processing event, a returned one a failed event with its reason', async () => {
      await simulate('processing');
      await simulate('failed');
      await simulate('processing_then_paid');
      await register();
      expect(await counts()).to.deep.equal([0, 3, false]);
      await deliver(service.deliverer(), endpoint.id);
      expect(receiver.types.sort()).to.deep.equal([
        'payment_link.failed',
        'payment_link.paid',
        'payment_link.processing',
      ]);
      const failed = receiver.received.find(({ type }) => type === 'payment_link.failed');
      expect(failed?.event.data.context).to.deep.equal({
        failureReason: 'insufficient_funds',
        triggeredBy: 'simulated',
      });
    });

    it('a debit that was submitted before since and settled inside the window, and none that settled before', async () => {
      const settled = await simulate('processing');
      const settledEarlier = await simulate('processing');
      const stillPending = await simulate('processing');
      service.clock.advance({ days: 1 });
      await settle(settledEarlier);
      service.clock.advance({ days: 1 });
      const since = service.clock.now().toISOString();
      await settle(settled);
      service.clock.advance({ seconds: 1 });
      const expired = await simulate('expired');
      await register();
      expect(await counts(since)).to.deep.equal([0, 2, false]);
      await deliver(service.deliverer(), endpoint.id);
      const seen = receiver.received.map(({ event }) => [event.type, event.data.paymentLink.id]);
      expect(seen, `not ${stillPending}`).to.deep.equal([
        ['payment_link.paid', settled],
        ['payment_link.expired', expired],
      ]);
    });

    it('a change with a delivery gets no new event, whatever its status', async () => {
      await register();
      await simulate('paid');
      await deliver(service.deliverer(), endpoint.id);
      await practice.test.patch(`${ENDPOINTS}/${endpoint.id}`, { enabledEvents: ['payment_link.paid'] });
      await simulate('expired');
      await practice.test.patch(`${ENDPOINTS}/${endpoint.id}`, { enabledEvents: [] });
      expect(await counts(), 'the expired one was not listened to').to.deep.equal([0, 1, false]);
      service.clock.advance({ minutes: 10 });
      expect(await counts(), 'and is not fresh twice').to.deep.equal([0, 0, false]);
    });

    it('enabledEvents, location and mode filter the missed changes', async () => {
      const elsewhere = await service.location(practice.practiceId, 'Uptown');
      await simulate('paid', { locationId: practice.locationId });
      await simulate('paid', { locationId: elsewhere });
      await simulate('expired', { locationId: elsewhere });
      await register({ locationId: elsewhere, enabledEvents: ['payment_link.paid'] });
      expect(await counts()).to.deep.equal([0, 1, false]);
      endpoint = await createEndpoint(practice.live, receiver.url);
      expect((await replay(start, practice.live)).body.freshCount).to.equal(0);
    });

    it('new and requeued events are sent together, oldest first, behind all later events', async () => {
      const missed = await simulate('paid');
      service.clock.advance({ seconds: 1 });
      await register();
      await switchTo(false);
      const skipped = await simulate('paid');
      await switchTo(true);
      service.clock.advance({ seconds: 1 });
      expect(await counts()).to.deep.equal([1, 1, false]);
      service.clock.advance({ seconds: 1 });
      const fresh = await simulate('paid');
      await deliver(service.deliverer(), endpoint.id);
      expect(receiver.received.map(({ event }) => event.data.paymentLink.id)).to.deep.equal([fresh, missed, skipped]);
    });
  });

  describe('during the search for missed changes', () => {
    /** Replays with a break between the look without a lock and the look with it. */
    async function replayWith(change: () => Promise<unknown>) {
      const { practiceId } = practice;
      const scope = service.scope();
      const caller = { apiKeyId: 'key_1', practiceId, test: true, scopes: [], locationId: null };
      const slow: MissedChanges = {
        async findLinkIds(...args) {
          const linkIds = await missedChanges.findLinkIds(...args);
          await change();
          return linkIds;
        },
        load: missedChanges.load,
      };
      return runReplay({ ...scope, caller }, slow, endpoint.id, new Date(start));
    }

    it('the endpoint is not locked during the search for missed changes', async () => {
      await simulate('paid');
      await register();
      const lock = 'select from webhook_endpoints where id = $1 for update nowait';
      const { freshCount } = await replayWith(() => service.query(lock, [endpoint.id]));
      expect(freshCount).to.equal(1);
    });

    it('a replay waits for a change of its links that is under way, so that it publishes no state that has ended', async () => {
      const link = await paidLink(practice.test);
      await register();
      const release = await service.lock('select from payment_links where id = $1 for no key update', [link.id]);
      const replayed = replay();
      await service.untilWaiting(1, 'for share');
      await release();
      expect((await replayed).body.freshCount).to.equal(1);
    });

    it('a change that is published during the search is not published twice, and events have the present state', async () => {
      const [simulated, settled] = [await simulate('processing'), await simulate('processing')];
      await register();
      await switchTo(true);
      const deliverer = service.deliverer();
      const { freshCount } = await replayWith(async () => {
        await settle(simulated);
        await service.query(
          `update transactions set status = 'succeeded', processed_at = now() where payment_link_id = $1`,
          [settled],
        );
        await deliver(deliverer, endpoint.id);
      });
      expect(freshCount).to.equal(1);
      await deliver(deliverer, endpoint.id);
      const seen = receiver.received.map(({ event }) => [event.type, event.data.paymentLink.id]);
      expect(seen).to.deep.equal([
        ['payment_link.paid', simulated],
        ['payment_link.paid', settled],
      ]);
    });

    it('an endpoint that is disabled, replayed or deleted during the search is refused', async () => {
      await register();
      const refusals: string[] = [];
      for (const change of [
        () => replay(),
        () => switchTo(false),
        () => practice.test.delete(`${ENDPOINTS}/${endpoint.id}`),
      ]) {
        await replayWith(change).catch((error) => refusals.push(error.code));
        await switchTo(true);
        service.clock.advance({ minutes: 10 });
      }
      expect(refusals).to.deep.equal(['replay_cooldown', 'endpoint_disabled', 'not_found']);
    });
  });

  describe('202: the cap', () => {
    /** Copies a link so many times, each a second older than the one before. */
    async function copies(link: string, count: number): Promise<void> {
      await service.query(
        `insert into payment_links select r.* from payment_links l, generate_series(1, $1::integer) as n,
           json_populate_record(l, json_build_object('id', l.id || '_' || n, 'token', l.token || n,
             'closed_at', l.closed_at - n * interval '1 second')) as r
         where l.id = $2`,
        [count, link],
      );
    }

    it('a replay queues the oldest 1,000 events, in a limited number of statements, and exactly 1,000 are not capped', async () => {
      service.clock.advance({ hours: 1 });
      const link = await simulate('expired');
      await copies(link, 1_999);
      await register();
      const before = performance.now();
      expect(await counts()).to.deep.equal([0, 1000, true]);
      expect(performance.now() - before, 'milliseconds').to.be.below(5_000);
      const [row] = await service.query(
        `select count(*)::integer as n, count(*) filter (where payment_link_id = $2)::integer as oldest
         from webhook_deliveries where endpoint_id = $1`,
        [endpoint.id, `${link}_1999`],
      );
      expect(row).to.deep.equal({ n: 1000, oldest: 1 });
      service.clock.advance({ minutes: 10 });
      expect(await counts(), 'the next one goes on').to.deep.equal([0, 1000, false]);
    });
  });

  describe('400', () => {
    beforeEach(() => register());

    it('validation_error on since: more than 30 days ago, in the future, without a zone, missing', async () => {
      const now = service.clock.now().getTime();
      const at = (ms: number) => new Date(now + ms).toISOString();
      const path = `${ENDPOINTS}/${endpoint.id}/replay`;
      for (const since of [at(-30 * 86_400_000 - 1), at(1), '2030-06-15T11:00:00', 'yesterday', 1, null, undefined]) {
        const refused = await practice.test.post(path, { since });
        expect(outcome(refused), String(since)).to.equal('400 validation_error since');
      }
    });

    it('30 days ago to the millisecond and this moment are fine', async () => {
      const monthAgo = new Date(service.clock.now().getTime() - 30 * 86_400_000).toISOString();
      expect((await replay(monthAgo)).status).to.equal(202);
      service.clock.advance({ minutes: 10 });
      expect((await replay(service.clock.now().toISOString())).status).to.equal(202);
    });
  });

  describe('409 and 429', () => {
    beforeEach(() => register());

    it('replay_cooldown within ten minutes, with the seconds that are left', async () => {
      expect((await replay()).status).to.equal(202);
      service.clock.advance({ minutes: 9, seconds: 58, ms: 500 });
      const refused = await replay();
      expect(outcome(refused)).to.equal('429 replay_cooldown');
      expect(refused.headers['retry-after']).to.equal('2');
      service.clock.advance({ seconds: 1, ms: 500 });
      expect((await replay()).status).to.equal(202);
    });

    it('one of five concurrent replays succeeds', async () => {
      const outcomes = (await Promise.all(Array.from({ length: 5 }, () => replay()))).map(outcome);
      expect(outcomes.sort()).to.deep.equal(['202', ...Array(4).fill('429 replay_cooldown')]);
    });

    it('each endpoint has its own cooldown', async () => {
      await replay();
      await register();
      expect((await replay()).status).to.equal(202);
    });

    it('endpoint_disabled precedes the cooldown, and a refused replay starts none', async () => {
      await switchTo(false);
      expect(outcome(await replay())).to.equal('409 endpoint_disabled');
      await switchTo(true);
      expect(outcome(await replay('2001-01-01T00:00:00Z'))).to.equal('400 validation_error since');
      expect((await replay()).status, 'neither refusal counted').to.equal(202);
      await switchTo(false);
      expect(outcome(await replay()), 'disabled within the cooldown').to.equal('409 endpoint_disabled');
    });
  });
});
