import { expect } from 'chai';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { inTransaction } from '../../src/platform/database/query/transaction.ts';
import { setLogo } from '../../src/practices/logo.ts';
import type { Processor } from '../../src/processors/processor.ts';
import { createSandbox } from '../../src/processors/sandbox.ts';
import { madeOnce, useService } from '../harness/fixtures.ts';
import { Gate } from '../harness/gate.ts';
import { Payments } from '../harness/payments.ts';
import { until } from '../harness/processes.ts';
import { createLink, type TestService } from '../harness/service.ts';
import { heading, screenshot, tabTo, useVisits } from './fixtures/browser.ts';

describe('patients, from the link to the receipt', () => {
  const gate = new Gate();
  const visits = useVisits();
  const sandbox = createSandbox({ newScope: () => service.scope(), settleSeconds: 3600 });
  const confirm: Processor['confirm'] = async (...call) => {
    await gate.pass();
    return sandbox.confirm(...call);
  };
  const service: TestService = useService({ processor: { ...sandbox, confirm } });
  const practice = madeOnce(() => service.practice());
  const payments = new Payments(service);

  afterEach(() => gate.open());

  /** Opens the page of a new link. */
  const open = async () => {
    const link = await createLink(practice.live);
    const path = new URL(link.url).pathname;
    const page = await visits.open(service.baseUrl, path, { width: 390 });
    const status = async () => (await practice.live.get(`/api/v1/payment-links/${link.id}`)).body;
    return { page, path, link, status };
  };

  const pay = (page: Page) => page.getByRole('button', { name: 'Pay $125.50' }).click();

  /** Presses the button, and returns while the processor has not answered. */
  async function pressAndWait(page: Page): Promise<void> {
    gate.close();
    await page.getByRole('button', { name: 'Pay $125.50' }).click({ noWaitAfter: true });
    await gate.reached();
  }

  it('a patient who is declined tries again and gets a receipt', async () => {
    const { page, status } = await open();
    await page.getByLabel('Visa 9995: not enough money').check();
    await pay(page);
    await page.getByText('There was not enough money in the account.').waitFor();
    expect(await status()).to.include({ status: 'active', transaction: null });
    await pay(page);
    await heading(page, 'Thank you, your payment was received');
    await page.getByText('Visa ending in 4242').waitFor();
    expect((await status()).transaction).to.include({ status: 'succeeded', amount: 125.5, paymentMethodLast4: '4242' });
    const { href } = new URL(page.url());
    await page.reload();
    await heading(page, 'This has already been paid');
    // Without scripts, the address says “just paid” for an hour.
    const thanks = `${href.replace(/\?.*/, '')}?result=paid`;
    await page.goto(thanks);
    await heading(page, 'Thank you, your payment was received');
    service.clock.advance({ hours: 1 });
    await page.goto(thanks);
    await heading(page, 'This has already been paid');
  });

  it('a patient who reloads during a payment is charged once and sees its progress, then its outcome', async () => {
    const { page, path, link } = await open();
    await pressAndWait(page);
    await page.goto(path);
    await heading(page, 'Your payment is in progress');
    await page.getByRole('button', { name: 'Check again' }).click();
    await heading(page, 'Your payment is in progress');
    gate.open();
    await expectPaid(page);
    expect(await payments.charges(link)).to.equal(1);
  });

  it('a patient who goes back to the form after the payment sees that it is paid', async () => {
    const { page, link } = await open();
    await pay(page);
    await heading(page, 'Thank you, your payment was received');
    await page.goBack();
    await heading(page, 'This has already been paid');
    await page.goForward();
    await page.getByText('Visa ending in 4242').waitFor();
    expect(await payments.charges(link)).to.equal(1);
  });

  it('a patient who pays in two windows is charged once, and the second window shows progress, then the outcome', async () => {
    const { page, path, link } = await open();
    const second = await page.context().newPage();
    await second.goto(path);
    await pressAndWait(page);
    await pay(second);
    await heading(second, 'Your payment is in progress');
    await second.getByRole('heading', { level: 2, name: 'A payment is already under way' }).waitFor();
    gate.open();
    await heading(page, 'Thank you, your payment was received');
    await second.reload();
    await heading(second, 'This has already been paid');
    await second.getByRole('heading', { level: 2, name: 'You have not paid twice' }).waitFor();
    expect(await payments.charges(link)).to.equal(1);
  });

  it('a receipt prints on one sheet with the logo and the address of the practice', async () => {
    const bytes = await sharp({ create: { width: 480, height: 160, channels: 3, background: '#0b4f6c' } })
      .png()
      .toBuffer();
    const { practiceId, locationId, live } = await service.practice();
    await inTransaction(service.scope(), (scope) => setLogo(scope, practiceId, { bytes, width: 480, height: 160 }));
    const address = '100 Elm Street\nSuite 2\nSpringfield, IL 62701';
    await service.query('update practices set postal_address = $2 where id = $1', [practiceId, address]);
    const description = 'Crown, balance after insurance. '.repeat(15).trim();
    const link = await payments.link({ practiceId, locationId, live, test: practice.test }, { description });
    await payments.pay(link, 'card_success');
    const page = await visits.open(service.baseUrl, `/pay/${link.token}`);
    const sheet = await page.pdf({ format: 'Letter' });
    expect(sheet.toString('latin1').match(/\/Type\s*\/Page\b/g)).to.have.length(1);
    await page.emulateMedia({ media: 'print' });
    await page.setViewportSize({ width: 700, height: 960 });
    const { naturalWidth } = await page.locator('.logo img').evaluate(({ naturalWidth }) => ({ naturalWidth }));
    expect(naturalWidth).to.equal(480);
    for (const text of [address, description, 'Visa ending in 4242']) {
      expect(await page.getByText(text, { exact: true }).isVisible(), text).to.equal(true);
    }
    await screenshot(page, 'print-receipt-with-logo');
  });

  it('a confirmation with the bank needs only the keyboard, also after a refusal', async () => {
    const { page } = await open();
    for (const decision of ['refuse', 'approve']) {
      await tabTo(page, '[name="card_method"]');
      for (let choice = 0; choice < 5 && !(await page.locator('#card_challenge').isChecked()); choice++) {
        await page.keyboard.press('ArrowDown');
      }
      await tabTo(page, 'button.primary');
      await page.keyboard.press('Enter');
      await heading(page, 'Confirm your payment');
      await tabTo(page, `button[value="${decision}"]`);
      await page.keyboard.press('Enter');
      if (decision === 'refuse') await page.getByText('The payment was not confirmed with your bank.').waitFor();
      else await heading(page, 'Thank you, your payment was received');
    }
  });

  /** Waits for the receipt, which follows the processor's answer. */
  async function expectPaid(page: Page): Promise<void> {
    const looksPaid = async () => {
      await page.goto(new URL(page.url()).pathname);
      return page.getByText('Visa ending in 4242').isVisible();
    };
    await until(looksPaid, () => 'the page does not become the receipt');
  }
});
