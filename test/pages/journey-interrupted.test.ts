import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import type { Processor } from '../../src/processors/processor.ts';
import { createSandbox } from '../../src/processors/sandbox.ts';
import { Gate } from '../harness/gate.ts';
import { until } from '../harness/processes.ts';
import { createLink, type TestPractice, TestService } from '../harness/service.ts';
import { sharedBrowser, type Visit, visit } from './fixtures/browser.ts';

describe('patients who interrupt a payment or use the keyboard', function () {
  this.timeout(180_000);
  const gate = new Gate();
  let service: TestService;
  let gated: TestService;
  let practice: TestPractice;
  let browser: Browser;
  let now: Visit;

  before(async () => {
    [browser, service] = await Promise.all([sharedBrowser(), TestService.start()]);
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

  afterEach(async () => {
    gate.open();
    await now?.close();
    expect([now?.foreign, now?.faults]).to.deep.equal([[], []]);
  });

  async function open() {
    const link = await createLink(practice.live);
    now = await visit(browser, gated.baseUrl, { width: 390 });
    const path = new URL(link.url).pathname;
    await now.page.goto(path);
    return { page: now.page, path, id: link.id };
  }

  const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor();

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

  it('a patient who reloads during a payment is charged once and sees its progress, then its outcome', async () => {
    const { page, path, id } = await open();
    await pressAndWait(page);
    await page.goto(path);
    await heading(page, 'Your payment is in progress');
    await page.getByRole('button', { name: 'Check again' }).click();
    await heading(page, 'Your payment is in progress');
    gate.open();
    await expectPaid(page);
    expect(await charges(id)).to.equal(1);
  });

  it('a patient who goes back and forward during a payment is charged once', async () => {
    const link = await createLink(practice.live);
    now = await visit(browser, gated.baseUrl, { width: 390 });
    const { page } = now;
    const other = await createLink(practice.live);
    await page.goto(new URL(other.url).pathname);
    await page.goto(new URL(link.url).pathname);
    await pressAndWait(page);
    await walk(page, -1);
    await page.waitForURL(`**${new URL(other.url).pathname}`);
    await walk(page, 1);
    await heading(page, 'Your payment is in progress');
    gate.open();
    await expectPaid(page);
    expect([await charges(link.id), await charges(other.id)]).to.deep.equal([1, 0]);
  });

  it('a patient who goes back to the form after the payment sees that it is paid', async () => {
    const { page, id } = await open();
    await page.getByRole('button', { name: 'Pay $125.50' }).click();
    await heading(page, 'Thank you, your payment was received');
    await page.goBack();
    await heading(page, 'This has already been paid');
    await page.goForward();
    await page.getByText('Visa ending in 4242').waitFor();
    expect(await charges(id)).to.equal(1);
  });

  it('a patient who pays in two windows is charged once, and the second window shows progress, then the outcome', async () => {
    const { page, path, id } = await open();
    const second = await now.context.newPage();
    await second.goto(path);
    await pressAndWait(page);
    await second.getByRole('button', { name: 'Pay $125.50' }).click();
    await heading(second, 'Your payment is in progress');
    await second.getByRole('heading', { level: 2, name: 'A payment is already under way' }).waitFor();
    gate.open();
    await heading(page, 'Thank you, your payment was received');
    await second.reload();
    await heading(second, 'This has already been paid');
    await second.getByRole('heading', { level: 2, name: 'This was already paid' }).waitFor();
    expect(await charges(id)).to.equal(1);
  });

  it('a card payment needs only the keyboard', async () => {
    const { page } = await open();
    await tabTo(page, '#method_type_card');
    await tabTo(page, 'button.primary');
    await page.keyboard.press('Enter');
    await heading(page, 'Thank you, your payment was received');
    await tabTo(page, '[data-print]');
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

/** Presses Tab until the element has the focus. */
async function tabTo(page: Page, selector: string): Promise<void> {
  for (let pressed = 0; pressed < 25; pressed++) {
    await page.keyboard.press('Tab');
    if (await page.locator(`${selector}:focus`).count()) return;
  }
  throw new Error(`${selector} is out of the keyboard's reach`);
}

/** Presses the browser's button back or forward, which works while a page loads. */
async function walk(page: Page, steps: number): Promise<void> {
  const browser = await page.context().newCDPSession(page);
  const { entries, currentIndex } = await browser.send('Page.getNavigationHistory');
  const entry = entries[currentIndex + steps];
  if (entry === undefined) throw new Error('there is no such page');
  await browser.send('Page.navigateToHistoryEntry', { entryId: entry.id });
}
