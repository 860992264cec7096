import { expect } from 'chai';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { madeOnce, useReceiver } from '../harness/fixtures.ts';
import { createLink } from '../harness/service.ts';
import { checkLooks, checkPage, checkPresent } from './axe.ts';
import { type BusyPractice, busyPractice } from './busy-practice.ts';
import { signInUrl } from './console.ts';
import { useSite } from './site.ts';

/** The paths of a practice in which much has happened. */
function pathsOf(busy: BusyPractice) {
  const { home, links, webhooks, people } = busy;
  const developers = `${home}/test/developers`;
  return {
    ...busy,
    ...webhooks,
    developers,
    link: `${home}/test/links/${links.waiting}`,
    payment: `${home}/live/payments`,
    delivery: `${home}/test/deliveries`,
    hook: `${developers}/webhooks/${webhooks.endpoint.id}`,
    empty: `/console/${people.emptyPracticeId}/live`,
  };
}

/** The pages of each room, with the names of their screenshots. */
const PAGES: Record<string, readonly [name: string, path: (paths: ReturnType<typeof pathsOf>) => string][]> = {
  'people and the audit log': [
    ['home', (paths) => paths.home],
    ['home-test', (paths) => `${paths.home}/test`],
    ['people', (paths) => `${paths.home}/people`],
    ['person', (paths) => `${paths.home}/people/${paths.people.colleague.id}`],
    ['audit-log', (paths) => `${paths.home}/audit-log`],
    ['audit-log-empty', (paths) => `${paths.home}/audit-log?actor=nobody@elm.example`],
    ['confirm-sent', () => '/console/confirm'],
    ['account', () => '/console/account'],
    ['not-found', (paths) => `${paths.home}/no-such-page`],
  ],
  'payment links': [
    ['owed', (paths) => `${paths.home}/test/owed`],
    ['links', (paths) => `${paths.home}/test/links?status=waiting`],
    ['links-search', (paths) => `${paths.home}/test/links?q=nobody`],
    ['search', (paths) => `${paths.home}/test/search?q=featherstonehaugh`],
    ['search-nothing', (paths) => `${paths.home}/live/search?q=nobody`],
    ['link-new', (paths) => `${paths.home}/test/links/new`],
    ['link', (paths) => `${paths.link}`],
    ['link-paid', (paths) => `${paths.home}/test/links/${paths.links.paid}`],
    ['link-slip', (paths) => `${paths.link}/slip`],
    ['link-change', (paths) => `${paths.link}/change`],
    ['link-cancel', (paths) => `${paths.link}/cancel`],
    ['link-send', (paths) => `${paths.link}/send`],
  ],
  payments: [
    ['payments', (paths) => paths.payment],
    ['search-payments', (paths) => `${paths.home}/live/search?q=125.50`],
    ['payment', (paths) => `${paths.payment}/${paths.payments.refunded}`],
    ['debit', (paths) => `${paths.payment}/${paths.payments.debit}`],
    ['disputed', (paths) => `${paths.payment}/${paths.payments.disputed}`],
    ['receipt-printed', (paths) => `${paths.home}/live/links/${paths.payments.refunded}/slip?patient=es`],
    ['receipt-send', (paths) => `${paths.home}/live/links/${paths.payments.refunded}/send`],
    ['evidence', (paths) => `${paths.payment}/${paths.payments.disputed}/disputes/${paths.payments.dispute}`],
    ['refund', (paths) => `${paths.payment}/${paths.payments.disputed}/refund`],
    ['nothing-to-refund', (paths) => `${paths.payment}/${paths.payments.debit}/refund`],
    ['reconciliation', (paths) => `${paths.home}/live/reconciliation`],
    ['movements', (paths) => `${paths.home}/live/reconciliation?from=2030-06-18&to=2030-06-18`],
  ],
  settings: [
    ['settings', (paths) => `${paths.home}/settings`],
    ['location', (paths) => `${paths.home}/settings/locations/${paths.practice.locationId}`],
    ['payment-account', (paths) => `${paths.home}/settings/payment-account`],
  ],
  deliveries: [
    ['deliveries', (paths) => paths.delivery],
    ['deliveries-invalid', (paths) => `${paths.delivery}?paymentLinkId=x`],
    ['delivery-failed', (paths) => `${paths.delivery}/${paths.deliveries.failed}`],
    ['delivery-arrived', (paths) => `${paths.delivery}/${paths.deliveries.delivered}`],
    ['delivery-waiting', (paths) => `${paths.delivery}/${paths.deliveries.waiting}`],
  ],
  developers: [
    ['developers', (paths) => `${paths.developers}`],
    ['key-new', (paths) => `${paths.developers}/keys/new`],
    ['key', (paths) => `${paths.developers}/keys/${paths.webhooks.keyId}`],
    ['endpoint-new', (paths) => `${paths.developers}/webhooks/new`],
    ['endpoint', (paths) => `${paths.hook}`],
    ['endpoint-disabled', (paths) => `${paths.developers}/webhooks/${paths.disabled.id}`],
    ['replay', (paths) => `${paths.hook}/replay`],
    ['replay-preview', (paths) => `${paths.hook}/replay?since=2030-06-15T00:00`],
    ['requests', (paths) => `${paths.developers}/requests`],
    ['requests-empty', (paths) => `${paths.developers}/requests?status=5`],
  ],
  'a practice that has nothing yet': [
    ['practices', () => '/console'],
    ['forbidden', (paths) => `${paths.home}/people`],
    ['empty-owed', (paths) => `${paths.empty}/owed?age=2`],
    ['empty-links', (paths) => `${paths.empty}/links`],
    ['empty-payments', (paths) => `${paths.empty}/payments`],
    ['empty-reconciliation', (paths) => `${paths.empty}/reconciliation?from=x&to=y`],
    ['empty-deliveries', (paths) => `${paths.empty}/deliveries`],
    ['empty-developers', (paths) => `${paths.empty}/developers`],
  ],
};

/** Each page of the console in a browser. */
describe('pages of the console in a browser', () => {
  const receiver = useReceiver();
  const site = useSite({ SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'pay@example.com' });
  const busy = madeOnce(() => busyPractice(site.service, receiver));

  for (const [room, person] of [
    ['people and the audit log', 'owner'],
    ['payment links', 'owner'],
    ['payments', 'owner'],
    ['settings', 'owner'],
    ['deliveries', 'developer'],
    ['developers', 'developer'],
    ['a practice that has nothing yet', 'colleague'],
  ] as const) {
    for (const [name, path] of PAGES[room] ?? []) {
      it(`the page "${name}" of ${room} passes axe and fits the screen in both widths and color schemes`, async () => {
        const page = await site.open(busy.people[person]);
        await checkPage(page, name, path(pathsOf(busy)));
      });
    }
  }

  for (const [name, path] of [
    ['sign-in', () => '/console/sign-in'],
    ['sent', () => '/console/sign-in/sent'],
    ['expired', () => '/console/sign-in/unknown'],
    ['confirm', async () => new URL(await signInUrl(site.service, busy.people.owner)).pathname],
    ['invitation', () => `/console/sign-in/${busy.people.invitation}`],
  ] as const) {
    it(`the page "${name}" of the sign-in passes axe and fits the screen in both widths and color schemes`, async () => {
      await checkPage(await site.open(null), name, await path());
    });
  }

  /** Opens a form, fills it, and presses its button. The answer has the words. */
  const send = async (page: Page, path: string, entries: Record<string, string>, button: string, words: string) => {
    await page.goto(`${busy.home}${path}`);
    // The service refuses what the browser would not send.
    await page.$$eval('form', (forms) => forms.map((form) => form.setAttribute('novalidate', '')));
    for (const [name, text] of Object.entries(entries))
      await page.locator('main').getByLabel(name, { exact: true }).fill(text);
    await page.getByRole('button', { name: button }).click();
    await page.locator('main').getByText(words).first().waitFor();
  };

  const refund = () => `/live/payments/${busy.payments.disputed}/refund`;
  const link = { 'First name': 'Ada', 'Amount in dollars': 'many', 'What it is for': '4111 1111 1111 1111' };
  for (const [name, path, entries, button, words] of [
    ['link-refused', '/test/links/new', link, 'Create and send', 'Please check'],
    [
      'refund-refused',
      refund,
      { 'Amount of the part, in dollars': '200' },
      'Continue',
      'At most $125.50 can be refunded.',
    ],
    ['refund-confirm', refund, {}, 'Continue', 'You are about to refund'],
    ['settings-refused', '/settings', { Color: '#ffcc00' }, 'Save the color', 'The nearest color that works'],
    [
      'statement-refused',
      '/settings/payment-account',
      { 'Addition for cards': '1' },
      'Save the addition',
      'one letter',
    ],
    [
      'key-refused',
      '/live/developers/keys/new',
      { 'Name of the key': 'Billing' },
      'Create the key',
      'Choose at least one permission.',
    ],
    ['secret', () => `/test/developers/webhooks/${busy.webhooks.endpoint.id}`, {}, 'Show the secret', 'Keep it where'],
  ] as [string, string | (() => string), Record<string, string>, string, string][]) {
    it(`the page "${name}" that answers a form passes axe and fits the screen in both widths and color schemes`, async () => {
      const page = await site.open(busy.people.owner);
      await send(page, typeof path === 'string' ? path : path(), entries, button, words);
      await checkPresent(page, name);
    });
  }

  it('color and logo that a person chooses are on the hosted page, readable in both schemes', async () => {
    const page = await site.open(busy.people.owner);
    await send(page, '/settings', { Color: '#c2185b' }, 'Save the color', 'The change is saved.');
    const picture = sharp({ create: { width: 600, height: 200, channels: 3, background: '#c2185b' } }).png();
    const buffer = await picture.toBuffer();
    await page.getByLabel('Picture').setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer });
    await page.getByRole('button', { name: 'Use this logo' }).click();
    await page.getByText('The logo is saved.').waitFor();
    await page.getByRole('img', { name: 'Your logo' }).waitFor();
    await checkPage(page, 'hosted-page', await hostedPath());
    expect(await page.evaluate('document.querySelector(".logo img").naturalWidth')).to.equal(480);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      const color = 'getComputedStyle(document.querySelector("button.primary")).backgroundColor';
      expect(await page.evaluate(color)).to.equal('rgb(194, 24, 91)');
    }
  });

  it('a patient who has paid asks for the receipt by mail, on a page that passes axe', async () => {
    const page = await site.open(null);
    const path = await hostedPath();
    await page.goto(path);
    await page.getByRole('button', { name: 'Pay $125.50' }).click();
    await page.getByLabel('Your email address').waitFor();
    await checkPage(page, 'receipt', path);
    await page.goto(`${path}?lang=en`);
    await page.getByLabel('Your email address').fill('ada@mail.example');
    await page.getByRole('button', { name: 'Send me the receipt' }).click();
    await page.getByText('The receipt is on its way to your inbox.').waitFor();
    await checkLooks(page, 'receipt-sent-en');
  });

  /** Creates a live link, and returns the path of its page. */
  const hostedPath = async (): Promise<string> => {
    const { locationId, live } = busy.practice;
    const { url } = await createLink(live, { locationId });
    return new URL(url).pathname;
  };
});
