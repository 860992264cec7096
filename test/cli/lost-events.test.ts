import { expect } from 'chai';
import { purgeDeletedEndpoints, purgeOldDeliveries } from '../../src/webhooks/events/retention.ts';
import { madeForEach, useReceiver, useService } from '../harness/fixtures.ts';
import { Payments, SETTLE_SECONDS } from '../harness/payments.ts';
import { accept, refuse } from '../harness/receiver.ts';
import { createEndpoint, deliver, ENDPOINTS, followRetrySchedule } from '../harness/webhooks.ts';
import { LATER, losingPractice } from './lost-events.ts';

describe('lost events of links', () => {
  const service = useService();
  const receiver = useReceiver();
  const losing = madeForEach(() => losingPractice(service, receiver));

  it('an event of any change that is missing at one of several endpoints is found there, and nowhere else', async () => {
    const { id: endpointId } = await createEndpoint(losing.practice.test, `${receiver.url}/other`);
    service.clock.advance(LATER);
    const expected: string[] = [];
    for (const outcome of ['paid', 'expired', 'processing', 'failed', 'processing_then_paid']) {
      const id = await losing.simulated(outcome);
      await losing.simulated(outcome);
      const type = outcome === 'processing_then_paid' ? 'paid' : outcome;
      await losing.lose(id, { type, endpointId });
      expected.push(`the endpoint ${endpointId} has 0 events payment_link.${type} of ${id} instead of 1`);
    }
    const found = await losing.problems();
    expect(found.map((problem) => problem.split(',')[0]).toSorted()).to.deep.equal(expected.toSorted());
    const { practiceId } = await service.practice();
    expect(await losing.violations(practiceId)).to.deep.equal([]);
  });

  it('a lost event is found from ten minutes until 29 days after the change', async () => {
    const id = await losing.lostLink();
    service.clock.advance({ minutes: 10 });
    expect(await losing.violations()).to.deep.equal([]);
    service.clock.advance({ ms: 1 });
    expect((await losing.violations())[0]?.problem).to.include(`${id} instead of 1, since 20`);
    service.clock.advance({ days: 28, hours: 23 });
    expect(await losing.violations()).to.have.length(1);
    service.clock.advance({ hours: 1 });
    expect(await losing.violations()).to.deep.equal([]);
  });

  it('acts that leave the filters of an endpoint as they are hide no lost event', async () => {
    const id = await losing.lostLink();
    service.clock.advance(LATER);
    const path = `${ENDPOINTS}/${losing.endpoint.id}`;
    const { test } = losing.practice;
    await test.patch(path, { description: 'Till', enabledEvents: [] });
    await test.patch(path, { enabled: false });
    await test.patch(path, { enabled: true });
    await test.post(`${path}/rotate-secret`);
    await test.post(`${path}/replay`, { since: service.clock.now().toISOString() });
    expect((await losing.problems())[0]).to.include(id);
  });

  it('the settlement of a debit is found for an endpoint that was made after its submission', async () => {
    const { practice } = losing;
    const payments = new Payments(service);
    const link = await payments.link(practice);
    await payments.pay(link, 'bank_settles');
    await createEndpoint(practice.live, receiver.url);
    service.clock.advance({ seconds: SETTLE_SECONDS + 7 * 3600 });
    await payments.sweep();
    expect(await losing.events(link.id)).to.deep.equal(['paid pending']);
    expect(await losing.problems()).to.deep.equal([]);
    await losing.lose(link.id);
    expect((await losing.problems()).map((problem) => problem.includes('payment_link.paid'))).to.deep.equal([true]);
  });

  it('an event that showed a state that is over, or that is there twice, is left to a person', async () => {
    const over = await losing.simulated('processing_then_paid');
    await losing.lose(over, { type: 'processing' });
    const twice = await losing.simulated('paid');
    await losing.rows(
      `insert into webhook_deliveries
       select (json_populate_record(d, json_build_object('id', d.id || 'X'))).*
       from webhook_deliveries d where payment_link_id = $1`,
      [twice],
    );
    service.clock.advance(LATER);
    const found = await losing.violations();
    const { id } = losing.endpoint;
    expect(found.map(({ problem }) => problem.split(',')[0])).to.have.members([
      `the endpoint ${id} has 0 events payment_link.processing of ${over} instead of 1`,
      `the endpoint ${id} has 2 events payment_link.paid of ${twice} instead of 1`,
    ]);
    for (const { remedy } of found) expect(remedy).to.match(/^(inform|ask) the practice.+ and report it$/);
  });

  it('a repair queues the event once, as a replay does, with the present state of the link, and is recorded', async () => {
    const id = await losing.lostLink();
    service.clock.advance(LATER);
    await losing.practice.test.post(`/api/v1/test-helpers/payment-links/${id}/refund`);
    const [violation] = await losing.violations();
    const results = await Promise.all([violation, violation, violation].map((one) => losing.repair(one)));
    expect(results.filter((changed) => changed)).to.have.length(1);
    expect((await losing.events(id)).toSorted()).to.deep.equal(['paid pending', 'refunded pending']);
    expect(await losing.violations()).to.deep.equal([]);
    const queued = await losing.rows(
      `select delivery_run, rank, payload::json #>> '{data,paymentLink,transaction,status}' as status from webhook_deliveries
       where payment_link_id = $1 and type = 'payment_link.paid'`,
      [id],
    );
    expect(queued).to.deep.equal([{ delivery_run: 'replay', rank: 2, status: 'refunded' }]);
    const acts = await losing.rows(
      `select actor_kind, target_id, after from audit_log where practice_id = $1 and action = 'data.repaired'`,
    );
    const after = { invariant: 'changes_have_their_events', endpointId: losing.endpoint.id };
    expect(acts).to.deep.equal([{ actor_kind: 'operator', target_id: id, after }]);
  });

  it('a repair adds the event of a disabled endpoint as skipped, for a replay', async () => {
    const id = await losing.lostLink();
    await losing.practice.test.patch(`${ENDPOINTS}/${losing.endpoint.id}`, { enabled: false });
    service.clock.advance(LATER);
    expect(await losing.repair((await losing.violations())[0])).to.equal(true);
    expect(await losing.events(id)).to.deep.equal(['paid skipped']);
  });

  it('a repair queues nothing if the link has changed, or the endpoint does not listen any more', async () => {
    const { practice, endpoint } = losing;
    const payments = new Payments(service);
    await createEndpoint(practice.live, receiver.url);
    service.clock.advance(LATER);
    const link = await payments.link(practice);
    await payments.pay(link, 'bank_settles');
    await losing.lose(link.id);
    const paid = await losing.lostLink();
    service.clock.advance(LATER);
    const found = await losing.violations();
    service.clock.advance({ seconds: SETTLE_SECONDS + 7 * 3600 });
    await payments.sweep();
    await practice.test.patch(`${ENDPOINTS}/${endpoint.id}`, { enabledEvents: ['payment_link.expired'] });
    expect(await Promise.all(found.map((one) => losing.repair(one)))).to.deep.equal([false, false]);
    expect([await losing.events(link.id), await losing.events(paid)]).to.deep.equal([['paid pending'], []]);
  });

  it('lost events are found in every part of a long list', async () => {
    const { practice, endpoint } = losing;
    await practice.test.patch(`${ENDPOINTS}/${endpoint.id}`, { enabledEvents: ['payment_link.paid'] });
    service.clock.advance(LATER);
    const first = await losing.lostLink();
    service.clock.advance({ ms: 1 });
    const expired = await losing.simulated('expired');
    await losing.rows(
      `insert into payment_links select (json_populate_record(l, json_build_object('id', l.id || n, 'token', 't' || n))).*
       from payment_links l, generate_series(1, 6000) as n where l.id = $1`,
      [expired],
    );
    service.clock.advance({ ms: 1 });
    await losing.simulated('paid');
    const last = await losing.lostLink();
    const found = await losing.problems();
    expect(found.map((problem) => [first, last].findIndex((id) => problem.includes(id)))).to.have.members([0, 1]);
  });

  describe('of refunds and disputes', () => {
    const helper = async (linkId: string, name: string, body?: object) => {
      const path = `/api/v1/test-helpers/payment-links/${linkId}/${name}`;
      const { status, text } = await losing.practice.test.post(path, body);
      if (status >= 300) throw new Error(`${name} answered ${status}: ${text}`);
    };

    for (const type of ['refunded', 'disputed', 'dispute_closed']) {
      it(`a missing event ${type} is found at the endpoint that misses it, and left to a person`, async () => {
        const { id: endpointId } = await createEndpoint(losing.practice.test, `${receiver.url}/other`);
        service.clock.advance(LATER);
        const id = await losing.simulated('paid');
        await helper(id, 'dispute');
        await helper(id, 'close-dispute', { outcome: 'won' });
        await helper(id, 'refund');
        expect(await losing.problems()).to.deep.equal([]);
        await losing.lose(id, { type, endpointId });
        const [found, ...others] = await losing.violations();
        expect(others).to.deep.equal([]);
        expect(found?.problem).to.include(
          `the endpoint ${endpointId} has 0 events payment_link.${type} of ${id} instead of 1, since`,
        );
        expect(found?.remedy).to.match(/^inform the practice.+ and report it$/);
        await losing.lose(id);
        service.clock.advance({ days: 29 });
        expect(await losing.violations()).to.deep.equal([]);
      });
    }

    it('one missing event of several refunds is found, ten minutes after the refund', async () => {
      const id = await losing.simulated('paid');
      await helper(id, 'refund', { amount: 1 });
      await helper(id, 'refund', { amount: 2 });
      await losing.rows(
        `delete from webhook_deliveries where id = (select max(id) from webhook_deliveries where payment_link_id = $1)`,
        [id],
      );
      service.clock.advance({ minutes: 10 });
      expect(await losing.violations()).to.deep.equal([]);
      const [problem] = await losing.problems();
      expect(problem).to.include('has 1 events payment_link.refunded').and.include('instead of 2');
    });

    it('a refund that is pending or failed needs no event', async () => {
      const payments = new Payments(service);
      await createEndpoint(losing.practice.live, receiver.url);
      service.clock.advance(LATER);
      const link = await payments.link(losing.practice);
      await payments.pay(link, 'card_success');
      for (const status of ['pending', 'failed'])
        await losing.rows(
          `insert into refunds (id, practice_id, payment_link_id, transaction_id, amount_cents, status, created_at)
           select 're_' || $2 || t.id, practice_id, payment_link_id, t.id, 1, $2, $3 from transactions t where payment_link_id = $1`,
          [link.id, status, service.clock.now()],
        );
      expect(await losing.problems()).to.deep.equal([]);
    });
  });

  describe('that are no fault', () => {
    afterEach(async () => {
      service.clock.advance(LATER);
      await expectNone();
    });

    async function expectNone() {
      expect((await losing.violations()).map(({ problem }) => problem)).to.deep.equal([]);
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
      for (const cents of [1, 2, null]) await payments.refund(refunded, cents);
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
  });
});
