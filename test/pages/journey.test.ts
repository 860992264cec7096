import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { createLink, type TestPractice, TestService } from '../harness/service.ts';
import { sharedBrowser, type Visit, visit } from './fixtures/browser.ts';

describe('patients, from the link to the receipt', function () {
  this.timeout(180_000);
  let service: TestService;
  let practice: TestPractice;
  let browser: Browser;
  let now: Visit;

  before(async () => {
    [browser, service] = await Promise.all([sharedBrowser(), TestService.start()]);
    practice = await service.practice();
  });

  after(() => service?.close());

  afterEach(async () => {
    await now?.close();
    expect([now?.foreign, now?.faults]).to.deep.equal([[], []]);
  });

  /** Opens the page of a new link. */
  const open = async (mode: 'live' | 'test' = 'live') => {
    const link = await createLink(practice[mode]);
    now = await visit(browser, service.baseUrl, { width: 390 });
    await now.page.goto(new URL(link.url).pathname);
    const status = async () => (await practice[mode].get(`/api/v1/payment-links/${link.id}`)).body;
    return { page: now.page, link, status };
  };

  const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor();
  const pay = (page: Page) => page.getByRole('button', { name: 'Pay $125.50' }).click();

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
});
