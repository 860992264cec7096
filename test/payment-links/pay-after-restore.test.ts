import { expect } from 'chai';
import { cancelLinkForOffice } from '../../src/payment-links/api/change-link.ts';
import { findMissingPayments } from '../../src/payment-links/payments/missing-payments.ts';
import { separately } from '../../src/payment-links/store/change.ts';
import { newId } from '../../src/platform/base/ids.ts';
import { afterThisTest } from '../harness/after-this-test.ts';
import type { PayableLink } from '../harness/payments.ts';
import { runPaylinks } from '../harness/processes.ts';
import { serviceEnvironment } from '../harness/service-process.ts';
import { findViolations } from '../harness/violations.ts';
import { startStripe, useStripe } from './stripe-service.ts';

describe('a payment that the processor knows and a restored database does not', () => {
  const stripe = useStripe();
  let link: PayableLink;

  before(async () => {
    link = await stripe.link();
    await stripe.pay(link, 'success');
    await forget(link);
    for (const event of stripe.books.events.splice(0)) await stripe.deliver(event);
    await stripe.sweep();
  });

  /** Takes the database back to the moment before the payment, as a restore does. */
  const forget = async ({ id }: PayableLink) => {
    for (const statement of [
      'delete from webhook_deliveries where payment_link_id = $1',
      'delete from transactions where payment_link_id = $1',
      'delete from payment_attempts where payment_link_id = $1',
      `update payment_links set status = 'active', paid_at = null, closed_at = null, patient_id = null where id = $1`,
    ]) {
      await stripe.service.query(statement, [id]);
    }
  };

  const statusOf = async ({ id }: PayableLink) =>
    (await stripe.practice.live.get(`/api/v1/payment-links/${id}`)).body.status;

  it('a payment of the lost time leaves its link active when the processor reports it, and paylinks check names it', async () => {
    expect(await statusOf(link)).to.equal('active');
    stripe.service.clock.advance({ minutes: 11 });
    const found = await findViolations(stripe.service, stripe.practice);
    expect(found).to.have.length.above(0);
    for (const { invariant, problem } of found)
      expect(`${invariant}: ${problem}`).to.match(/^notifications_are_processed: .* about pi_.* failed \d/);
  });

  it('paylinks payments missing lists a payment of the lost time with its link and the next step, and no other payment', async () => {
    const kept = await stripe.link();
    await stripe.pay(kept, 'success');
    const { databaseUrl } = stripe.service.config;
    const env = { STRIPE_SECRET_KEY: 'sk_test_fake', STRIPE_PUBLISHABLE_KEY: 'pk_test_fake' };
    const since = new Date(stripe.service.clock.now().getTime() - 3_600_000).toISOString();
    const { code, stdout, stderr } = await runPaylinks(
      ['payments', 'missing', '--since', since, '--json'],
      serviceEnvironment(databaseUrl, { ...env, PROCESSOR: 'stripe', STRIPE_API_BASE: stripe.stripe.url }),
    );
    expect([code, stderr]).to.deep.equal([0, '']);
    const { data } = JSON.parse(stdout);
    expect(data).to.have.length(1);
    expect(data[0]).to.include({
      ...{ practiceId: stripe.practice.practiceId, accountId: stripe.account, state: 'succeeded' },
      ...{ amountCents: link.amountCents, paymentLinkId: link.id, linkStatus: 'active' },
      next: 'The link can be paid again: cancel the link and keep the money, or refund the payment at the processor.',
    });
    expect(data[0].reference).to.match(/^pi_/);
  });

  it('all payments of the lost time are found, also beyond one list page, but none from before the moment or without money', async () => {
    const own = await startStripe();
    const find = (since: Date) => findMissingPayments(own.service.scope(), own.processor, since, null);
    const begin = (paymentLinkId: string) => {
      const attemptId = newId('paymentAttempt', own.service.clock.now());
      const intention = { attemptId, paymentLinkId, amountCents: 5_000, currency: 'usd', methodType: 'card' } as const;
      return own.processor.begin({ ...intention, account: { id: own.account }, statementDescriptorSuffix: null });
    };
    afterThisTest(() => own.close());
    const { id } = await own.link();
    await begin(id);
    own.service.clock.advance({ minutes: 1 });
    const since = own.service.clock.now();
    const references = [];
    for (let at = 0; at < 205; at++) references.push(await begin(id));
    const [cancelled = ''] = references;
    await own.processor.cancel({ id: own.account }, cancelled ?? '');
    const missing = await find(since);
    expect(new Set(missing.map(({ reference }) => reference))).to.deep.equal(new Set(references.slice(1)));
    expect(missing[0]).to.include({ state: 'created', next: 'It is not final: cancel it at the processor.' });
    own.stripe.books.disconnect(own.account);
    expect((await find(since)).map(({ accountId, reference, next }) => [accountId, reference, next])).to.deep.equal([
      [own.account, null, 'The practice disconnected this account: ask it for its payments.'],
    ]);
  });

  it('for a practice that there is none of, paylinks payments missing says so in place of an empty list', async () => {
    const { code, stdout, stderr } = await runPaylinks(
      ['payments', 'missing', '--since', '2026-11-22T14:05:00Z', '--practice', 'prac_unknown'],
      serviceEnvironment(stripe.service.config.databaseUrl),
    );
    expect([code, stdout, stderr]).to.deep.equal([1, '', 'paylinks: not_found: No such practice.\n']);
  });

  it('a payment of the lost time is not charged again once the operator has cancelled its link', async () => {
    const charged = stripe.books.charged(stripe.account);
    await cancelLinkForOffice(
      { ...stripe.service.scope(), actor: { kind: 'operator' }, processor: stripe.processor, ...separately },
      link.id,
    );
    expect(await stripe.pay(link, 'success')).to.not.equal('accepted');
    expect(stripe.books.charged(stripe.account)).to.deep.equal(charged);
    expect(await statusOf(link)).to.equal('cancelled');
  });
});
