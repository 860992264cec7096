import { globSync } from 'node:fs';
import { basename } from 'node:path';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { operations } from '../../src/contract/document.ts';
import { useService } from '../harness/fixtures.ts';
import { checkout } from '../harness/processes.ts';
import { faintTexts, overflow, violations } from '../pages/fixtures/accessibility.ts';
import { screenshot, sharedBrowser, type Visit, type VisitOptions, visit } from '../pages/fixtures/browser.ts';

const GUIDES = globSync('docs/guides/*.md', { cwd: checkout })
  .map((file) => basename(file, '.md'))
  .map((name) => (name === 'index' ? '/docs' : `/docs/${name}`));

const PAGES = [...GUIDES, '/docs/errors/not_found', '/docs/no-such-page'];

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

  /** Waits until the reference shows its last operation. */
  const reference = async (page: Page): Promise<void> => {
    const last = operations.at(-1)?.operationId;
    await page.locator(`[id="operation/${last}"]`).waitFor({ state: 'attached', timeout: 30_000 });
  };

  /** Expects a page that passes axe and fits a narrow screen, and a wide one in the dark with its contrasts. */
  const expectReadable = async (page: Page, path: string, ready = async (_: Page) => {}): Promise<void> => {
    for (const [colorScheme, width] of [
      ['light', 320],
      ['dark', 1280],
    ] as const) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 800 });
      // The reference chooses its colors when it starts.
      await page.goto(path);
      await ready(page);
      expect(await (colorScheme === 'light' ? violations : faintTexts)(page), path).to.deep.equal([]);
      expect(await overflow(page), `${path} overflows`).to.equal(0);
      await screenshot(page, `docs${path.replaceAll('/', '-')}-${width}-${colorScheme}`);
    }
  };

  it('every page passes axe and fits the screen, narrow and light, wide and dark', async () => {
    const page = await open('about:blank');
    for (const path of PAGES) await expectReadable(page, path);
  });

  it('the reference shows every operation, passes axe and fits the screen, narrow and light, wide and dark', async () => {
    const page = await open('about:blank');
    await expectReadable(page, '/docs/reference', reference);
    for (const { operationId } of operations) {
      expect(await page.locator(`[id="operation/${operationId}"]`).count(), operationId).to.equal(1);
    }
  });

  it('an address of the reference that names an operation leads to that operation', async () => {
    const page = await open('/docs/reference#operation/cancelPaymentLink');
    await reference(page);
    const operation = page.locator('[id="operation/cancelPaymentLink"]');
    await page.waitForFunction(
      "Math.abs(document.getElementById('operation/cancelPaymentLink').getBoundingClientRect().top) < innerHeight",
    );
    expect(await operation.getByRole('heading', { name: 'Cancel a payment link' }).count()).to.equal(1);
  });

  it('the search finds pages, headings and operations by keyboard alone', async () => {
    const page = await open('/docs');
    await page.keyboard.press('/');
    await page.keyboard.type('rotate secret');
    await page.getByRole('option').first().waitFor();
    expect(await violations(page)).to.deep.equal([]);
    await page.keyboard.press('Escape');
    expect(await page.getByRole('option').count()).to.equal(0);
    await page.keyboard.type(' '); // Shows the results again.
    await page.getByRole('option').first().waitFor();
    const second = await page.getByRole('option').nth(1).getAttribute('data-href');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL(`**${second}`);
    for (const [words, target] of [
      ['replay after an outage', '/docs/webhooks#replay-after-an-outage'],
      ['idempotency_key_reused', '/docs/errors/idempotency_key_reused'],
      ['simulate a payment (test mode)', '/docs/reference#operation/simulatePaymentLink'],
    ] as const) {
      await page.goto('/docs');
      await page.keyboard.press('/');
      await page.keyboard.type(words);
      await page.locator(`[role="option"][data-href="${target}"][aria-selected="true"]`).waitFor();
    }
  });

  it('a page is dark for readers who prefer dark', async () => {
    const page = await open('/docs');
    const background = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
    expect(await background()).to.equal('rgb(255, 255, 255)');
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await background()).to.equal('rgb(24, 34, 42)');
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
    await page.getByText('This page needs JavaScript.').waitFor();
  });
});
