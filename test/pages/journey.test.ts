import { expect } from 'chai';
import type { Page } from 'playwright-core';
import type { Processor } from '../../src/processors/processor.ts';
import { createSandbox } from '../../src/processors/sandbox.ts';
import { madeOnce, useService } from '../harness/fixtures.ts';
import { Gate } from '../harness/gate.ts';
import { Payments } from '../harness/payments.ts';
import { until } from '../harness/processes.ts';
import { createLink, type TestService } from '../harness/service.ts';
import { heading, tabTo, useVisits } from './fixtures/browser.ts';

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
    await page.goto(new URL(page.url()).pathname);
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
    await second.getByRole('heading', { level: 2, name: 'This was already paid' }).waitFor();
    expect(await payments.charges(link)).to.equal(1);
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
