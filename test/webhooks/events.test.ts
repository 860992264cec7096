import { expect } from 'chai';
import { cancelLinkForOffice } from '../../src/payment-links/api/change-link.ts';
import { closeDispute, openDispute } from '../../src/payment-links/decide/dispute-decision.ts';
import { payByCard, returnDebit, settleDebit, submitDebit } from '../../src/payment-links/decide/link-decision.ts';
import type { Dispute } from '../../src/payment-links/model/after-payment.entity.ts';
import { createRefund } from '../../src/payment-links/payments/create-refund.ts';
import type { Draft } from '../../src/payment-links/state/state.ts';
import { separately } from '../../src/payment-links/store/change.ts';
import { linkRef } from '../../src/payment-links/store/port.ts';
import { expireDueLinks } from '../../src/payment-links/upkeep/expire-links.ts';
import { inTransaction } from '../../src/platform/database/query/transaction.ts';
import { madeForEach, useReceiver, useService } from '../harness/fixtures.ts';
import { isSignedWith, type Received } from '../harness/receiver.ts';
import { createLink } from '../harness/service.ts';
import { createEndpoint, deliver, listDeliveries } from '../harness/webhooks.ts';

const CARD = { type: 'card', brand: 'visa', last4: '4242', feeCents: 394, attemptId: null } as const;
const BANK = { type: 'us_bank_account', brand: null, last4: '6789', feeCents: null, attemptId: null } as const;
describe('events', () => {
  const service = useService();
  const practice = madeForEach(() => service.practice());
  const receiver = useReceiver();
  const endpoint = madeForEach(() => createEndpoint(practice.live, receiver.url));

  /** Moves a link as a processor or a clock would. */
  const move = (id: string, decide: (draft: Draft, now: Date) => void) =>
    separately.change(service.scope(), linkRef(id), (draft) => decide(draft, service.clock.now()));

  /** Returns the events that arrived at the endpoint since the last call. */
  async function arrivals(id = endpoint.id): Promise<Received[]> {
    receiver.received.length = 0;
    await deliver(service.deliverer(), id);
    return [...receiver.received];
  }

  /** The one event that arrived: its type and context. */
  async function arrival() {
    const [received, ...more] = await arrivals();
    if (received === undefined || more.length > 0) throw new Error(`${more.length + 1} events instead of one`);
    expect(isSignedWith(endpoint.secret, received)).to.equal(true);
    expect(Object.keys(received.event)).to.deep.equal(['id', 'object', 'type', 'test', 'createdAt', 'data']);
    expect(Object.keys(received.event.data)).to.deep.equal(['paymentLink', 'context']);
    return received.event;
  }

  describe('of each type, with exactly the documented context', () => {
    it('payment_link.paid by card: null, the transaction succeeded', async () => {
      const link = await createLink(practice.live);
      await move(link.id, (draft, now) => payByCard(draft, CARD, now));
      const { type, data, test } = await arrival();
      expect([type, data.context, test]).to.deep.equal(['payment_link.paid', null, false]);
      const { body: shown } = await practice.live.get(`/api/v1/payment-links/${link.id}`);
      expect(data.paymentLink, 'the link as of the event').to.deep.equal(shown);
      expect(data.paymentLink.transaction).to.deep.include({
        status: 'succeeded',
        amount: 125.5,
        fee: 3.94,
        net: 121.56,
      });
    });

    it('payment_link.processing, then paid when the debit settles: null both times', async () => {
      const link = await createLink(practice.live);
      await move(link.id, (draft, now) => submitDebit(draft, BANK, now));
      const submitted = await arrival();
      expect([submitted.type, submitted.data.context]).to.deep.equal(['payment_link.processing', null]);
      expect(submitted.data.paymentLink.status).to.equal('paid');
      expect(submitted.data.paymentLink.transaction).to.deep.include({ status: 'pending', processedAt: null });
      service.clock.advance({ days: 4 });
      await move(link.id, (draft, now) => settleDebit(draft, 100, now));
      const settled = await arrival();
      expect([settled.type, settled.data.context]).to.deep.equal(['payment_link.paid', null]);
      expect(settled.data.paymentLink.paidAt, 'set at submission').to.equal(submitted.data.paymentLink.paidAt);
      expect(settled.data.paymentLink.transaction.processedAt).to.equal(service.clock.now().toISOString());
    });

    it('payment_link.failed: failureReason; the link stays paid', async () => {
      const link = await createLink(practice.live);
      await move(link.id, (draft, now) => submitDebit(draft, BANK, now));
      await arrival();
      await move(link.id, (draft, now) => returnDebit(draft, 'account_closed', now));
      const { type, data } = await arrival();
      expect([type, data.context]).to.deep.equal(['payment_link.failed', { failureReason: 'account_closed' }]);
      expect(data.paymentLink.status).to.equal('paid');
      expect(data.paymentLink.transaction).to.deep.include({ status: 'failed', failureReason: 'account_closed' });
    });

    it('payment_link.refunded: refundAmount in dollars, in part and then in full, every refund listed', async () => {
      const link = await createLink(practice.live);
      await move(link.id, (draft, now) => payByCard(draft, CARD, now));
      await arrival();
      await createRefund(
        { ...service.scope(), processor: service.processor(), ...separately },
        {
          linkId: link.id,
          amountCents: 2_505,
          reason: 'requested_by_customer',
        },
      );
      const part = await arrival();
      expect([part.type, part.data.context]).to.deep.equal(['payment_link.refunded', { refundAmount: 25.05 }]);
      expect(part.data.paymentLink.transaction.status).to.equal('succeeded');
      await createRefund({ ...service.scope(), processor: service.processor(), ...separately }, { linkId: link.id });
      const rest = await arrival();
      expect(rest.data.context).to.deep.equal({ refundAmount: 100.45 });
      expect(rest.data.paymentLink.transaction.status).to.equal('refunded');
      const refunds = rest.data.paymentLink.refunds.map(({ id: _, ...refund }: { id: string }) => refund);
      const createdAt = service.clock.now().toISOString();
      expect(refunds).to.deep.equal([
        { object: 'refund', amount: 25.05, status: 'succeeded', reason: 'requested_by_customer', createdAt },
        { object: 'refund', amount: 100.45, status: 'succeeded', reason: null, createdAt },
      ]);
    });

    for (const evidenceDueBy of ['2030-07-01T00:00:00.000Z', null]) {
      it(`payment_link.disputed and dispute_closed, evidence due by ${evidenceDueBy}; the link stays as it is`, async () => {
        const link = await createLink(practice.live);
        await move(link.id, (draft, now) => payByCard(draft, CARD, now));
        const { data: paid } = await arrival();
        const dueBy = evidenceDueBy === null ? null : new Date(evidenceDueBy);
        const input = { reason: 'product_not_received', amountCents: 5_000, evidenceDueBy: dueBy };
        await move(link.id, (draft, now) => openDispute(draft, input, null, now));
        const opened = await arrival();
        expect(opened.type).to.equal('payment_link.disputed');
        expect(opened.data.context).to.deep.equal({
          disputeReason: 'product_not_received',
          disputeAmount: 50,
          evidenceDueBy,
        });
        const outcome = evidenceDueBy === null ? 'lost' : 'won';
        await move(link.id, (draft, now) => closeDispute(draft, draft.state.disputes[0] as Dispute, outcome, now));
        const closed = await arrival();
        expect([closed.type, closed.data.context]).to.deep.equal([
          'payment_link.dispute_closed',
          { disputeOutcome: outcome },
        ]);
        for (const { data } of [opened, closed]) expect(data.paymentLink).to.deep.equal(paid.paymentLink);
      });
    }

    it('payment_link.expired: triggeredBy system, by whichever worker sweeps first, once', async () => {
      const link = await createLink(practice.live);
      service.clock.advance({ days: 30 });
      await Promise.all([1, 2, 3].map(() => expireDueLinks(() => service.scope())));
      const { type, data } = await arrival();
      expect([type, data.context]).to.deep.equal(['payment_link.expired', { triggeredBy: 'system' }]);
      expect([data.paymentLink.id, data.paymentLink.status]).to.deep.equal([link.id, 'expired']);
    });

    it('payment_link.cancelled: triggeredBy api or staff, once however often it is cancelled', async () => {
      for (const by of ['api', 'staff'] as const) {
        const link = await createLink(practice.live);
        for (let count = 0; count < 2; count++) {
          if (by === 'staff')
            await cancelLinkForOffice({ ...service.scope(), processor: service.processor(), ...separately }, link.id);
          else await practice.live.post(`/api/v1/payment-links/${link.id}/cancel`);
        }
        const { type, data } = await arrival();
        expect([type, data.context]).to.deep.equal(['payment_link.cancelled', { triggeredBy: by }]);
        expect(data.paymentLink.transaction).to.equal(null);
      }
    });

    it('creating and updating a link publishes no event', async () => {
      const link = await createLink(practice.live);
      await practice.live.patch(`/api/v1/payment-links/${link.id}`, { amount: 10 });
      expect(await arrivals()).to.deep.equal([]);
    });
  });

  describe('go to the subscribed endpoints', () => {
    const subscribed = async () => {
      const link = await createLink(practice.live, { locationId: practice.locationId });
      await practice.live.post(`/api/v1/payment-links/${link.id}/cancel`);
      const deliveries = await listDeliveries(practice.live, `paymentLinkId=${link.id}`);
      return { link, notified: deliveries.map(({ endpointId }) => endpointId).toSorted() };
    };

    it('an event goes to endpoints with its type among their enabledEvents, or with none', async () => {
      const [yes, no] = [
        await createEndpoint(practice.live, receiver.url, {
          enabledEvents: ['payment_link.paid', 'payment_link.cancelled'],
        }),
        await createEndpoint(practice.live, receiver.url, { enabledEvents: ['payment_link.paid'] }),
      ];
      const { notified } = await subscribed();
      expect(notified).to.deep.equal([endpoint.id, yes.id].toSorted()).and.not.include(no.id);
    });

    it('an event goes to endpoints of the link’s location, or of all locations', async () => {
      const elsewhere = await service.location(practice.practiceId, 'Uptown');
      const own = await createEndpoint(practice.live, receiver.url, { locationId: practice.locationId });
      await createEndpoint(practice.live, receiver.url, { locationId: elsewhere });
      expect((await subscribed()).notified).to.deep.equal([endpoint.id, own.id].toSorted());
    });

    it('an event goes to its own practice and mode only, when one transaction changes links of several', async () => {
      const other = await service.practice();
      const expected: string[][] = [];
      for (const client of [practice.live, practice.test, other.live, other.test]) {
        const subscriber = client === practice.live ? endpoint : await createEndpoint(client, receiver.url);
        expected.push([(await createLink(client)).id, subscriber.id]);
      }
      service.clock.advance({ days: 31 });
      await expireDueLinks(() => service.scope());
      const rows = await service.query<{ row: string[] }>(
        'select array[payment_link_id, endpoint_id] as row from webhook_deliveries where payment_link_id = any ($1)',
        [expected.map(([id]) => id)],
      );
      expect(rows.map(({ row }) => row)).to.have.deep.members(expected);
    });

    it('each endpoint gets an event of its own: another id, the same data', async () => {
      const other = await createEndpoint(practice.live, receiver.url);
      await subscribed();
      const [[mine], [theirs]] = [await arrivals(), await arrivals(other.id)];
      expect(mine?.id).to.not.equal(theirs?.id);
      expect({ ...mine?.event, id: '' }).to.deep.equal({ ...theirs?.event, id: '' });
    });
  });

  it('events of one change have ids in their order, and are first attempted in this order', async () => {
    const own = await createEndpoint(practice.test, receiver.url);
    for (const outcome of ['processing_then_paid', 'failed', 'processing_then_paid']) {
      const link = await createLink(practice.test);
      await practice.test.post(`/api/v1/payment-links/${link.id}/simulate`, { outcome });
    }
    const ids = (await listDeliveries(practice.test)).map(({ id }) => id);
    const received = await arrivals(own.id);
    expect(received.map(({ id }) => id)).to.deep.equal(ids);
    expect(ids, 'ids ascend').to.deep.equal(ids.toSorted());
    expect(received.map(({ type }) => type.slice('payment_link.'.length))).to.deep.equal([
      'processing',
      'paid',
      'processing',
      'failed',
      'processing',
      'paid',
    ]);
    const transactions = received.map(({ event }) => event.data.paymentLink.transaction.status);
    expect(transactions.slice(0, 2), 'each shows the link at its own moment').to.deep.equal(['pending', 'succeeded']);
  });

  it('a change that is rolled back publishes no event', async () => {
    const link = await createLink(practice.live);
    const failed = await inTransaction(service.scope(), async (scope) => {
      await separately.change(scope, linkRef(link.id), (draft) => payByCard(draft, CARD, scope.clock.now()));
      throw new Error('the processor said no');
    }).catch((error: Error) => error.message);
    expect(failed).to.equal('the processor said no');
    expect(await arrivals()).to.deep.equal([]);
    expect(await listDeliveries(practice.live)).to.deep.equal([]);
  });
});
