import { expect } from 'chai';
import type { Member } from '../../src/console/identity/people/members.ts';
import { simulateDisputeClosing, simulateDisputeOpening } from '../../src/payment-links/api/sandbox-dispute.ts';
import { separately } from '../../src/payment-links/store/change.ts';
import { newId } from '../../src/platform/base/ids.ts';
import { inTransaction } from '../../src/platform/database/query/transaction.ts';
import { audit, auditView, VIEWED } from '../../src/practices/audit/audit.ts';
import { useService } from '../harness/fixtures.ts';
import { SETTLE_SECONDS } from '../harness/payments.ts';
import {
  addMember,
  type ConsoleBrowser,
  expectRefused,
  growOld,
  hiddenFields,
  signedIn,
  signedInAs,
} from './console.ts';
import { type BillingPractice, billingPractice, names, paid } from './payments-setup.ts';

describe('refunds in the console', () => {
  const service = useService();
  let billing: BillingPractice;
  let user: Member;
  let browser: ConsoleBrowser;

  before(async () => {
    billing = await billingPractice(service);
    user = await addMember(service, billing.practice.practiceId, 'billing', { email: 'bea@elm.example' });
  });

  beforeEach(async () => {
    browser = await signedIn(service, user);
  });

  const pathOf = (id: string) => `${billing.path}/payments/${id}`;
  const refundsOf = (id: string) =>
    service.query<{ cents: number; status: string; reason: string | null }>(
      'select amount_cents as cents, status, reason from refunds where payment_link_id = $1 order by id',
      [id],
    );
  /** Fills the form of a refund and returns the fields of the page that asks to confirm it. */
  const review = async (id: string, fields: Record<string, string>) => {
    const { status, text } = await browser.post(`${pathOf(id)}/refund`, fields);
    return { status, text, form: hiddenFields(text) };
  };
  const confirm = (id: string, form: Record<string, string>) =>
    browser.post(`${pathOf(id)}/refund/confirm`, { ...form, confirmed: 'on' });

  it('while a dispute is open, pages warn; what a lost one took cannot be refunded, and pages and form say so', async () => {
    const { id } = await paid(billing, 'Lost', { amount: 100 });
    const dispute = { reason: 'fraudulent', amountCents: 6_000, evidenceDueBy: null };
    await simulateDisputeOpening(
      { ...service.scope(), processor: billing.payments.sandbox, ...separately },
      id,
      dispute,
    );
    const warning = 'If you refund now and lose it, you pay twice.';
    for (const path of [pathOf(id), `${pathOf(id)}/refund`]) expect((await browser.get(path)).text).to.include(warning);
    const form = (await review(id, { choice: 'all' })).form;
    await simulateDisputeClosing(
      { ...service.scope(), processor: billing.payments.sandbox, ...separately },
      id,
      'lost',
    );
    const taken = 'The patient’s bank took $60.00 of this payment back, so at most $40.00 can be refunded.';
    expect((await confirm(id, form)).text, 'a form that was shown before').to.include(taken);
    expect((await review(id, { choice: 'part', amount: '40.01' })).text).to.include(taken);
    expect(await refundsOf(id)).to.deep.equal([]);
    const page = (await browser.get(pathOf(id))).text;
    expect(page).to.match(/<dt>Taken back<\/dt><dd>\$60\.00<[\s\S]*\$40\.00 can still be refunded/);
    expect(page)
      .to.match(/<dt>Net<\/dt><dd>\$36\.80<\/dd>/)
      .and.not.include(warning);
    await confirm(id, (await review(id, { choice: 'all' })).form);
    expect((await refundsOf(id)).map(({ cents }) => cents)).to.deep.equal([4_000]);
    const after = (await browser.get(pathOf(id))).text;
    expect(after)
      .to.include('Dispute lost')
      .and.not.match(/can still be refunded|\/refund"/);
    expect((await browser.get(`${pathOf(id)}/refund`)).text).to.include('so at most $0.00 can be refunded');
  });

  it('a refund in part is confirmed first, and page and audit log then have it with the one who made it and what is left', async () => {
    const { id } = await paid(billing, 'Part', { description: 'Crown', externalReference: 'INV-7' });
    const first = (await browser.get(`${pathOf(id)}/refund`)).text;
    const facts = [...first.matchAll(/<dt>([^<]+)<\/dt><dd[^>]*>(?:<bdi>)?([^<]+)/g)].map(([, ...fact]) =>
      fact.join(': '),
    );
    expect(facts.slice(0, 3)).to.deep.equal(['Patient: Ada Part', 'For: Crown', 'Reference: INV-7']);
    expect(facts).to.include('Method: Visa ending in 4242').and.include('Amount: $125.50');
    expect(facts.find((fact) => fact.startsWith('Paid: '))).to.match(/June \d+, 2030/);
    expect(first).to.include('Of the $125.50 paid, $125.50 can still be refunded.');
    const { status, text, form } = await review(id, { choice: 'part', amount: '25', reason: 'Overpaid' });
    expect([status, text.includes('You are about to refund $25.00.')]).to.deep.equal([200, true]);
    expect(text).to.include('$100.50 is left after that.').and.include('Ada Part').and.include('INV-7');
    expect(await refundsOf(id)).to.deep.equal([]);
    expect((await confirm(id, form)).location).to.equal(`${pathOf(id)}?done=refunded`);
    expect(await refundsOf(id)).to.deep.equal([{ cents: 2_500, status: 'succeeded', reason: 'Overpaid' }]);
    const acts = await service.query(
      `select actor_id, address, before, after from audit_log where target_id = $1 and action = 'payment.refunded'`,
      [id],
    );
    const after = { refundable: '100.50', refundId: form.refund };
    expect(acts, 'the audit log has no reason').to.deep.equal([
      { actor_id: user.personId, address: '127.0.0.1', before: { refundable: '125.50' }, after },
    ]);
    const page = (await browser.get(`${pathOf(id)}?done=refunded`)).text;
    expect(page).to.include('The refund is recorded.').and.include('Partly refunded');
    const refunded = await browser.get(`${billing.path}/payments?state=partly_refunded`);
    expect(names(refunded.text)).to.deep.equal(['Part']);
    expect(page).to.include('$100.50 can still be refunded.');
    const [, timeline = ''] = /<ol class="timeline">([\s\S]*?)<\/ol>/.exec(page) ?? [];
    const steps = [...timeline.matchAll(/<strong>([^<]+)<[\s\S]*?by <bdi>([^<]+)<\/bdi>( · from [\d.]+)?/g)];
    const shown = steps.map(([, what, who = '', from = '']) => `${what}: ${who.replace(/…[\w-]+/, 'KEY')}${from}`);
    expect(shown).to.deep.equal([
      'Link created: API key KEY · from 127.0.0.1',
      'Payment submitted: the patient · from 203.0.113.7',
      'Paid: the payment processor',
      'Refund requested: bea@elm.example · from 127.0.0.1',
    ]);
  });

  it('a refund form that is sent twice, even at the same time, refunds once and gets the same answer', async () => {
    const { id } = await paid(billing, 'Twice');
    const { form } = await review(id, { choice: 'part', amount: '40.00' });
    const answers = await Promise.all([confirm(id, form), confirm(id, form), confirm(id, form)]);
    answers.push(await confirm(id, form), await confirm(id, { ...form, amount: '50.00' }));
    expect(new Set(answers.map(({ location }) => location))).to.deep.equal(new Set([`${pathOf(id)}?done=refunded`]));
    expect((await refundsOf(id)).map(({ cents }) => cents)).to.deep.equal([4_000]);
    const again = await review(id, { choice: 'part', amount: '40.00' });
    await confirm(id, again.form);
    expect((await refundsOf(id)).map(({ cents }) => cents)).to.deep.equal([4_000, 4_000]);
  });

  it('the timeline of a payment has the acts of people in words, and views push none of them out of it', async () => {
    const { id } = await paid(billing, 'Viewed');
    const { form } = await review(id, { choice: 'part', amount: '25' });
    await confirm(id, form);
    const act = { practiceId: billing.practice.practiceId, target: { kind: 'payment_link', id } };
    await inTransaction(service.scope(), async (scope) => {
      audit(scope, { kind: 'person', id: user.personId, address: '192.0.2.7' }, { ...act, action: 'link.changed' });
    });
    for (let number = 0; number < 100; number++) {
      const viewer = { kind: 'person' as const, id: `pers_${number}`, address: null };
      await auditView(service.scope(), viewer, { ...act, action: VIEWED.payment });
    }
    const { text } = await browser.get(pathOf(id));
    const [, timeline = ''] = /<ol class="timeline">([\s\S]*?)<\/ol>/.exec(text) ?? [];
    expect(timeline).to.match(/Link created[\s\S]*API key[\s\S]*Refund requested[\s\S]*bea@elm\.example/);
    expect(timeline).to.match(/Changed a payment link<[\s\S]*by <bdi>bea@elm\.example<[\s\S]*192\.0\.2\.7/);
    expect(text.match(/Link created/g)).to.have.length(1);
    expect(timeline).to.not.include('Viewed');
    const link = await browser.get(`${billing.path}/links/${id}`);
    expect(link.text).to.not.include('Viewed a payment');
    expect((await browser.get(`${billing.path}/links/${id}`)).text).to.not.include('Viewed a');
  });

  it('a refund that is not possible is refused in words, and the form keeps what was typed', async () => {
    const { id } = await paid(billing, 'Refused');
    for (const [amount, words] of [
      ['', 'Enter an amount such as 25.00'],
      ['zero', 'Enter an amount such as 25.00'],
      ['0', 'Enter an amount such as 25.00'],
      ['-5', 'Enter an amount such as 25.00'],
      ['1.005', 'Enter an amount such as 25.00'],
      ['1e2', 'Enter an amount such as 25.00'],
      ['125.51', 'At most $125.50 can be refunded.'],
    ] as const) {
      const { text } = await expectRefused(review(id, { choice: 'part', amount, reason: 'Why "not"' }), words, amount);
      expect(text).to.include(`value="${amount}"`).and.include('value="Why &quot;not&quot;"');
    }
    await expectRefused(review(id, { choice: 'all', amount: '25' }), 'Choose one of the two.');
    await expectRefused(review(id, { choice: 'all', reason: 'x'.repeat(501) }), 'at most 500 characters');
    for (const mark of ['\u202e', '\u2067', '\u0007', '\n']) {
      await expectRefused(
        review(id, { choice: 'all', reason: `Over${mark}paid` }),
        'at most 500 characters',
        JSON.stringify(mark),
      );
    }
    const processing = await paid(billing, 'Processing', { method: 'bank_settles' });
    await expectRefused(review(processing.id, { choice: 'all' }), 'Not settled');
    expect(await refundsOf(id)).to.deep.equal([]);
  });

  it('a forged or outdated confirmation refunds nothing', async () => {
    const { id } = await paid(billing, 'Forged');
    const other = await paid(billing, 'Other');
    const { form } = await review(id, { choice: 'all' });
    for (const forged of [
      { ...form, amount: '125.51' },
      { ...form, amount: '-0.01' },
      { ...form, amount: '0.015' },
      { ...form, refund: 're_1' },
      { ...form, refund: '' },
    ]) {
      expect((await confirm(id, forged)).status, JSON.stringify(forged)).to.equal(422);
    }
    await confirm(id, form);
    // The id of another payment's refund.
    await expectRefused(confirm(other.id, form), 'This form was used');
    expect(await refundsOf(other.id)).to.deep.equal([]);
    const nothingLeft = await confirm(id, { ...form, refund: newId('refund', service.clock.now()) });
    expect(nothingLeft.status).to.equal(422);
    expect((await refundsOf(id)).map(({ cents }) => cents)).to.deep.equal([12_550]);
  });

  const formOf = (cents: number) => ({
    ...{ refund: newId('refund', service.clock.now()), amount: (cents / 100).toFixed(2), reason: '' },
  });

  it('refunds of a person above 500 dollars within an hour need a fresh sign-in, over any number of payments', async () => {
    service.clock.advance({ hours: 1 });
    browser = await signedIn(service, user);
    const links = [await paid(billing, 'Large', { amount: 900 }), await paid(billing, 'Second', { amount: 900 })];
    const [one, other] = [links[0]?.id ?? '', links[1]?.id ?? ''];
    const { form } = await review(one, { choice: 'part', amount: '499.99' });
    await growOld(service, browser);
    expect((await confirm(one, form)).status).to.equal(303);
    expect((await confirm(one, formOf(1))).status, '500 dollars in sum').to.equal(303);
    for (const id of [one, other]) {
      await expectRefused(
        review(id, { choice: 'part', amount: '0.01' }),
        'Confirm that it is you',
        'Confirm that it is you',
        403,
      );
      expect((await confirm(id, formOf(1))).status).to.equal(403);
    }
    const colleagues = await signedInAs(service, billing.practice.practiceId, 'billing');
    await growOld(service, colleagues);
    const theirs = await colleagues.post(`${pathOf(one)}/refund/confirm`, { ...formOf(100), confirmed: 'on' });
    expect(theirs.status, 'refunds of another person do not count').to.equal(303);
    service.clock.advance({ minutes: 45 });
    browser = await signedIn(service, user);
    await growOld(service, browser);
    expect((await confirm(other, formOf(49_999))).status, 'after an hour').to.equal(303);
    browser = await signedIn(service, user);
    expect((await confirm(other, (await review(other, { choice: 'all' })).form)).status).to.equal(303);
    expect((await refundsOf(other)).map(({ cents }) => cents)).to.deep.equal([49_999, 40_001]);
  });

  it('refunds that one person sends at once, of several payments, pass the limit no further than one by one', async () => {
    service.clock.advance({ hours: 1 });
    browser = await signedIn(service, user);
    const links = [];
    for (let number = 0; number < 3; number++) links.push(await paid(billing, `Parallel ${number}`, { amount: 900 }));
    await growOld(service, browser);
    const other = await service.session();
    await other.query('begin');
    await other.query('select from people where id = $1 for update', [user.personId]);
    const sent = links.map(({ id }) => confirm(id, formOf(30_000)));
    // Two have locked their links before one of them is recorded. Both would be more than the limit.
    await service.untilWaiting(2);
    await other.query('commit');
    const statuses = (await Promise.all(sent)).map(({ status }) => status).toSorted();
    expect(statuses.slice(0, 2)).to.deep.equal([303, 403]);
    // On a busy machine, a refund may wait too long for the lock.
    expect([403, 503]).to.include(statuses[2]);
    const refunds = await Promise.all(links.map(({ id }) => refundsOf(id)));
    expect(refunds.flat().map(({ cents }) => cents)).to.deep.equal([30_000]);
  });

  it('a debit that settled is refunded in full, and a refund without an answer of the processor is on its way', async () => {
    const { id } = await paid(billing, 'Debit', { method: 'bank_settles' });
    const later = await paid(billing, 'Later', { method: 'card_refund_later' });
    service.clock.advance({ seconds: SETTLE_SECONDS });
    await billing.payments.sweep();
    browser = await signedIn(service, user);
    await confirm(id, (await review(id, { choice: 'all' })).form);
    await confirm(later.id, (await review(later.id, { choice: 'all' })).form);
    const debit = (await browser.get(pathOf(id))).text;
    expect(debit)
      .to.include('settled on')
      .and.match(/<p><span class="badge is-refunded">Refunded/);
    expect(debit).to.not.include('/refund"');
    expect((await browser.get(pathOf(later.id))).text).to.match(/<td[^>]*>On its way<\/td>/);
  });
});
