import { expect } from 'chai';
import { simulateDisputeClosing, simulateDisputeOpening } from '../../src/payment-links/api/sandbox-dispute.ts';
import { createOpenings } from '../../src/payment-links/checkout/service.ts';
import { separately } from '../../src/payment-links/store/change.ts';
import { madeOnce, useService } from '../harness/fixtures.ts';
import { type PayableLink, Payments, SETTLE_SECONDS } from '../harness/payments.ts';
import { addMember, type ConsoleBrowser, signedIn } from './console.ts';

describe('what happened to a link, on its page in the console', () => {
  const service = useService();
  const practice = madeOnce(() => service.practice());
  const payments = new Payments(service);
  const people = madeOnce(async () => ({
    desk: await addMember(service, practice.practiceId, 'front_desk'),
    owner: await addMember(service, practice.practiceId, 'owner'),
  }));
  let desk: ConsoleBrowser;
  let links: string;

  // Tests move the clock, which ends sessions.
  beforeEach(async () => {
    desk = await signedIn(service, people.desk);
    links = `/console/${practice.practiceId}/live/links`;
  });

  const pageOf = async ({ id }: PayableLink, browser = desk) => (await browser.get(`${links}/${id}`)).text;
  /** Returns the sentences under the heading of a page. */
  const situation = (text: string) => /<p class="lead">([^<]*)</.exec(text)?.[1]?.replaceAll('\u202f', ' ');
  /** Returns the lines of the timeline without their times. */
  const timeline = (text: string) => {
    const [, list = ''] = /<ol class="timeline">([\s\S]*?)<\/ol>/.exec(text) ?? [];
    return [...list.matchAll(/<p><strong>([^<]*)<\/strong>([^<]*)<\/p>/g)].map(([, what, rest]) => `${what}${rest}`);
  };
  const open = async ({ id }: PayableLink, times: number) => {
    const openings = createOpenings(() => service.scope());
    for (let time = 0; time < times; time++) openings.add({ paymentLinkId: id, at: service.clock.now() });
    await openings.close();
  };

  it('a link that nobody has tried to pay says whether its page was opened, when and how often', async () => {
    const link = await payments.link(practice);
    expect(situation(await pageOf(link))).to.equal(
      'The patient has not paid yet. As far as we know, nobody has opened the page.',
    );
    service.clock.advance({ minutes: 1 });
    await open(link, 1);
    expect(timeline(await pageOf(link))).to.deep.equal(['Link created · $125.50', 'Page opened']);
    await open(link, 2);
    const text = await pageOf(link);
    expect(situation(text)).to.match(
      /^The page was last opened on June \d+, 2030. The patient has not tried to pay yet.$/,
    );
    expect(timeline(text).at(-1)).to.equal('Page last opened · 3 times in all');
  });

  it('declines are distinguished by day and method, with their reasons in words, on the page and in the list', async () => {
    const link = await payments.link(practice);
    await payments.pay(link, 'card_declined');
    service.clock.advance({ days: 1 });
    desk = await signedIn(service, people.desk);
    await payments.pay(link, 'bank_refused');
    await payments.pay(link, 'card_insufficient_funds');
    await payments.pay(link, 'card_insufficient_funds');
    const text = await pageOf(link);
    expect(situation(text)).to.match(
      /^Two card payments were declined on June \d+, 2030: not enough money\. The patient can try again/,
    );
    expect(timeline(text)).to.deep.equal([
      'Link created · $125.50',
      'Payment declined · only the bank can say why',
      'Payment declined · the bank account is closed',
      'Payment declined · not enough money',
      'Payment declined · not enough money',
    ]);
    expect(text, 'neither codes nor addresses').to.not.match(/insufficient_funds|203\.0\.113\.7/);
    expect((await desk.get(links)).text).to.include('Declined: not enough money');
    await service.query(`update payment_attempts set failure_reason = 'brand_new' where payment_link_id = $1`, [
      link.id,
    ]);
    expect(situation(await pageOf(link))).to.match(/^Two card payments .*: no reason was given\. The patient can/);
    const cancelled = await practice.live.post(`/api/v1/payment-links/${link.id}/cancel`);
    expect(cancelled.status).to.equal(200);
    expect(situation(await pageOf(link))).to.match(/^Two card payments .*\. Nobody can pay the link any more\./);
  });

  it('a link with five declines in a row says when it can be paid again', async () => {
    const link = await payments.link(practice);
    for (let time = 0; time < 5; time++) await payments.pay(link, 'card_declined');
    expect(situation(await pageOf(link))).to.match(
      /^Five card payments .*: only the bank can say why\. After so many .* payments again from .* CDT\.$/,
    );
    service.clock.advance({ minutes: 15 });
    desk = await signedIn(service, people.desk);
    expect(situation(await pageOf(link))).to.match(/can try again, or pay another way\.$/);
  });

  it('a payment that waits for the patient, was not completed, or has no known outcome is named as such', async () => {
    const link = await payments.link(practice);
    await payments.pay(link, 'card_challenge');
    const waiting = await pageOf(link);
    expect(situation(waiting)).to.include('still has to confirm the payment with the bank');
    expect(timeline(waiting).at(-1)).to.equal('Payment submitted · $125.50');
    await payments.pages().cancelAttempt(link.token);
    const ended = await pageOf(link);
    expect(situation(ended)).to.match(
      /^A payment was begun on June \d+, 2030, but not completed\. No money was taken\. The patient can/,
    );
    expect(timeline(ended).at(-1)).to.equal('Payment not completed, no money taken');
    await service.query('update payment_attempts set reconcile_at = closed_at where payment_link_id = $1', [link.id]);
    const inDoubt = await pageOf(link);
    expect(situation(inDoubt)).to.include('The patient must not pay again.');
    expect(timeline(inDoubt).at(-1)).to.equal('Payment ended, outcome unknown');
    await service.query('update payment_attempts set reconcile_at = null where payment_link_id = $1', [link.id]);
  });

  it('a payment that the bank disputes, or took back by a lost dispute, is not plainly paid', async () => {
    const link = await payments.link(practice);
    await payments.pay(link, 'card_success');
    const seen = async () => {
      const text = await pageOf(link);
      const [, state, words] = /<p class="summary"><span class="badge is-(\w+)">([^<]+)</.exec(text) ?? [];
      return [state, words, situation(text)];
    };
    const paid = ['paid', 'Paid', 'The patient has paid.'];
    expect(await seen()).to.deep.equal(paid);
    const open = (amountCents: number) =>
      simulateDisputeOpening({ ...service.scope(), processor: payments.sandbox, ...separately }, link.id, {
        ...{ reason: 'fraudulent', amountCents, evidenceDueBy: null },
      });
    const close = (outcome: 'won' | 'lost') =>
      simulateDisputeClosing({ ...service.scope(), processor: payments.sandbox, ...separately }, link.id, outcome);
    await open(5_000);
    const disputed = 'The patient’s bank disputes the payment. It may take the money back.';
    expect(await seen()).to.deep.equal(['disputed', 'Disputed', disputed]);
    expect((await desk.get(links)).text).to.include('<span class="badge is-disputed">Disputed</span>');
    await close('won');
    expect(await seen()).to.deep.equal(paid);
    await open(5_000);
    await close('lost');
    const lost =
      'The patient’s bank has decided a dispute for the patient, and took the money back. It no longer counts as owed. ' +
      'To collect it again, create a new link. Otherwise nothing is left to do.';
    expect(await seen()).to.deep.equal(['dispute_lost', 'Dispute lost', lost]);
  });

  it('a returned debit has the time of its return, and a fee and net of nothing', async () => {
    const link = await payments.link(practice);
    await payments.pay(link, 'bank_returns');
    service.clock.advance({ seconds: SETTLE_SECONDS });
    await payments.sweep();
    const owner = await signedIn(service, people.owner);
    const { text } = await owner.get(`/console/${practice.practiceId}/live/payments/${link.id}`);
    expect(text)
      .to.match(/<dt>Fee<\/dt><dd>\$0\.00<\/dd>/)
      .and.match(/<dt>Net<\/dt><dd>\$0\.00<\/dd>/)
      .and.match(/Returned by the bank<\/strong>[^<]*not enough money<\/p>\s*<p class="hint"><time /)
      .and.not.include('time not recorded')
      .and.not.include('not known yet');
  });

  it('a bank debit is under way, confirmed or returned with its reason', async () => {
    const [settled, returned] = [await payments.link(practice), await payments.link(practice)];
    await payments.pay(settled, 'bank_settles');
    await payments.pay(returned, 'bank_returns');
    expect(situation(await pageOf(settled))).to.include('has not confirmed the debit of June');
    service.clock.advance({ seconds: SETTLE_SECONDS });
    await payments.sweep();
    desk = await signedIn(service, people.desk);
    expect(timeline(await pageOf(settled)).slice(1)).to.deep.equal([
      'Debit submitted to the bank · $125.50',
      'Debit confirmed by the bank · $125.50',
    ]);
    const text = await pageOf(returned);
    expect(situation(text)).to.equal(
      'The bank returned the debit: not enough money. The patient owes the amount again.',
    );
    expect(timeline(text).at(-1)).to.equal('Returned by the bank · $125.50 · not enough money');
  });

  it('refunds stand in the timeline of those who see payments', async () => {
    const link = await payments.link(practice);
    await payments.pay(link, 'card_success');
    await payments.refund(link, 2_550);
    const owner = await signedIn(service, people.owner);
    expect(timeline(await pageOf(link, owner)).slice(1)).to.deep.equal([
      'Paid · $125.50',
      'Refund requested · $25.50 · Refunded',
    ]);
    const text = await pageOf(link);
    expect(timeline(text).slice(1)).to.deep.equal(['Paid · $125.50']);
    expect(situation(text)).to.equal('The patient has paid, and a part was refunded.');
    const pending = await payments.link(practice);
    await payments.pay(pending, 'card_refund_fails');
    await payments.refund(pending);
    expect(situation(await pageOf(pending))).to.equal('The patient has paid. A refund is on its way.');
    service.clock.advance({ seconds: SETTLE_SECONDS });
    await payments.sweep();
    desk = await signedIn(service, people.desk);
    expect(situation(await pageOf(pending)), 'a refund that failed').to.include(
      'A refund failed, and its money is back',
    );
  });
});
