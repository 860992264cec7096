import { expect } from 'chai';
import type { Page } from 'playwright-core';
import type { Processor } from '../../src/processors/processor.ts';
import { createSandbox } from '../../src/processors/sandbox.ts';
import { Gate } from '../harness/gate.ts';
import { until } from '../harness/processes.ts';
import { createLink, type TestPractice, TestService } from '../harness/service.ts';
import { heading, tabTo, useVisits } from './fixtures/browser.ts';

describe('patients, from the link to the receipt', function () {
  this.timeout(180_000);
  const gate = new Gate();
  const visits = useVisits();
  let service: TestService;
  let gated: TestService;
  let practice: TestPractice;

  before(async () => {
    service = await TestService.start();
    practice = await service.practice();
    const sandbox = createSandbox({ newScope: () => service.scope(), settleSeconds: 3600 });
    const processor: Processor = {
      ...sandbox,
      confirm: async (...call) => {
        await gate.pass();
        return sandbox.confirm(...call);
      },
    };
    gated = await TestService.start({ beside: service, processor });
  });

  after(async () => {
    await gated?.close();
    await service?.close();
  });

  afterEach(() => gate.open());

  /** Opens the page of a new link. */
  const open = async (mode: 'live' | 'test' = 'live') => {
    const link = await createLink(practice[mode]);
    const path = new URL(link.url).pathname;
    const page = await visits.open(gated.baseUrl, path, { width: 390 });
    const status = async () => (await practice[mode].get(`/api/v1/payment-links/${link.id}`)).body;
    return { page, path, link, status };
  };

  const pay = (page: Page) => page.getByRole('button', { name: 'Pay $125.50' }).click();

  /** Presses the button, and returns while the processor has not answered. */
  async function pressAndWait(page: Page): Promise<void> {
    gate.close();
    await page.getByRole('button', { name: 'Pay $125.50' }).click({ noWaitAfter: true });
    await gate.reached();
  }

  async function charges(id: string): Promise<number> {
    const taken = await service.query(
      `select 1 from sandbox.payments p join payment_attempts a on a.id = p.attempt
       where a.payment_link_id = $1 and p.state in ('succeeded', 'processing')`,
      [id],
    );
    return taken.length;
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

  it('a patient can refuse and later confirm at the bank', async () => {
    const { page, status } = await open();
    await page.getByLabel('Visa 3220: asks for confirmation').check();
    await pay(page);
    await page.getByRole('button', { name: 'Refuse the test payment' }).click();
    await page.getByText('The payment was not confirmed with your bank.').waitFor();
    await page.getByLabel('Visa 3220: asks for confirmation').check();
    await pay(page);
    await page.getByRole('button', { name: 'Approve the test payment' }).click();
    await heading(page, 'Thank you, your payment was received');
    expect(await status()).to.include({ status: 'paid' });
  });

  it('a patient authorises a bank debit', async () => {
    const { page, status } = await open();
    await page.getByLabel('US bank account', { exact: true }).check();
    await pay(page);
    await heading(page, 'Your bank payment is on its way');
    expect(await status()).to.have.property('status', 'paid');
    expect((await status()).transaction).to.include({ status: 'pending', paymentMethodType: 'us_bank_account' });
  });

  it('a page is throttled after five declines, and a cancelled link says so', async () => {
    const { page, link } = await open();
    for (let attempt = 0; attempt < 5; attempt++) {
      await page.getByLabel('Visa 0002: is declined').check();
      await pay(page);
      await page.getByText('The bank declined the card.').or(page.getByText('Too many attempts')).waitFor();
    }
    await heading(page, 'Too many attempts');
    await practice.live.post(`/api/v1/payment-links/${link.id}/cancel`);
    await page.reload();
    await heading(page, 'This payment link was cancelled');
  });

  it('a developer simulates an outcome of a test link', async () => {
    const { page, status } = await open('test');
    await page.getByRole('button', { name: 'Bank debit returned' }).click();
    await heading(page, 'Test bank debit returned');
    expect(await status()).to.include({ status: 'paid', transaction: null });
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
    expect(await charges(link.id)).to.equal(1);
  });

  it('a patient who goes back and forward during a payment is charged once', async () => {
    const { page, path, link: other } = await open();
    const link = await createLink(practice.live);
    await page.goto(new URL(link.url).pathname);
    await pressAndWait(page);
    await walk(page, -1);
    await page.waitForURL(`**${path}`);
    await walk(page, 1);
    await heading(page, 'Your payment is in progress');
    gate.open();
    await expectPaid(page);
    expect([await charges(link.id), await charges(other.id)]).to.deep.equal([1, 0]);
  });

  it('a patient who goes back to the form after the payment sees that it is paid', async () => {
    const { page, link } = await open();
    await pay(page);
    await heading(page, 'Thank you, your payment was received');
    await page.goBack();
    await heading(page, 'This has already been paid');
    await page.goForward();
    await page.getByText('Visa ending in 4242').waitFor();
    expect(await charges(link.id)).to.equal(1);
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
    expect(await charges(link.id)).to.equal(1);
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

/** Presses the browser's button back or forward, which works while a page loads. */
async function walk(page: Page, steps: number): Promise<void> {
  const browser = await page.context().newCDPSession(page);
  const { entries, currentIndex } = await browser.send('Page.getNavigationHistory');
  const entry = entries[currentIndex + steps];
  if (entry === undefined) throw new Error('there is no such page');
  await browser.send('Page.navigateToHistoryEntry', { entryId: entry.id });
}
