import { expect } from 'chai';
import type { Member } from '../../src/console/identity/people/members.ts';
import { simulateDisputeClosing, simulateDisputeOpening } from '../../src/payment-links/api/sandbox-dispute.ts';
import { separately } from '../../src/payment-links/store/change.ts';
import { useService } from '../harness/fixtures.ts';
import { SETTLE_SECONDS } from '../harness/payments.ts';
import { addMember, type ConsoleBrowser, hiddenFields, pagesFrom, signedIn, signedInAs } from './console.ts';
import { type BillingPractice, billingPractice, copyPayment, names, paid } from './payments-setup.ts';

describe('the payments of the console', () => {
  const service = useService();
  let billing: BillingPractice;
  let browser: ConsoleBrowser;
  let limited: ConsoleBrowser;
  let list: string;
  let users: [everywhere: Member, north: Member];

  before(async () => {
    billing = await billingPractice(service);
    const { practice, payments, northId } = billing;
    list = `${billing.path}/payments`;
    await paid(billing, 'Card');
    await paid(billing, 'North', { locationId: northId });
    await paid(billing, 'Returned', { method: 'bank_returns' });
    await paid(billing, 'Settled', { method: 'bank_settles' });
    service.clock.advance({ seconds: SETTLE_SECONDS });
    await payments.sweep();
    await paid(billing, 'Processing', { method: 'bank_settles' });
    const disputed = await paid(billing, 'Disputed');
    const evidenceDueBy = new Date('2030-07-01T12:00:00Z');
    const input = { reason: 'fraudulent', amountCents: disputed.amountCents, evidenceDueBy };
    await simulateDisputeOpening(
      { ...service.scope(), processor: payments.sandbox, ...separately },
      disputed.id,
      input,
    );
    await paid(billing, 'Failing', { method: 'card_refund_fails' });
    const { practiceId } = practice;
    users = [
      await addMember(service, practiceId, 'billing'),
      await addMember(service, practiceId, 'billing', { locationIds: [northId] }),
    ];
  });

  // Tests move the clock, which ends sessions.
  beforeEach(async () => {
    [browser, limited] = [await signedIn(service, users[0]), await signedIn(service, users[1])];
  });

  const listed = async (filter = '', from = browser) => names((await from.get(`${list}?${filter}`)).text);

  it('the list shows the payments newest first, each with its state in words', async () => {
    const { text } = await browser.get(list);
    expect(names(text)).to.deep.equal(['Failing', 'Disputed', 'Processing', 'Settled', 'Returned', 'North', 'Card']);
    const states = [...text.matchAll(/<span class="badge is-\w+">([^<]+)</g)].map(([, state]) => state);
    expect(states).to.deep.equal(['Paid', 'Disputed', 'Processing', 'Paid', 'Returned', 'Paid', 'Paid']);
    expect(text).to.include('<caption>Times: Central (Chicago).</caption>');
  });

  it('the list is filtered by state, method, location and day, and ignores values that are none', async () => {
    expect(await listed('state=paid')).to.deep.equal(['Failing', 'Settled', 'North', 'Card']);
    expect(await listed('state=processing')).to.deep.equal(['Processing']);
    expect(await listed('state=disputed')).to.deep.equal(['Disputed']);
    expect(await listed('state=returned')).to.deep.equal(['Returned']);
    expect(await listed('state=refunded')).to.deep.equal([]);
    expect(await listed('method=us_bank_account&state=paid')).to.deep.equal(['Settled']);
    expect(await listed(`location=${billing.northId}`)).to.deep.equal(['North']);
    expect(await listed('from=2030-06-15&to=2030-06-17')).to.deep.equal(['Settled', 'Returned', 'North', 'Card']);
    for (const nonsense of [
      'state=constructor',
      'method=cash',
      'from=2030-02-30',
      'to=%00',
      'start=1-plink_x',
      'location=loc_unknown',
    ]) {
      expect(await listed(nonsense), nonsense).to.have.length(7);
    }
  });

  it('a person who is limited to locations sees only their payments in the list', async () => {
    expect(await listed('', limited)).to.deep.equal(['North']);
    expect(await listed(`location=${billing.practice.locationId}`, limited)).to.deep.equal(['North']);
    const { text } = await limited.get(list);
    expect(text).to.not.include('Downtown').and.not.include('Evidence due');
  });

  it('a payment with an open dispute or a lost one, or one that was refunded, is found by its state', async () => {
    const all = (await browser.get(list)).text;
    const [, failing = ''] = /payments\/(plink_\w+)" aria-label="Open the payment of Ada Failing,/.exec(all) ?? [];
    await refundAll(browser, `${list}/${failing}`);
    service.clock.advance({ seconds: SETTLE_SECONDS });
    await billing.payments.sweep();
    browser = await signedInAs(service, billing.practice.practiceId, 'billing');
    expect(await listed('state=refunded'), 'a refund that failed is none').to.deep.equal([]);
    await refundAll(browser, `${list}/${failing}`);
    expect(await listed('state=refunded')).to.deep.equal(['Failing']);
    const link = await paid(billing, 'Losing');
    const input = { reason: 'fraudulent', amountCents: link.amountCents, evidenceDueBy: null };
    await simulateDisputeOpening({ ...service.scope(), processor: service.processor(), ...separately }, link.id, input);
    expect(await listed('state=disputed')).to.deep.equal(['Losing', 'Disputed']);
    await simulateDisputeClosing(
      { ...service.scope(), processor: service.processor(), ...separately },
      link.id,
      'lost',
    );
    expect(await listed('state=disputed')).to.deep.equal(['Disputed']);
    expect(await listed('state=dispute_lost')).to.deep.equal(['Losing']);
  });

  it('a rare method is found at once on a long history', async () => {
    const other = await billingPractice(service);
    await paid(other, 'Oldest', { method: 'bank_settles' });
    service.clock.advance({ days: 1 });
    const link = await paid(other, 'Latest');
    await copyPayment(other, link, 5_100);
    const path = `${other.path}/payments`;
    const reader = await signedInAs(service, other.practice.practiceId, 'viewer');
    const read = async (start: string, maxPages: number) => (await pagesFrom(reader, start, maxPages)).map(names);
    expect(await read(`${path}?method=us_bank_account`, 5)).to.deep.equal([['Oldest']]);
    expect(await read(`${path}?state=processing`, 5)).to.deep.equal([['Oldest']]);
  });

  it('the pages of a payment and of its link have the times of its location, the list has those of the practice', async () => {
    const other = await billingPractice(service);
    const { practiceId } = other.practice;
    await service.query(`update locations set time_zone = 'America/New_York' where id = $1`, [other.northId]);
    const link = await paid(other, 'Byron', { locationId: other.northId });
    // 23:30 on June 14 in Chicago.
    await service.query(
      `update payment_links set created_at = '2030-06-15T04:30Z', paid_at = '2030-06-15T04:30Z' where id = $1`,
      [link.id],
    );
    const owner = await signedInAs(service, practiceId, 'owner');
    const text = async (rest: string) => (await owner.get(`${other.path}${rest}`)).text;
    for (const page of [`/payments/${link.id}`, `/links/${link.id}`]) {
      expect(await text(page), page)
        .to.include('June 15, 2030 at 12:30 AM EDT')
        .and.not.include('CDT');
    }
    expect(await text('/payments'))
      .to.include('Jun 14, 2030')
      .and.not.include('Jun 15');
    expect(await text('/links'))
      .to.include('Jun 14, 2030')
      .and.not.include('Jun 15');
    expect(await text('/links?from=2030-06-14&until=2030-06-14')).to.include('Byron');
    expect(await text('/links?from=2030-06-15')).to.not.include('Byron');
    expect(await text('/payments?from=2030-06-14&to=2030-06-14')).to.include('Byron');
    expect(await text('/payments?from=2030-06-15')).to.not.include('Byron');
  });

  it('the page of a payment names the language in which the patient paid', async () => {
    const { id } = await paid(billing, 'Lovelace');
    expect((await browser.get(`${list}/${id}`)).text).to.include('<dd>English</dd>');
  });

  it('the evidence sheet has the dispute, the authorisation, the receipt and the timeline', async () => {
    const link = await paid(billing, 'Sheet', { method: 'bank_settles' });
    service.clock.advance({ seconds: SETTLE_SECONDS });
    await billing.payments.sweep();
    const evidenceDueBy = new Date('2030-08-01T12:00:00Z');
    const input = { reason: 'debit_not_authorized', amountCents: 5_000, evidenceDueBy };
    const { id } = await simulateDisputeOpening(
      { ...service.scope(), processor: billing.payments.sandbox, ...separately },
      link.id,
      input,
    );
    browser = await signedIn(service, users[0]);
    const { status, text } = await browser.get(`${list}/${link.id}/disputes/${id}`);
    expect(status).to.equal(200);
    for (const part of ['The debit was not authorized', '$50.00', 'August 1, 2030', 'I authorise this debit, once.']) {
      expect(text, part).to.include(part);
    }
    expect(text).to.include('203.0.113.7').and.include('Debit submitted to the bank').and.include('Elm Street Dental');
    expect(text).to.not.include('<dt>Fee</dt>');
    const printedAgain = await browser.get(`${list}/${link.id}/disputes/${id}`);
    expect(printedAgain.text, 'the processor does not learn who looked').to.not.include('Viewed');
    const foreign = await browser.get(`${list}/${link.id}/disputes/dp_unknown`);
    expect(foreign.status).to.equal(404);
  });
});

/** Refunds a payment in full, as a person does. */
async function refundAll(browser: ConsoleBrowser, path: string): Promise<void> {
  const form = hiddenFields((await browser.post(`${path}/refund`, { choice: 'all' })).text);
  const done = await browser.post(`${path}/refund/confirm`, { ...form, confirmed: 'on' });
  expect(done.location).to.equal(`${path}?done=refunded`);
}
