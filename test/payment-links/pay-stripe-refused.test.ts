import { expect } from 'chai';
import { createStripe } from '../../src/processors/stripe.ts';
import { CapturedLog } from '../harness/captured-log.ts';
import { useStripe } from './stripe-service.ts';

describe('refusals of Stripe', () => {
  const captured = new CapturedLog();
  const stripe = useStripe(captured.log);

  beforeEach(() => {
    captured.lines.length = 0;
  });

  const refusals = () => captured.take('Stripe refused a call');

  it('a refusal that is no bank’s decline is logged with code, parameter and Stripe’s request id', async () => {
    const link = await stripe.link();
    const submitted = stripe.pages().submit(link.token, {
      amountCents: link.amountCents,
      methodType: 'card',
      methodToken: 'ctoken_canary',
      locale: 'en',
      address: '203.0.113.7',
      userAgent: 'test',
      authorisationText: null,
    });
    expect(await submitted).to.equal('declined');
    const [refusal, ...more] = refusals();
    expect(more).to.deep.equal([]);
    expect(refusal).to.include({ call: 'confirm', code: 'resource_missing', param: 'confirmation_token', level: 40 });
    expect(refusal?.stripeRequestId).to.match(/^req_fake/);
    expect(JSON.stringify(captured.lines.concat(refusal ?? {}))).to.not.match(/No such|canary/);
  });

  it('refusals of payments and of refunds are both logged', async () => {
    expect(await stripe.pay(await stripe.link({ amount: 0.4 }), 'success')).to.equal('declined');
    expect(refusals().map(({ call, code }) => [call, code])).to.deep.equal([['begin', 'amount_too_small']]);
    const { link, reference } = await stripe.submitted('success', { amount: 100 });
    stripe.books.refundInDashboard(stripe.account, reference, 6000);
    captured.lines.length = 0;
    expect((await stripe.refund(link, 5000)).status).to.equal('failed');
    expect(refusals().map(({ call }) => call)).to.deep.equal(['refund']);
  });

  it('a decline of a bank is not logged as a warning', async () => {
    expect(await stripe.pay(await stripe.link(), 'declined')).to.equal('declined');
    expect(refusals()).to.deep.equal([]);
  });

  it('a refusal because of our API key is not a decline: the outcome stays unknown', async () => {
    const { config } = stripe.service;
    if (config.stripe === null) throw new Error('Stripe is configured');
    const locked = createStripe({ ...config.stripe, secretKey: 'revoked' }, captured.log);
    const fresh = await stripe.link();
    expect(await stripe.pay(fresh, 'success', locked)).to.equal('cancelled');
    expect((await stripe.pages().find(fresh.token))?.lastFailure).to.equal(null);

    const waiting = await stripe.link();
    await stripe.pay(waiting, 'challenge');
    const half = { ...stripe.processor, confirm: locked.confirm, retrieve: locked.retrieve, cancel: locked.cancel };
    expect(await stripe.pages(half).resume(waiting.token)).to.equal('requires_action');
    const confirmed = await stripe.link();
    expect(await stripe.pay(confirmed, 'success', half)).to.equal('accepted');
    expect((await stripe.pages(half).find(confirmed.token))?.state).to.equal('in_progress');
    stripe.service.clock.advance({ hours: 1 });
    await stripe.sweep(half);
    const open = await stripe.service.query(
      `select 1 from payment_attempts where payment_link_id = any ($1) and status in ('open', 'requires_action')`,
      [[waiting.id, confirmed.id]],
    );
    expect(open).to.have.length(2);
    expect(JSON.stringify(captured.lines)).to.include('Stripe answered 401').and.not.include('Invalid API Key');
    stripe.service.clock.advance({ hours: 1 });
    await stripe.sweep();
    expect(await stripe.pay(confirmed, 'success')).to.equal('accepted');
  });
});
