import { expect } from 'chai';
import { CHANGES_HAVE_THEIR_EVENTS } from '../../src/payment-links/lost-events.ts';
import { REFUNDS_HAVE_THEIR_EVENTS } from '../../src/payment-links/lost-refund-events.ts';
import { createRefund } from '../../src/payment-links/refund/create-refund.ts';
import { purgeDeletedEndpoints, purgeOldDeliveries } from '../../src/webhooks/events/retention.ts';
import { useReceiver, useService } from '../harness/fixtures.ts';
import { Payments, SETTLE_SECONDS } from '../harness/payments.ts';
import { accept, refuse } from '../harness/receiver.ts';
import { createEndpoint, deliver, ENDPOINTS, followRetrySchedule } from '../harness/webhooks.ts';
import { LATER, LosingPractice } from './lost-events.ts';

const RULES = [CHANGES_HAVE_THEIR_EVENTS, REFUNDS_HAVE_THEIR_EVENTS];

describe('missing events that are no fault', () => {
  const service = useService();
  const receiver = useReceiver();
  let losing: LosingPractice;

  beforeEach(async () => {
    losing = await LosingPractice.start(service, receiver);
  });

  afterEach(async () => {
    service.clock.advance(LATER);
    await expectNone();
  });

  async function expectNone() {
    for (const rule of RULES) {
      expect((await losing.violations(rule)).map(({ problem }) => problem)).to.deep.equal([]);
    }
  }

  /** A paid and refunded link, with a dispute that is closed. */
  async function eventful(): Promise<string> {
    const id = await losing.simulated('paid');
    const helper = (name: string, body?: object) =>
      losing.practice.test.post(`/api/v1/test-helpers/payment-links/${id}/${name}`, body);
    await helper('dispute');
    await helper('close-dispute', { outcome: 'won' });
    await helper('refund');
    const types = (await losing.events(id)).map((event) => event.split(' ')[0]);
    const expected = ['paid', 'disputed', 'dispute_closed', 'refunded'];
    if (types.length > 0) expect([...new Set(types)]).to.have.members(expected);
    return id;
  }

  it('delivered and exhausted events that retention has deleted are not missed', async () => {
    const deliverer = service.deliverer();
    receiver.answer = refuse(500);
    await eventful();
    await followRetrySchedule(service, deliverer, losing.endpoint.id);
    receiver.answer = accept;
    await eventful();
    await deliver(deliverer, losing.endpoint.id);
    for (const days of [25, 5, 12, 48]) {
      service.clock.advance({ days, hours: 1 });
      await purgeOldDeliveries(service.scope());
      await expectNone();
    }
    expect(await losing.rows('select from webhook_deliveries where practice_id = $1')).to.deep.equal([]);
  });

  it('a change from before the endpoint, or of the minutes after its creation, is not missed', async () => {
    await eventful();
    const late = await createEndpoint(losing.practice.test, `${receiver.url}/late`);
    service.clock.advance({ minutes: 9 });
    const id = await eventful();
    await losing.lose(id, { endpointId: late.id });
  });

  it('a change from before the endpoint was subscribed to it is not missed', async () => {
    const path = `${ENDPOINTS}/${losing.endpoint.id}`;
    await losing.practice.test.patch(path, { enabledEvents: ['payment_link.expired'] });
    await eventful();
    const { status } = await losing.practice.test.patch(path, { enabled: false, enabledEvents: [] });
    expect(status).to.equal(200);
    service.clock.advance({ minutes: 9 });
    await losing.lose(await eventful());
  });

  it('a disabled endpoint has its events as skipped', async () => {
    await losing.practice.test.patch(`${ENDPOINTS}/${losing.endpoint.id}`, { enabled: false });
    service.clock.advance(LATER);
    const events = await losing.events(await eventful());
    expect(events.filter((event) => !event.endsWith(' skipped'))).to.deep.equal([]);
  });

  it('types, locations and modes that an endpoint does not listen to are not missed', async () => {
    const { practice } = losing;
    const locationId = await service.location(practice.practiceId, 'Uptown');
    await createEndpoint(practice.test, `${receiver.url}/place`, { locationId });
    await createEndpoint(practice.test, `${receiver.url}/type`, { enabledEvents: ['payment_link.failed'] });
    await createEndpoint(practice.live, `${receiver.url}/mode`);
    service.clock.advance(LATER);
    await eventful();
  });

  it('a deleted endpoint misses nothing', async () => {
    await eventful();
    await losing.practice.test.delete(`${ENDPOINTS}/${losing.endpoint.id}`);
    await purgeDeletedEndpoints(service.scope());
  });

  it('a practice without an endpoint has test events only', async () => {
    const { test } = losing.practice;
    await test.get('/api/v1/test-helpers/events');
    await test.delete(`${ENDPOINTS}/${losing.endpoint.id}`);
    await eventful();
    expect(await losing.rows('select from test_events where practice_id = $1')).to.have.length(4);
  });

  it('payments by card and debit, declines, returns and refunds have all their events', async () => {
    const { practice } = losing;
    const payments = new Payments(service);
    await createEndpoint(practice.live, receiver.url);
    service.clock.advance(LATER);
    const refunded = await payments.link(practice);
    await payments.pay(refunded, 'card_success');
    for (const cents of [1, 2, null])
      await createRefund(service.scope(), service.processor(), refunded.id, cents, null);
    const methods = ['card_declined', 'card_challenge', 'bank_settles', 'bank_returns', 'bank_refused'];
    for (const method of methods) await payments.pay(await payments.link(practice), method);
    service.clock.advance(LATER);
    await expectNone();
    service.clock.advance({ seconds: SETTLE_SECONDS + 7 * 3600 });
    await payments.sweep();
    const found = await losing.rows<{ type: string }>(
      'select distinct type from webhook_deliveries where practice_id = $1 and not test order by type',
    );
    const types = found.map(({ type }) => type.replace('payment_link.', ''));
    expect(types).to.deep.equal(['failed', 'paid', 'processing', 'refunded']);
  });

  it('closed links, whose events retention has deleted, are not missed', async () => {
    const id = await losing.simulated('expired');
    await deliver(service.deliverer(), losing.endpoint.id);
    service.clock.advance({ days: 181 });
    await purgeOldDeliveries(service.scope());
    expect(await losing.events(id)).to.deep.equal([]);
  });
});
