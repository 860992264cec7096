import { expect } from 'chai';
import { cancelAsStaff } from '../../src/payment-links/change-link.ts';
import { LINK_INVARIANTS } from '../../src/payment-links/invariants.ts';
import { query } from '../harness/database.ts';
import type { PayableLink } from '../harness/payments.ts';
import { StripeService } from './stripe-service.ts';

describe('a payment that the processor knows and a restored database does not', () => {
  let stripe: StripeService;
  let link: PayableLink;

  before(async () => {
    stripe = await StripeService.start();
    link = await stripe.link();
    await stripe.pay(link, 'success');
    await forget(link);
    for (const event of stripe.stripe.books.events.splice(0)) await stripe.deliver(event);
    await stripe.sweep();
  });

  after(() => stripe.close());

  /** Takes the database back to the moment before the payment, as a restore does. */
  const forget = async ({ id }: PayableLink) => {
    for (const statement of [
      'delete from webhook_deliveries where payment_link_id = $1',
      'delete from transactions where payment_link_id = $1',
      'delete from payment_attempts where payment_link_id = $1',
      `update payment_links set status = 'active', paid_at = null, closed_at = null, patient_id = null where id = $1`,
    ]) {
      await query(stripe.service.config.databaseUrl, statement, [id]);
    }
  };

  const statusOf = async ({ id }: PayableLink) =>
    (await stripe.practice.live.get(`/api/v1/payment-links/${id}`)).body.status;

  it('a payment of the lost time leaves its link active when the processor reports it, and paylinks check names it', async () => {
    expect(await statusOf(link)).to.equal('active');
    stripe.service.clock.advance({ minutes: 11 });
    const problems: string[] = [];
    for (const { name, find } of LINK_INVARIANTS) {
      const found = find(() => stripe.service.scope(), { practiceId: stripe.practice.practiceId });
      for await (const { problem } of found) problems.push(`${name}: ${problem}`);
    }
    expect(problems).to.have.length.above(0);
    for (const problem of problems) expect(problem).to.match(/^notifications_are_processed: .* about pi_.* failed \d/);
  });

  it('a payment of the lost time is not charged again once the operator has cancelled its link', async () => {
    const charged = stripe.stripe.books.charged(stripe.account);
    await cancelAsStaff({ ...stripe.service.scope(), actor: { kind: 'operator' } }, stripe.processor, link.id);
    expect(await stripe.pay(link, 'success')).to.not.equal('accepted');
    expect(stripe.stripe.books.charged(stripe.account)).to.deep.equal(charged);
    expect(await statusOf(link)).to.equal('cancelled');
  });
});
