import { globSync } from 'node:fs';
import { basename } from 'node:path';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { useService } from '../harness/fixtures.ts';
import { checkout } from '../harness/processes.ts';
import { faintTexts, layoutFaults, overflow, violations, wideParts } from '../pages/fixtures/accessibility.ts';
import { screenshot, sharedBrowser, type Visit, type VisitOptions, visit } from '../pages/fixtures/browser.ts';

const GUIDES = globSync('docs/guides/*.md', { cwd: checkout })
  .map((file) => basename(file, '.md'))
  .map((name) => (name === 'index' ? '/docs' : `/docs/${name}`));

/** One page of each kind of the reference. */
const REFERENCE = ['createPaymentLink', 'listWebhookDeliveries', 'payment_link.refunded', 'PaymentLink'];

const PAGES = [
  ...GUIDES,
  ...['/docs/errors/not_found', '/docs/no-such-page', '/docs/reference', '/docs/changelog'],
  ...REFERENCE.map((name) => `/docs/reference/${name}`),
];

describe('documentation in a browser', () => {
  const service = useService();
  let now: Visit;

  afterEach(async () => {
    await now?.close();
    // No request to another host, no script error, no refusal by the security policy.
    expect(now?.foreign).to.deep.equal([]);
    expect(now?.faults).to.deep.equal([]);
  });

  const open = async (path: string, options: VisitOptions = {}): Promise<Page> => {
    now = await visit(await sharedBrowser(), service.baseUrl, options);
    await now.page.goto(path);
    return now.page;
  };

  /** Expects a page that passes axe and fits a narrow screen, and a wide one in the dark with its contrasts. On the wide one nothing scrolls sideways. */
  const expectReadable = async (page: Page, path: string): Promise<void> => {
    for (const [colorScheme, width] of [
      ['light', 320],
      ['dark', 1280],
    ] as const) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 800 });
      if (colorScheme === 'light') await page.goto(path);
      expect(await (colorScheme === 'light' ? violations : faintTexts)(page), path).to.deep.equal([]);
      expect(await overflow(page), `${path} overflows`).to.equal(0);
      expect(await layoutFaults(page), `${path} at ${width} px`).to.deep.equal([]);
      expect(await crampedParts(page), `${path} at ${width} px`).to.deep.equal([]);
      if (width === 1280) expect(await wideParts(page), path).to.deep.equal([]);
      await screenshot(page, `docs${path.replaceAll('/', '-')}-${width}-${colorScheme}`);
    }
  };

  it('every page passes axe and fits the screen, narrow and light, wide and dark', async () => {
    const page = await open('about:blank');
    for (const path of PAGES) await expectReadable(page, path);
  });

  it('the first page says what the service is, and shows the page of the patient', async () => {
    const page = await open('/docs');
    const first = page.locator('main > h1 + p');
    expect((await first.innerText()).split('. '), 'two sentences').to.have.length(2);
    const picture = page.locator('main > p + p img');
    expect(await picture.getAttribute('src')).to.match(/\/patient-pays\.png$/);
    expect(await page.evaluate('document.querySelector("main img").naturalWidth')).to.equal(800);
  });

  it('an unknown address offers the search, and links to the places to start', async () => {
    const page = await open('/docs/quick-start', { width: 390 });
    expect(await page.getByRole('searchbox').isVisible()).to.equal(true);
    await page.getByRole('main').getByRole('link', { name: 'quickstart' }).click();
    await page.waitForURL('**/docs/quickstart');
  });

  it('a reader chooses the language of samples by keyboard, and finds it chosen on the next page', async () => {
    const page = await open('/docs/reference/createPaymentLink');
    const samples = page.getByRole('radiogroup', { name: 'Samples' }).first();
    await samples.getByRole('radio', { name: 'curl' }).press('ArrowRight');
    await samples.getByText('await fetch(').waitFor();
    expect(await samples.locator('pre:visible').count()).to.equal(1);
    await page.goto('/docs/reference/cancelPaymentLink');
    await page.getByText('await fetch(').waitFor();
  });

  it('the search finds pages, headings and operations by keyboard alone', async () => {
    const page = await open('/docs');
    const results = page.getByRole('search').getByRole('link');
    await page.keyboard.press('/');
    await page.keyboard.type('rotate secret');
    await results.first().waitFor();
    expect(await violations(page)).to.deep.equal([]);
    await page.keyboard.press('Escape');
    expect(await results.count()).to.equal(0);
    await page.keyboard.press('/');
    await results.first().waitFor();
    const second = await results.nth(1).getAttribute('href');
    for (const key of ['ArrowDown', 'ArrowUp', 'ArrowUp', 'ArrowDown', 'ArrowDown', 'ArrowDown', 'Enter']) {
      await page.keyboard.press(key);
    }
    await page.waitForURL(`**${second}`);
    for (const [words, target] of [
      ['replay after an outage', '/docs/webhooks#replay-after-an-outage'],
      ['idempotency_key_reused', '/docs/errors/idempotency_key_reused'],
      // Typing errors, and the name of an operation.
      ['idempotancy', '/docs/idempotency'],
      ['verify signatrue', '/docs/webhooks#verify-the-signature'],
      ['createPaymentLink', '/docs/reference/createPaymentLink'],
      ['simulate a payment (test mode)', '/docs/reference/simulatePaymentLink'],
    ] as const) {
      await page.goto('/docs');
      await page.keyboard.press('/');
      await page.keyboard.type(words);
      await page.locator(`.search li:first-child a[href="${target}"]`).waitFor();
      await page.keyboard.press('Enter');
      await page.waitForURL(`**${target}`);
    }
  });

  it('a button copies a snippet as it stands in the guide', async () => {
    const page = await open('/docs/quickstart-python');
    await now.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const snippet = page.locator('.code', { hasText: 'pay.py' }).first();
    await snippet.getByRole('button', { name: 'Copy' }).click();
    await snippet.getByRole('button', { name: 'Copied' }).waitFor();
    const copied = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(copied).to.match(/^import json\nimport os\n/);
  });

  it('the pages can be read and followed without JavaScript', async () => {
    const page = await open('/docs', { javaScript: false, width: 320 });
    await page.getByText('All pages', { exact: true }).click();
    await page.getByRole('navigation', { name: 'Documentation' }).getByRole('link', { name: 'Webhooks' }).click();
    await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor();
    await page.goto('/docs/reference');
    await page.getByRole('main').getByRole('link', { name: 'Create a payment link' }).click();
    await page.getByText('Python', { exact: true }).click();
    await page.getByText('urllib.request.urlopen').waitFor();
  });
});

/** Returns samples of which a part is cut, diagrams that are too small to read, and narrow cells of many lines on a wide screen. */
function crampedParts(page: Page): Promise<string[]> {
  return page.evaluate(`[
    ...[...document.querySelectorAll('main pre')].filter((one) => one.scrollWidth > one.clientWidth),
    ...[...document.querySelectorAll('main td')].filter((one) => innerWidth > 1000 && one.clientWidth < 140 && one.clientHeight > 120),
    ...[...document.querySelectorAll('main img')].filter((one) => one.src.endsWith('.svg') && one.width < 0.6 * one.naturalWidth),
  ].map((one) => one.outerHTML.slice(0, 200))`);
}
