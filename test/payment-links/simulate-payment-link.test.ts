import { expect } from 'chai';
import { madeOnce, useReceiver, useService } from '../harness/fixtures.ts';
import { isSignedWith } from '../harness/receiver.ts';
import { createLink } from '../harness/service.ts';

/** Each outcome with the link's status, its events and its transaction's states, in their order. */
const OUTCOMES: [outcome: string, status: string, events: string[], transactions: (string | null)[]][] = [
  ['paid', 'paid', ['payment_link.paid'], ['succeeded']],
  ['processing', 'paid', ['payment_link.processing'], ['pending']],
  ['processing_then_paid', 'paid', ['payment_link.processing', 'payment_link.paid'], ['pending', 'succeeded']],
  ['failed', 'paid', ['payment_link.processing', 'payment_link.failed'], ['pending', 'failed']],
  ['expired', 'expired', ['payment_link.expired'], [null]],
];

describe('simulatePaymentLink', () => {
  const service = useService();
  const practice = madeOnce(() => service.practice());
  const receiver = useReceiver();
  let endpoint: { id: string; secret: string };

  before(async () => {
    endpoint = (await practice.test.post('/api/v1/webhook-endpoints', { url: receiver.url })).body;
  });

  for (const [outcome, status, events, transactions] of OUTCOMES) {
    it(`${outcome}: the link ends ${status} and its events arrive signed, in order`, async () => {
      receiver.received.length = 0;
      const link = await createLink(practice.test);
      const reply = await practice.test.post(`/api/v1/payment-links/${link.id}/simulate`, { outcome });
      expect(reply.status).to.equal(200);
      expect(reply.body.status).to.equal(status);
      expect(reply.body.transaction, 'a simulated transaction is seen in events only').to.equal(null);
      const deliverer = service.deliverer();
      void deliverer.deliver([endpoint.id]);
      await deliverer.idle();
      expect(receiver.faults).to.deep.equal([]);
      expect(receiver.types).to.deep.equal(events);
      expect(receiver.received.every((received) => isSignedWith(endpoint.secret, received))).to.equal(true);
      const seen = receiver.received.map(({ event }) => event.data.paymentLink.transaction?.status ?? null);
      expect(seen).to.deep.equal(transactions);
      for (const { event } of receiver.received) expect(event.data.context.triggeredBy).to.equal('simulated');
    });
  }

  it('400 for an outcome that does not exist', async () => {
    const link = await createLink(practice.test);
    const reply = await practice.test.post(`/api/v1/payment-links/${link.id}/simulate`, { outcome: 'lost' });
    expect([reply.status, reply.body.error.code, reply.body.error.param]).to.deep.equal([
      400,
      'validation_error',
      'outcome',
    ]);
  });

  it('409 link_not_active for a link that is not active any more', async () => {
    const link = await createLink(practice.test);
    await practice.test.post(`/api/v1/payment-links/${link.id}/simulate`, { outcome: 'paid' });
    const reply = await practice.test.post(`/api/v1/payment-links/${link.id}/simulate`, { outcome: 'expired' });
    expect([reply.status, reply.body.error.code]).to.deep.equal([409, 'link_not_active']);
  });
});
