import { expect } from 'chai';
import { REFUNDS_HAVE_THEIR_EVENTS as RULE } from '../../src/payment-links/lost-refund-events.ts';
import { useReceiver, useService } from '../harness/fixtures.ts';
import { Payments } from '../harness/payments.ts';
import { createEndpoint } from '../harness/webhooks.ts';
import { LATER, LosingPractice } from './lost-events.ts';

describe('lost events of refunds and disputes', function () {
  this.timeout(120_000);
  const service = useService();
  const receiver = useReceiver();
  let losing: LosingPractice;

  beforeEach(async () => {
    losing = await LosingPractice.start(service, receiver);
  });

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
      expect(await losing.problems(RULE)).to.deep.equal([]);
      await losing.lose(id, { type, endpointId });
      const [found, ...others] = await losing.violations(RULE);
      expect(others).to.deep.equal([]);
      expect(found?.problem).to.equal(
        `the endpoint ${endpointId} has 0 events payment_link.${type} of ${id}, but 1 are on record`,
      );
      expect(found?.remedy).to.match(/^inform the practice.+ and report it$/);
      expect(await losing.violations(RULE, null)).to.have.length(1);
      await losing.lose(id);
      service.clock.advance({ days: 29 });
      expect(await losing.violations(RULE)).to.deep.equal([]);
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
    expect(await losing.violations(RULE)).to.deep.equal([]);
    const [problem] = await losing.problems(RULE);
    expect(problem).to.include('has 1 events payment_link.refunded').and.include('but 2 are on record');
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
    expect(await losing.problems(RULE)).to.deep.equal([]);
  });
});
