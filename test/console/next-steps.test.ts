import { expect } from 'chai';
import { simulateDisputeClosing, simulateDisputeOpening } from '../../src/payment-links/api/sandbox-dispute.ts';
import { separately } from '../../src/payment-links/store/change.ts';
import { useService } from '../harness/fixtures.ts';
import { SETTLE_SECONDS } from '../harness/payments.ts';
import { createLink } from '../harness/service.ts';
import { type ConsoleBrowser, hiddenFields, signedInAs } from './console.ts';
import { type BillingPractice, billingPractice, paid } from './payments-setup.ts';

describe('the next step, on the pages of a link and of its payment', () => {
  const service = useService({ env: { SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'pay@example.com' } });
  let billing: BillingPractice;
  let home: string;
  let clerk: ConsoleBrowser;

  before(async () => {
    billing = await billingPractice(service);
    home = `/console/${billing.practice.practiceId}/live`;
  });

  const signIn = async (role: 'billing' | 'front_desk' | 'viewer' = 'billing') =>
    signedInAs(service, billing.practice.practiceId, role);

  // Tests move the clock, which ends sessions.
  beforeEach(async () => {
    clerk = await signIn();
  });

  const page = async (path: string, browser = clerk) => (await browser.get(`${home}${path}`)).text;
  /** Returns the first button of a page, and where it leads. */
  const firstButton = (text: string) => {
    const main = text.slice(text.indexOf('<main'));
    const [, href, words] = /<a class="button" href="([^"]+)"[^>]*>([^<]+)</.exec(main) ?? [];
    return [words, href];
  };

  const dispute = async (reason: string) => {
    const link = await paid(billing, 'Disputed');
    const input = { reason, amountCents: 5_000, evidenceDueBy: new Date('2030-07-01T12:00:00Z') };
    const { id } = await simulateDisputeOpening(
      { ...service.scope(), processor: billing.payments.sandbox, ...separately },
      link.id,
      input,
    );
    return { link, path: `/payments/${link.id}`, disputePath: `${home}/payments/${link.id}/disputes/${id}` };
  };

  it('an open dispute says what to send for its reason, where, and by when, before anything else about the payment', async () => {
    const { link, path, disputePath } = await dispute('credit_not_processed');
    const text = await page(path);
    expect(text).to.include('<h1>$125.50 from Ada Disputed</h1>');
    expect(firstButton(text)).to.deep.equal(['Evidence sheet', disputePath]);
    const order = [
      'Dispute: A promised refund did not arrive',
      'July 1, 2030',
      'dashboard of your payment processor',
      'Proof of the refund',
      'The answer is sent',
      'Print the receipt',
      '<h2>Money',
      'Refund</a>',
    ].map((part) => text.indexOf(part));
    expect(order)
      .to.deep.equal(order.toSorted((one, other) => one - other))
      .and.not.include(-1);
    expect(text).to.not.include('consent, treatment plan');
    expect((await page((await dispute('fraudulent')).path)).includes('consent, treatment plan')).to.equal(true);
    expect(firstButton(await page(`/links/${link.id}`))).to.deep.equal(['Answer the dispute', `${home}${path}`]);
  });

  it('a dispute whose answer was sent says when, leaves what needs attention, and comes back if it was not sent', async () => {
    const { link, path, disputePath } = await dispute('fraudulent');
    const isListed = async () => (await page('?attention=all')).includes(link.id);
    expect(await isListed()).to.equal(true);
    const answer = async (sent: string) => clerk.post(disputePath, { sent });
    expect((await answer('yes')).location).to.equal(`${home}${path}?done=answered`);
    await answer('yes');
    expect(await isListed()).to.equal(false);
    const text = await page(path);
    expect(text)
      .to.match(/<dt>Answer sent<\/dt><dd>June \d+, 2030/)
      .and.include('Sent the answer to a dispute')
      .and.match(/disputes the payment\. Your answer was sent on June \d+, 2030, and the bank decides\.</);
    expect(text).to.include('is-disputed">Disputed<').and.not.include('dashboard of your payment processor');
    const desk = await signIn('front_desk');
    expect(await page(`/links/${link.id}`, desk)).to.not.include('answer to a dispute');
    await answer('no');
    expect(await isListed()).to.equal(true);
    expect(await page(path)).to.include('It may take the money back.');
    const entries = await service.query<{ action: string; actor_kind: string }>(
      `select action, actor_kind from audit_log where target_id = $1 and action like 'dispute.%' order by id`,
      [link.id],
    );
    expect(entries.map(({ action, actor_kind }) => [action, actor_kind])).to.deep.equal([
      ['dispute.answered', 'person'],
      ['dispute.unanswered', 'person'],
    ]);
    await simulateDisputeClosing({ ...service.scope(), processor: service.processor(), ...separately }, link.id, 'won');
    await answer('yes');
    expect(await page(path), 'nobody answers a closed dispute').to.not.include('<dt>Answer sent');
  });

  it('a person answers no dispute of another payment, and a viewer none', async () => {
    const { disputePath } = await dispute('fraudulent');
    const other = await paid(billing, 'Other');
    const path = disputePath.replace(/plink_\w+/, other.id);
    expect((await clerk.post(path, { sent: 'yes' })).status).to.equal(404);
    const viewer = await signIn('viewer');
    expect((await viewer.post(disputePath, { sent: 'yes' })).status).to.equal(403);
    expect((await viewer.get(disputePath)).status).to.equal(200);
  });

  it('a returned debit leads to a new link in its place, which ends the step on both pages', async () => {
    const { id } = await paid(billing, 'Returned', { method: 'bank_returns' });
    service.clock.advance({ seconds: SETTLE_SECONDS });
    await billing.payments.sweep();
    clerk = await signIn();
    const text = await page(`/payments/${id}`);
    expect(text).to.include('The bank returned the debit').and.include('The patient owes the amount again.');
    const step = ['New link in its place', `${home}/links/new?from=${id}`];
    expect(firstButton(text)).to.deep.equal(step);
    expect(firstButton(await page(`/links/${id}`))).to.deep.equal(step);
    const form = hiddenFields(await page(`/links/new?from=${id}`));
    const entries = { firstName: 'Ada', lastName: 'Returned', amount: '125.50', description: 'Crown' };
    const { location } = await clerk.post(`${home}/links/new`, {
      ...{ ...form, ...entries, locationId: billing.practice.locationId },
    });
    const successor = /plink_\w+/.exec(location ?? '')?.[0];
    for (const path of [`/payments/${id}`, `/links/${id}`]) {
      const shown = await page(path);
      expect(shown, path).to.include(`links/${successor}">Another link has replaced this one`);
      expect(firstButton(shown), path).to.deep.equal([undefined, undefined]);
    }
  });

  it('a lost dispute says that nothing is owed, and offers a new link that collects the amount again', async () => {
    const { link, path } = await dispute('duplicate');
    await simulateDisputeClosing(
      { ...service.scope(), processor: service.processor(), ...separately },
      link.id,
      'lost',
    );
    const step = ['New link with the same entries', `${home}/links/new?from=${link.id}`];
    for (const at of [path, `/links/${link.id}`]) {
      const text = await page(at);
      expect(firstButton(text), at).to.deep.equal(step);
      expect(text).to.include('It no longer counts as owed.').and.include('Otherwise nothing is left to do.');
    }
    const viewer = await signIn('viewer');
    expect(firstButton(await page(path, viewer))).to.not.include(step[0]);
  });

  it('a refund that failed says so, and what to do', async () => {
    const { id } = await paid(billing, 'Failing', { method: 'card_refund_fails' });
    const form = hiddenFields((await clerk.post(`${home}/payments/${id}/refund`, { choice: 'all' })).text);
    await clerk.post(`${home}/payments/${id}/refund/confirm`, { ...form, confirmed: 'on' });
    await billing.payments.sweep();
    service.clock.advance({ seconds: SETTLE_SECONDS });
    await billing.payments.sweep();
    clerk = await signIn();
    expect(await page(`/payments/${id}`))
      .to.include('A refund failed')
      .and.include('$125.50 can still be refunded.');
  });

  it('the page of a payment has at most twelve facts, in groups, also of a debit that has all of them', async () => {
    const { id } = await paid(billing, 'Facts', {
      ...{ method: 'bank_settles', description: 'Crown', externalReference: 'INV-7', amount: 200 },
    });
    service.clock.advance({ seconds: SETTLE_SECONDS });
    await billing.payments.sweep();
    await service.query(`update payment_links set patient_external_id = 'MRN 7' where id = $1`, [id]);
    await service.query(
      `update transactions set statement_descriptor = 'ELM', fee_cents = 80 where payment_link_id = $1`,
      [id],
    );
    await billing.payments.refund({ id }, 2_000);
    const input = { reason: 'duplicate', amountCents: 5_000, evidenceDueBy: null };
    await simulateDisputeOpening({ ...service.scope(), processor: billing.payments.sandbox, ...separately }, id, input);
    await simulateDisputeClosing({ ...service.scope(), processor: service.processor(), ...separately }, id, 'lost');
    clerk = await signIn();
    const text = await page(`/payments/${id}`);
    const facts = text.slice(text.indexOf('<h2>What it was for'), text.indexOf('<h2>Refunds')).match(/<dt>/g);
    expect(facts).to.have.length(12);
    for (const part of ['chart number <bdi>MRN 7', 'settled on June', '“ELM” on the statement', 'Taken back', 'Net'])
      expect(text).to.include(part);
  });

  it('a link that waits is sent, a declined patient is called, and an expired link gets a new one', async () => {
    const patient = { firstName: 'Ada', lastName: 'Waiting', email: 'ada@mail.example', phone: '+12025550143' };
    const link = await billing.payments.link(billing.practice, { patient, locationId: billing.practice.locationId });
    const path = `/links/${link.id}`;
    expect(firstButton(await page(path))).to.deep.equal(['Send by email', `${home}${path}/send`]);
    await clerk.post(`${home}${path}/send`, { language: 'en', sent: '0' });
    expect(firstButton(await page(path))[0]).to.equal('Send again');
    await billing.payments.pay(link, 'card_declined');
    expect(firstButton(await page(path))).to.deep.equal(['Call (202) 555-0143', 'tel:+12025550143']);
    expect((await clerk.get(`${home}${path}`)).text).to.include('>Send again</a>');
    const expired = await createLink(billing.practice.live, { locationId: billing.practice.locationId });
    service.clock.set(new Date(new Date(expired.expiresAt).getTime() + 60_000).toISOString());
    clerk = await signIn();
    expect(firstButton(await page(`/links/${expired.id}`))[0]).to.equal('New link in its place');
  });
});
