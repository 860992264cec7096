import { expect } from 'chai';
import type { Page } from 'playwright-core';
import type { LinkPage } from '../../src/payment-links/checkout/port.ts';
import { heading, screenshot, useVisits, type VisitOptions } from './fixtures/browser.ts';
import { AUTHORISATION, linkPage, tokenOf } from './fixtures/scripted-pages.ts';
import { usePages } from './fixtures/started-pages.ts';

/** Edges of elements, in CSS pixels. */
interface Box {
  left: number;
  right: number;
}

describe('layout of hosted pages in a browser', function () {
  this.timeout(180_000);
  const started = usePages();
  const visits = useVisits();

  const open = (name: string, link: Partial<LinkPage>, options: VisitOptions = {}) =>
    visits.open(started.baseUrl, started.pages.put(linkPage({ ...link, token: tokenOf(name) })), options);

  const boxes = (page: Page, selector: string) =>
    page.$$eval(selector, (all) =>
      all.map((one): Box => {
        const { left, right } = one.getBoundingClientRect();
        return { left: Math.round(left), right: Math.round(right) };
      }),
    );

  const background = (page: Page, selector: string) =>
    page.evaluate<string>(`getComputedStyle(document.querySelector('${selector}')).backgroundColor`);

  for (const width of [320, 390, 1280]) {
    it(`the rows of a receipt are aligned at ${width} pixels`, async () => {
      const page = await open('aligned', { state: 'paid' }, { width });
      const [labels, values] = [await boxes(page, '.receipt dt'), await boxes(page, '.receipt dd')];
      expect(values.length).to.be.above(5);
      expect(new Set(labels.map(({ left }) => left)).size).to.equal(1);
      expect(new Set(values.map(({ left }) => left)).size).to.equal(1);
      expect(values[0]?.left).to.be.above(labels[0]?.right ?? Number.NaN);
    });
  }

  for (const [name, link, selector] of [
    ['receipt', { state: 'paid' }, '.receipt'],
    ['form', {}, 'form.pay'],
  ] as const) {
    it(`the ${name} stands beside the rest on wide screens and below it on narrow ones`, async () => {
      const page = await open(`columns_${name}`, link);
      const [[state], [beside]] = [await boxes(page, '.state'), await boxes(page, selector)];
      expect(beside?.left).to.be.above(state?.right ?? Number.NaN);
      await page.setViewportSize({ width: 390, height: 800 });
      const [[above], [below]] = [await boxes(page, '.state'), await boxes(page, selector)];
      expect(below?.left).to.equal(above?.left);
    });
  }

  it('a page is dark for patients who prefer dark, and white on paper', async () => {
    const page = await open('dark', { state: 'paid' });
    expect(await background(page, 'body')).to.equal('rgb(242, 245, 247)');
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await background(page, 'body')).to.equal('rgb(15, 22, 28)');
    await page.emulateMedia({ colorScheme: 'dark', media: 'print' });
    expect(await background(page, '.card')).to.equal('rgb(255, 255, 255)');
    const ink = await page.evaluate<string>('getComputedStyle(document.body).color');
    expect(ink).to.equal('rgb(23, 36, 45)');
  });

  it('a printed debit contains its authorisation', async () => {
    const page = await open('print_debit', { state: 'bank_pending' });
    await page.emulateMedia({ media: 'print' });
    for (const text of ['Bank debit on its way', AUTHORISATION, '482-730-596', 'US bank account ending in 6789']) {
      expect(await page.getByText(text, { exact: true }).isVisible(), text).to.equal(true);
    }
    expect(await page.getByRole('button').count()).to.equal(0);
    await screenshot(page, 'print-debit');
  });

  /** Opens a page in progress, with the browser's clock stopped and a mark that a reload removes. */
  async function inProgress(name: string): Promise<{ page: Page; isReloaded: () => Promise<boolean> }> {
    const page = await visits.open(started.baseUrl, null);
    await page.clock.install();
    await page.goto(started.pages.put(linkPage({ state: 'in_progress', token: tokenOf(name) })));
    await page.evaluate('window.seen = true');
    return { page, isReloaded: async () => (await page.evaluate('window.seen')) !== true };
  }

  /** Lets time pass in the page until something happens. The page sets its next timer once it has read an answer. */
  async function passUntil(page: Page, event: Promise<unknown>): Promise<void> {
    let hasHappened = false;
    const happened = event.then(() => {
      hasHappened = true;
    });
    while (!hasHappened) await Promise.race([happened, page.clock.runFor(3_000)]);
  }

  const become = (name: string, link: Partial<LinkPage>) =>
    started.pages.put(linkPage({ ...link, token: tokenOf(name) }));

  it('a page in progress reloads when its state changes, and not before', async () => {
    const { page, isReloaded } = await inProgress('news');
    const looked = () => page.waitForResponse((response) => response.request().resourceType() === 'fetch');
    for (const _look of [1, 2]) {
      const answer = looked();
      await passUntil(page, answer);
      expect((await answer).status()).to.equal(200);
    }
    expect(await isReloaded()).to.equal(false);
    become('news', { state: 'paid' });
    await passUntil(page, heading(page, 'This has already been paid'));
    expect(started.pages.asked, 'looking changes nothing').to.deep.equal([]);
  });

  it('a page in progress checks its state again after a failed check', async () => {
    const { page, isReloaded } = await inProgress('outage');
    await visits.last.context.route('**/pay/**', (route) => route.abort());
    const failed = page.waitForEvent('requestfailed');
    await passUntil(page, failed);
    expect(await isReloaded()).to.equal(false);
    await visits.last.context.unroute('**/pay/**');
    become('outage', {});
    await passUntil(page, page.getByRole('button', { name: 'Pay $125.50' }).waitFor());
    // The browser reports the failed request.
    visits.last.faults.splice(0);
  });

  it('without JavaScript the browser reloads only a page in progress', async () => {
    const page = await open('plain', { state: 'in_progress' }, { javaScript: false });
    const refresh = page.locator('meta[http-equiv="refresh"]');
    expect(await refresh.getAttribute('content')).to.equal('20');
    await page.goto(started.pages.put(linkPage({ state: 'paid', token: tokenOf('plain_paid') })));
    expect(await refresh.count()).to.equal(0);
  });
});
