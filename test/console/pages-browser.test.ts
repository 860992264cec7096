import { expect } from 'chai';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { madeOnce, useReceiver } from '../harness/fixtures.ts';
import { createLink } from '../harness/service.ts';
import { checkLooks, checkPage, checkPresent } from './axe.ts';
import { busyPractice } from './busy-practice.ts';
import { signInUrl } from './console.ts';
import { useSite } from './site.ts';

/** Each page of the console in a browser. */
describe('pages of the console in a browser', () => {
  const receiver = useReceiver();
  const site = useSite({ SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'pay@example.com' });
  const busy = madeOnce(() => busyPractice(site.service, receiver));

  /** The pages of each room, with the names of their screenshots. */
  const pages = () => {
    const { home, links, payments, webhooks, people } = busy;
    const { endpoint, disabled, deliveries } = webhooks;
    const [link, payment] = [`${home}/test/links/${links.waiting}`, `${home}/live/payments`];
    const [delivery, developers] = [`${home}/test/deliveries`, `${home}/test/developers`];
    const hook = `${developers}/webhooks/${endpoint.id}`;
    const empty = `/console/${people.emptyPracticeId}/live`;
    return {
      'people and the audit log': [
        ['home', home],
        ['home-test', `${home}/test`],
        ['people', `${home}/people?done=invited`],
        ['person', `${home}/people/${people.colleague.id}`],
        ['audit-log', `${home}/audit-log`],
        ['audit-log-empty', `${home}/audit-log?actor=nobody@elm.example`],
        ['confirm-sent', '/console/confirm'],
        ['account', '/console/account?done=added'],
        ['not-found', `${home}/no-such-page`],
      ],
      'payment links': [
        ['links', `${home}/test/links?status=waiting`],
        ['links-search', `${home}/test/links?q=nobody`],
        ['search', `${home}/test/search?q=featherstonehaugh`],
        ['search-nothing', `${home}/live/search?q=nobody`],
        ['link-new', `${home}/test/links/new`],
        ['link', `${link}?done=created`],
        ['link-paid', `${home}/test/links/${links.paid}`],
        ['link-slip', `${link}/slip`],
        ['link-change', `${link}/change`],
        ['link-cancel', `${link}/cancel`],
        ['link-send', `${link}/send`],
      ],
      payments: [
        ['payments', payment],
        ['search-payments', `${home}/live/search?q=125.50`],
        ['payment', `${payment}/${payments.refunded}?done=refunded`],
        ['debit', `${payment}/${payments.debit}`],
        ['disputed', `${payment}/${payments.disputed}`],
        ['evidence', `${payment}/${payments.disputed}/disputes/${payments.dispute}`],
        ['refund', `${payment}/${payments.disputed}/refund`],
        ['nothing-to-refund', `${payment}/${payments.debit}/refund`],
        ['reconciliation', `${home}/live/reconciliation`],
      ],
      settings: [
        ['settings', `${home}/settings?done=saved`],
        ['location', `${home}/settings/locations/${busy.practice.locationId}`],
        ['notifications', `${home}/settings/notifications?done=saved`],
        ['payment-account', `${home}/settings/payment-account`],
      ],
      deliveries: [
        ['deliveries', delivery],
        ['deliveries-invalid', `${delivery}?paymentLinkId=x`],
        ['delivery-failed', `${delivery}/${deliveries.failed}`],
        ['delivery-arrived', `${delivery}/${deliveries.delivered}?done=left_alone`],
        ['delivery-waiting', `${delivery}/${deliveries.waiting}`],
        ['redeliver', `${delivery}/redeliver?endpointId=${endpoint.id}&since=2030-06-14T12:00`],
        ['redeliver-refused', `${delivery}/redeliver?endpointId=${endpoint.id}&since=x`],
        ['debugger', `${delivery}/debugger`],
      ],
      developers: [
        ['developers', `${developers}?done=revoked`],
        ['key-new', `${developers}/keys/new`],
        ['key', `${developers}/keys/${webhooks.keyId}`],
        ['endpoint-new', `${developers}/webhooks/new`],
        ['endpoint', `${hook}?done=created`],
        ['endpoint-disabled', `${developers}/webhooks/${disabled.id}`],
        ['replay', `${hook}/replay`],
        ['replay-preview', `${hook}/replay?since=2030-06-15T00:00`],
        ['events', `${developers}/events`],
        ['event', `${developers}/events?type=payment_link.refunded`],
        ['requests', `${developers}/requests`],
        ['requests-empty', `${developers}/requests?status=5`],
      ],
      'a practice that has nothing yet': [
        ['practices', '/console'],
        ['forbidden', `${home}/people`],
        ['empty-links', `${empty}/links`],
        ['empty-payments', `${empty}/payments`],
        ['empty-reconciliation', `${empty}/reconciliation?from=x&to=y`],
        ['empty-deliveries', `${empty}/deliveries`],
        ['empty-developers', `${empty}/developers`],
      ],
    } as const;
  };

  for (const [room, person] of [
    ['people and the audit log', 'owner'],
    ['payment links', 'owner'],
    ['payments', 'owner'],
    ['settings', 'owner'],
    ['deliveries', 'developer'],
    ['developers', 'developer'],
    ['a practice that has nothing yet', 'colleague'],
  ] as const) {
    it(`every page of ${room} passes axe and fits the screen in both languages, widths and color schemes`, async () => {
      const page = await site.open(busy.people[person]);
      for (const [name, path] of pages()[room]) await checkPage(page, name, path);
    });
  }

  it('every page of the sign-in passes axe and fits the screen in both languages, widths and color schemes', async () => {
    const page = await site.open(null);
    await checkPage(page, 'sign-in', '/console/sign-in?ended=1');
    await checkPage(page, 'sent', '/console/sign-in/sent');
    await checkPage(page, 'expired', '/console/sign-in/unknown');
    await checkPage(page, 'confirm', new URL(await signInUrl(site.service, busy.people.owner)).pathname);
    await checkPage(page, 'invitation', `/console/sign-in/${busy.people.invitation}`);
  });

  /** Opens a form, fills it, and presses its button. The answer has the words. */
  const send = async (page: Page, path: string, entries: Record<string, string>, button: string, words: string) => {
    await page.goto(`${busy.home}${path}?lang=en`);
    // The service refuses what the browser would not send.
    await page.$$eval('form', (forms) => forms.map((form) => form.setAttribute('novalidate', '')));
    for (const [name, text] of Object.entries(entries)) await page.getByRole('textbox', { name }).fill(text);
    await page.getByRole('button', { name: button }).click();
    await page.locator('main').getByText(words).first().waitFor();
  };

  it('every page that answers a form passes axe and fits the screen in both languages, widths and color schemes', async () => {
    const page = await site.open(busy.people.owner);
    const refund = `/live/payments/${busy.payments.disputed}/refund`;
    const link = { 'First name': 'Ada', 'Amount in dollars': 'many', 'What it is for': '4111 1111 1111 1111' };
    for (const [name, path, entries, button, words] of [
      ['link-refused', '/test/links/new', link, 'Create the link', 'Please check'],
      ['refund-refused', refund, { 'Amount of the part, in dollars': '200' }, 'Continue', 'Choose one of the two.'],
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
      ['secret', `/test/developers/webhooks/${busy.webhooks.endpoint.id}`, {}, 'Show the secret', 'Keep it where'],
    ] as [string, string, Record<string, string>, string, string][]) {
      await send(page, path, entries, button, words);
      await checkPresent(page, name);
    }
  });

  it('a webhook whose JSON was written again is explained, although the browser sends its line breaks as CRLF', async () => {
    const page = await site.open(busy.people.developer);
    const { received, endpoint } = busy.webhooks;
    const body = JSON.stringify(received.event, null, 2);
    await page.goto(`${busy.home}/test/deliveries/debugger`);
    await page.locator('#endpointId').selectOption(endpoint.id);
    await page.locator('#header').fill(String(received.headers['service-signature']));
    await page.locator('#body').fill(body);
    await page.locator('main form button').click();
    await page.getByRole('status').getByText('parsed and written again').first().waitFor();
    expect(await page.locator('#body').inputValue()).to.equal(body);
    await checkPresent(page, 'verdict');
  });

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
