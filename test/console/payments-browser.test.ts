import { expect } from 'chai';
import type { User } from '../../src/console/people/users.ts';
import { openDispute } from '../../src/payment-links/dispute/apply-dispute.ts';
import { createRefund } from '../../src/payment-links/refund/create-refund.ts';
import type { TestService } from '../harness/service.ts';
import { doubleClick, type VisitOptions } from '../pages/fixtures/browser.ts';
import { checkPage, checkPresent } from './axe.ts';
import { addUser } from './console.ts';
import { type BillingPractice, billingPractice, paid } from './payments-setup.ts';
import { useSite } from './site.ts';

describe('payments of the console in a browser', function () {
  this.timeout(120_000);
  const site = useSite();
  let service: TestService;
  let billing: BillingPractice;
  let user: User;

  before(async () => {
    service = site.service;
    billing = await billingPractice(service);
    user = await addUser(service, billing.practice.practiceId, 'billing', { email: 'bea@elm.example' });
  });

  const open = (options?: VisitOptions) => site.open(user, options);

  it('the empty list says how payments come about', async () => {
    const page = await open();
    await checkPage(page, 'payments-empty', `${billing.path}/payments`);
    await page.goto(`${billing.path}/payments?lang=en`);
    await page.getByRole('heading', { name: 'No payment yet' }).waitFor();
  });

  it('a person pays a test card on the hosted page, and billing refunds a part, which the timeline shows', async () => {
    const link = await billing.payments.link(billing.practice, { locationId: billing.practice.locationId });
    const page = await open();
    await page.goto(`/pay/${link.token}`);
    await page.getByRole('button', { name: /^Pay/ }).click();
    await page.getByRole('heading', { level: 1, name: 'Thank you, your payment was received' }).waitFor();
    await page.goto(`/console/${billing.practice.practiceId}?lang=en`);
    await page.getByRole('link', { name: 'Payments' }).click();
    await page.getByRole('link', { name: 'Open the payment of Ada Byron, $125.50' }).click();
    await page.getByRole('link', { name: 'Refund' }).click();
    await page.getByText('$125.50 can still be refunded.').waitFor();
    await page.getByLabel('A part').check();
    await page.getByLabel('Amount of the part, in dollars').fill('200');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('At most $125.50 can be refunded.').waitFor();
    await checkPresent(page, 'payments-refund-refused');
    await page.getByLabel('Amount of the part, in dollars').fill('25.50');
    await page.getByLabel('Reason (optional)').fill('Insurance paid');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('You are about to refund $25.50.').waitFor();
    await checkPresent(page, 'payments-refund-confirm');
    await page.getByLabel('Yes, refund this amount').check();
    await doubleClick(page.getByRole('button', { name: 'Refund now' }));
    await page.getByText('The refund is recorded.').waitFor();
    const entry = page.getByRole('listitem').filter({ hasText: 'Refund requested' });
    expect(await entry.textContent()).to.match(/\$25\.50 · Refunded[\s\S]*by bea@elm\.example/);
    expect(await entry.count()).to.equal(1);
  });

  describe('with every kind of payment', () => {
    let screens: [name: string, path: string][];

    before(async () => {
      const { northId, path } = billing;
      const disputed = await paid(billing, 'Lovelace-von-und-zu-Hohenstein', { description: 'Crown '.repeat(20) });
      const evidenceDueBy = new Date('2030-07-01T12:00:00Z');
      const input = { reason: 'fraudulent', amountCents: disputed.amountCents, evidenceDueBy };
      const dispute = await openDispute(service.scope(), disputed.id, input);
      const debit = await paid(billing, 'Debit', { method: 'bank_returns', locationId: northId });
      const refunded = await paid(billing, 'Refunded');
      await createRefund(service.scope(), service.processor(), refunded.id, 2_500, null);
      const list = `${path}/payments`;
      screens = [
        ['list', list],
        ['payment', `${list}/${refunded.id}?done=refunded`],
        ['debit', `${list}/${debit.id}`],
        ['disputed', `${list}/${disputed.id}`],
        ['evidence', `${list}/${disputed.id}/disputes/${dispute.id}`],
        ['refund', `${list}/${disputed.id}/refund`],
        ['nothing-to-refund', `${list}/${debit.id}/refund`],
        ['reconciliation', `${path}/reconciliation`],
        ['reconciliation-empty', `${path.replace('/live', '/test')}/reconciliation?from=x&to=y`],
      ];
    });

    it('every screen of payments passes axe and fits in both languages, widths and color schemes', async () => {
      const page = await open();
      for (const [name, path] of screens) await checkPage(page, `payments-${name}`, path);
    });

    it('the printed evidence sheet has none of the console around it, and its button prints', async () => {
      const page = await open();
      await page.goto(`${billing.path}/payments?state=disputed&lang=en`);
      await page.getByRole('link', { name: /^Open the payment of Ada Lovelace/ }).click();
      await page.getByRole('link', { name: 'Evidence sheet' }).click();
      const print = page.getByRole('button', { name: 'Print' });
      await print.waitFor();
      await page.evaluate('window.print = () => { document.title = "printed"; }');
      await print.click();
      expect(await page.title()).to.equal('printed');
      await page.emulateMedia({ media: 'print' });
      for (const selector of ['.site-header', '.menu', '.account', '.mode-live', '.no-print']) {
        expect(await page.locator(selector).isVisible(), selector).to.equal(false);
      }
      expect(await page.getByText('Authorisation').first().isVisible()).to.equal(true);
      await checkPresent(page, 'evidence-printed');
    });
  });

  it('the list, its filter and a refund work without JavaScript', async () => {
    await paid(billing, 'Scriptless');
    const page = await open({ javaScript: false, width: 320 });
    await page.goto(`${billing.path}/payments?lang=en`);
    await page.getByLabel('State').selectOption('paid');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByRole('link', { name: 'Open the payment of Ada Scriptless, $125.50' }).click();
    await page.getByRole('link', { name: 'Refund' }).click();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByLabel('Yes, refund this amount').check();
    await page.getByRole('button', { name: 'Refund now' }).click();
    await page.getByText('The refund is recorded.').waitFor();
  });
});
