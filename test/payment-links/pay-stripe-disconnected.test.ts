import { expect } from 'chai';
import { ProcessorUnavailable } from '../../src/processors/processor.ts';
import { madeForEach } from '../harness/fixtures.ts';
import { KeptMails, runJobs } from '../harness/mails.ts';
import type { PayableLink } from '../harness/payments.ts';
import { startStripe } from './stripe-service.ts';

describe('a practice that disconnects its Stripe account while a payment is under way', () => {
  const stripe = madeForEach(() => startStripe());
  let mailer: KeptMails;

  beforeEach(async () => {
    mailer = new KeptMails();
  });

  afterEach(() => stripe.close());

  const cancel = (link: PayableLink) => stripe.practice.live.post(`/api/v1/payment-links/${link.id}/cancel`);
  const pageState = async (link: PayableLink) => (await stripe.pages().find(link.token))?.state;

  /** The account comes or goes, and Stripe's message about it arrives. */
  async function account(change: 'disconnect' | 'reconnect'): Promise<void> {
    stripe.books[change](stripe.account);
    await stripe.deliverAll();
  }

  async function hours(count: number): Promise<void> {
    for (let hour = 0; hour < count; hour++) {
      stripe.service.clock.advance({ hours: 1 });
      await stripe.sweep();
    }
  }

  async function attempt(link: PayableLink) {
    const rows = await stripe.service.query<{ status: string; reference: string | null }>(
      'select status, processor_reference as reference from payment_attempts where payment_link_id = $1',
      [link.id],
    );
    return rows.map(({ status }) => status);
  }

  async function waiting(): Promise<{ link: PayableLink; reference: string }> {
    const { result, ...payment } = await stripe.submitted('challenge');
    expect(result).to.equal('requires_action');
    return payment;
  }

  /** Charged, our process dies before it hears of it, and the account is gone. */
  async function chargedUnheard(): Promise<PayableLink> {
    const link = await stripe.link();
    const dying = {
      ...stripe.processor,
      async confirm(...charge: Parameters<typeof stripe.processor.confirm>): Promise<never> {
        await stripe.processor.confirm(...charge);
        stripe.books.disconnect(stripe.account);
        throw new ProcessorUnavailable(new Error('the answer was lost'));
      },
    };
    expect(await stripe.pay(link, 'success', dying)).to.equal('accepted');
    stripe.books.events.length = 0;
    return link;
  }

  it('the attempt stays open for 24 hours, and cancelling the link gets 503', async () => {
    const { link } = await waiting();
    await account('disconnect');
    await hours(23);
    expect(await attempt(link)).to.deep.equal(['requires_action']);
    const { status, body } = await cancel(link);
    expect([status, body.error.code]).to.deep.equal([503, 'service_unavailable']);
  });

  it('after 24 hours the attempt is closed, one mail is sent, and the link can be cancelled', async () => {
    const { link, reference } = await waiting();
    await account('disconnect');
    await hours(30);
    expect(await attempt(link)).to.deep.equal(['cancelled']);
    await runJobs(stripe.service, mailer);
    expect(mailer.mails.map(({ subject }) => subject)).to.deep.equal([
      `Payment link ${link.id}: the outcome of a payment is unknown`,
    ]);
    expect(mailer.mails[0]?.text).to.include(reference);
    expect((await cancel(link)).body.status).to.equal('cancelled');
    expect(await stripe.events(link)).to.deep.equal(['cancelled']);
  });

  it('no hosted page says that no money was taken while that is unknown', async () => {
    const { link } = await waiting();
    await account('disconnect');
    await hours(25);
    expect(await pageState(link)).to.equal('in_progress');
    stripe.service.clock.advance({ days: 30 });
    await stripe.sweep();
    expect((await stripe.seen(link)).status).to.equal('expired');
    expect(await pageState(link)).to.equal('in_progress');
    await account('reconnect');
    await hours(1);
    expect(await pageState(link)).to.equal('expired');
  });

  it('“Check again” asks about an abandoned attempt, and an answer makes the link payable', async () => {
    const { link } = await waiting();
    await account('disconnect');
    await hours(25);
    const checkAgain = () => stripe.pages().resume(link.token);
    expect([await checkAgain(), await pageState(link)]).to.deep.equal(['accepted', 'in_progress']);
    await account('reconnect');
    expect(await pageState(link)).to.equal('in_progress');
    expect([await checkAgain(), await pageState(link)]).to.deep.equal(['cancelled', 'payable']);
    expect(await checkAgain()).to.equal('not_payable');
  });

  for (const known of [true, false]) {
    it(`money that was taken makes the link paid when the account returns, ${known ? 'after an action of the patient' : 'though its answer was lost'}`, async () => {
      const { link, reference } = known ? await waiting() : { link: await chargedUnheard(), reference: '' };
      await account('disconnect');
      if (known) stripe.books.finishAction(stripe.account, reference, true);
      stripe.books.events.length = 0;
      await hours(23);
      expect(await attempt(link)).to.deep.equal([known ? 'requires_action' : 'open']);
      await hours(3);
      expect(await attempt(link)).to.deep.equal(['cancelled']);
      // After a day Stripe remembers no keys.
      stripe.stripe.forgetKeys();
      await account('reconnect');
      // Before anybody has looked, nothing is charged again.
      expect(await stripe.pay(link, 'success')).to.equal('not_payable');
      await hours(1);
      expect(await stripe.events(link)).to.deep.equal(['paid']);
      expect(stripe.books.charged(stripe.account)).to.equal(1);
      await runJobs(stripe.service, mailer);
      expect(mailer.mails.at(-1)?.subject).to.equal(`Payment link ${link.id}: paid after it was closed`);
    });
  }

  it('a disconnection without Stripe’s message is detected, and makes the practice’s links unpayable', async () => {
    const { link } = await waiting();
    stripe.books.disconnect(stripe.account);
    stripe.books.events.length = 0;
    await hours(1);
    expect(await pageState(await stripe.link().catch(() => link))).to.equal('requires_action');
    const [row] = await stripe.service.query('select payments_enabled from practices where id = $1', [
      stripe.practice.practiceId,
    ]);
    expect(row).to.deep.equal({ payments_enabled: false });
  });
});
