import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { sharedBrowser } from '../test/pages/fixtures/browser.ts';
import { checkout, localFolder } from './service.ts';

/*
 * Renews the pictures of the console in `docs/pictures`, and saves each screen at two widths in `.local/screenshots`. Run it beside
 * `make run DEMO=office` with the sign-in address of the owner: `node scripts/pictures.ts <address>`.
 */

const WIDTHS = [390, 1280];
const SCREENS = [
  ...['', '/owed', '/links', '/links?status=waiting', '/links/new', '/payments', '/reconciliation', '/search?q=garc'],
  ...['/developers', '/developers/requests', '/deliveries'],
].map((path) => `/live${path}`);
const SCREENS_OF_PRACTICE = ['/settings', '/settings/notifications', '/people', '/audit-log'];

/** A palette keeps a picture below 100 KB. */
const COLOURS = 32;

async function main(address: string): Promise<void> {
  const browser = await sharedBrowser();
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  await page.goto(address);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  const home = page.url();
  await saveForDocuments(page, home);
  const links = async (kind: string) => {
    await page.goto(`${home}/live/${kind}`);
    const hrefs = await page
      .locator(`main a[href*="/${kind}/plink_"]`)
      .evaluateAll((all) => all.map((one) => one.getAttribute('href')));
    return hrefs.slice(0, 3).map((href) => (href ?? '').slice(new URL(home).pathname.length));
  };
  const screens = [...SCREENS, ...(await links('links')), ...(await links('payments')), ...SCREENS_OF_PRACTICE];
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 844 });
    for (const [index, path] of screens.entries()) {
      await page.goto(`${home}${path}`);
      const name = path.replaceAll(/plink_\w+/g, `${index}`).replaceAll(/\W+/g, '-');
      await page.screenshot({ path: join(localFolder, 'screenshots', `office${name}-${width}.png`), fullPage: true });
    }
  }
  await browser.close();
}

/** Follows a link from its creation to its payment. */
async function saveForDocuments(page: Page, home: string): Promise<void> {
  await save(page, 'overview');
  await page.goto(`${home}/live/owed`);
  await save(page, 'owed', false);
  await page.goto(`${home}/live/links/new`);
  const entries = {
    'First name': 'Ada',
    'Last name': 'Byron',
    'Email address': 'ada@example.com',
    'Amount in dollars': '125.50',
  };
  for (const [label, text] of Object.entries(entries)) await page.getByLabel(label).fill(text);
  await page.getByLabel('What it is for').fill('Cleaning, March 3');
  await page.getByLabel('Location').selectOption({ index: 1 });
  await save(page, 'new-link');
  await page.getByRole('button', { name: 'Create' }).first().click();
  await page.getByText('The link is ready').waitFor();
  await save(page, 'link-ready');
  const link = page.url();
  await page.goto(await page.getByLabel('Address for the patient').inputValue());
  await page.setViewportSize({ width: 800, height: 800 });
  await save(page, 'patient-pays');
  await page.getByRole('button', { name: 'Pay $125.50' }).click();
  await page.getByRole('heading', { name: 'Thank you, your payment was received' }).waitFor();
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.goto(link);
  await save(page, 'link-paid');
}

async function save(page: Page, name: string, fullPage = true): Promise<void> {
  const image = await page.screenshot({ fullPage });
  await sharp(image)
    .png({ palette: true, colours: COLOURS, effort: 10 })
    .toFile(join(checkout, 'docs/pictures', `${name}.png`));
}

mkdirSync(join(localFolder, 'screenshots'), { recursive: true });
const [, , address] = process.argv;
if (address === undefined) throw new Error('Name the sign-in address of the owner, which make run DEMO=office prints.');
await main(address);
