import { expect } from 'chai';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { madeOnce, useReceiver } from '../harness/fixtures.ts';
import { createLink } from '../harness/service.ts';
import { checkLooks, checkPage, checkPresent } from './axe.ts';
import { busyPractice } from './busy-practice.ts';
import { signInUrl } from './console.ts';
import { useSite } from './site.ts';

/** Pages with the names of their screenshots. */
type Pages = readonly (readonly [name: string, path: string])[];

/** Each page of the console in a browser. */
describe('pages of the console in a browser', () => {
  const receiver = useReceiver();
  const site = useSite({ SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'pay@example.com' });
  const busy = madeOnce(() => busyPractice(site.service, receiver));

  const people = (): Pages => [
    ['home', busy.home],
    ['people', `${busy.home}/people?done=invited`],
    ['person', `${busy.home}/people/${busy.people.colleague.id}?refused=last_owner`],
    ['audit-log', `${busy.home}/audit-log`],
    ['audit-log-empty', `${busy.home}/audit-log?actor=nobody@elm.example`],
    ['confirm-sent', '/console/confirm'],
    ['account', '/console/account?done=added'],
    ['not-found', `${busy.home}/no-such-page`],
  ];

  const links = (): Pages => {
    const list = `${busy.home}/test/links`;
    const { waiting, paid } = busy.links;
    return [
      ['links', `${list}?status=waiting&amount=many`],
      ['links-no-match', `${list}?q=nobody`],
      ['link-new', `${list}/new`],
      ['link', `${list}/${waiting}?done=created`],
      ['link-paid', `${list}/${paid}`],
      ...['slip', 'change', 'extend', 'cancel', 'send'].map(
        (act) => [`link-${act}`, `${list}/${waiting}/${act}`] as const,
      ),
    ];
  };

  const payments = (): Pages => {
    const { refunded, debit, disputed, dispute } = busy.payments;
    const list = `${busy.home}/live/payments`;
    return [
      ['payments', list],
      ['payment', `${list}/${refunded}?done=refunded`],
      ['debit', `${list}/${debit}`],
      ['disputed', `${list}/${disputed}`],
      ['evidence', `${list}/${disputed}/disputes/${dispute}`],
      ['refund', `${list}/${disputed}/refund`],
      ['nothing-to-refund', `${list}/${debit}/refund`],
      ['reconciliation', `${busy.home}/live/reconciliation`],
    ];
  };

  const settings = (): Pages => [
    ['settings', `${busy.home}/settings?done=practice`],
    ['location', `${busy.home}/settings/locations/${busy.practice.locationId}`],
    ['notifications', `${busy.home}/settings/notifications?done=saved`],
    ['payment-account', `${busy.home}/settings/payment-account`],
  ];

  const deliveries = (): Pages => {
    const { endpoint, deliveries } = busy.webhooks;
    const list = `${busy.home}/test/deliveries`;
    return [
      ['deliveries', list],
      ['deliveries-invalid', `${list}?paymentLinkId=x`],
      ['delivery-failed', `${list}/${deliveries.failed}`],
      ['delivery-arrived', `${list}/${deliveries.delivered}?done=left_alone`],
      ['delivery-waiting', `${list}/${deliveries.waiting}`],
      ['redeliver', `${list}/redeliver?endpointId=${endpoint.id}&since=2030-06-14T12:00`],
      ['redeliver-refused', `${list}/redeliver?endpointId=${endpoint.id}&since=x`],
      ['debugger', `${list}/debugger`],
    ];
  };

  const developers = (): Pages => {
    const { endpoint, disabled, keyId } = busy.webhooks;
    const home = `${busy.home}/test/developers`;
    return [
      ['developers', `${home}?done=revoked`],
      ['key-new', `${home}/keys/new`],
      ['key', `${home}/keys/${keyId}`],
      ['endpoint-new', `${home}/webhooks/new`],
      ['endpoint', `${home}/webhooks/${endpoint.id}?done=created`],
      ['endpoint-disabled', `${home}/webhooks/${disabled.id}`],
      ['replay', `${home}/webhooks/${endpoint.id}/replay`],
      ['replay-preview', `${home}/webhooks/${endpoint.id}/replay?since=2030-06-15T00:00`],
      ['requests', `${home}/requests`],
      ['requests-empty', `${home}/requests?status=5`],
    ];
  };

  const nothing = (): Pages => {
    const empty = `/console/${busy.people.emptyPracticeId}/live`;
    return [
      ['practices', '/console'],
      ['forbidden', `${busy.home}/people`],
      ...['links', 'payments', 'reconciliation?from=x&to=y', 'deliveries', 'developers'].map(
        (path) => [`empty-${path.replace(/\?.*/, '')}`, `${empty}/${path}`] as const,
      ),
    ];
  };

  const ROOMS: Readonly<Record<string, { pages: () => Pages; person: 'owner' | 'developer' | 'colleague' }>> = {
    'people and the audit log': { pages: people, person: 'owner' },
    'payment links': { pages: links, person: 'owner' },
    payments: { pages: payments, person: 'owner' },
    settings: { pages: settings, person: 'owner' },
    deliveries: { pages: deliveries, person: 'developer' },
    developers: { pages: developers, person: 'developer' },
    'a practice that has nothing yet': { pages: nothing, person: 'colleague' },
  };

  for (const [room, { pages, person }] of Object.entries(ROOMS)) {
    it(`every page of ${room} passes axe and fits the screen in both languages, widths and color schemes`, async () => {
      const page = await site.open(busy.people[person]);
      for (const [name, path] of pages()) await checkPage(page, name, path);
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
      ['refund-refused', refund, { 'Amount of the part, in dollars': '200' }, 'Continue', 'Choose one of both.'],
      ['refund-confirm', refund, {}, 'Continue', 'You are about to refund'],
      ['settings-refused', '/settings', { Color: '#ffcc00' }, 'Save the color', 'The nearest color that works'],
      [
        'statement-refused',
        '/settings/payment-account',
        { 'Addition for cards': '1' },
        'Save the addition',
        'one letter',
      ],
      ['key-refused', '/live/developers/keys/new', {}, 'Create the key', 'Choose at least one permission.'],
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
    await send(page, '/settings', { Color: '#c2185b' }, 'Save the color', 'The color is saved.');
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
    await page.getByLabel('Your mail address').waitFor();
    await checkPage(page, 'receipt', path);
    await page.goto(`${path}?lang=en`);
    await page.getByLabel('Your mail address').fill('ada@mail.example');
    await page.getByRole('button', { name: 'Send me the receipt' }).click();
    await page.getByText('The receipt is on its way to your mailbox.').waitFor();
    await checkLooks(page, 'receipt-sent-en');
  });

  /** Creates a live link, and returns the path of its page. */
  const hostedPath = async (): Promise<string> => {
    const { locationId, live } = busy.practice;
    const { url } = await createLink(live, { locationId });
    return new URL(url).pathname;
  };
});
