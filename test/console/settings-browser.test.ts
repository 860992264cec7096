import { expect } from 'chai';
import sharp from 'sharp';
import type { User } from '../../src/console/people/users.ts';
import { createLink, type TestPractice, type TestService } from '../harness/service.ts';
import type { VisitOptions } from '../pages/fixtures/browser.ts';
import { checkLooks, checkPage, checkPresent } from './axe.ts';
import { addUser } from './console.ts';
import { useSite } from './site.ts';

describe('the settings in a browser', function () {
  this.timeout(120_000);
  const site = useSite({ SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'pay@example.com' });
  let service: TestService;
  let practice: TestPractice;
  let owner: User;

  before(async () => {
    service = site.service;
    practice = await service.practice();
    owner = await addUser(service, practice.practiceId, 'owner', { email: 'ada.byron@elm.example' });
  });

  const open = (options?: VisitOptions) => site.open(owner, options);

  const home = () => `/console/${practice.practiceId}/settings`;

  it('color and logo that a person chooses are on the hosted page, readable in both schemes', async () => {
    const page = await open();
    await page.goto(home());
    await page.getByRole('textbox', { name: 'Color' }).fill('#c2185b');
    await page.getByRole('button', { name: 'Save the color' }).click();
    await page.getByText('The color is saved.').waitFor();
    const background = '#c2185b';
    const buffer = await sharp({ create: { width: 600, height: 200, channels: 3, background } })
      .png()
      .toBuffer();
    await page.getByLabel('Picture').setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer });
    await page.getByRole('button', { name: 'Use this logo' }).click();
    await page.getByText('The logo is saved.').waitFor();
    await page.getByRole('img', { name: 'Your logo' }).waitFor();
    const { url } = await createLink(practice.live);
    await checkPage(page, 'settings-hosted-page', new URL(url).pathname);
    expect(await page.evaluate('document.querySelector(".logo img").naturalWidth')).to.equal(480);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      const color = 'getComputedStyle(document.querySelector("button.primary")).backgroundColor';
      expect(await page.evaluate(color)).to.equal('rgb(194, 24, 91)');
    }
  });

  it('a patient who has paid asks for the receipt by mail, on a page that passes axe', async () => {
    const page = await open();
    const { url } = await createLink(practice.live);
    await page.goto(new URL(url).pathname);
    await page.getByRole('button', { name: 'Pay $125.50' }).click();
    await page.getByLabel('Your mail address').waitFor();
    await checkPage(page, 'settings-receipt', new URL(url).pathname);
    await page.goto(`${new URL(url).pathname}?lang=en`);
    await page.getByLabel('Your mail address').fill('ada@mail.example');
    await page.getByRole('button', { name: 'Send me the receipt' }).click();
    await page.getByText('The receipt is on its way to your mailbox.').waitFor();
    await checkLooks(page, 'settings-receipt-sent-en');
  });

  it('every page of the settings passes axe and fits the screen in both languages, widths and color schemes', async () => {
    const page = await open();
    await checkPage(page, 'settings', `${home()}?done=practice`);
    await checkPage(page, 'settings-location', `${home()}/locations/${practice.locationId}`);
    await checkPage(page, 'settings-notifications', `${home()}/notifications?done=saved`);
    await checkPage(page, 'settings-account', `${home()}/payment-account`);
    await page.goto(`${home()}?lang=en`);
    await page.getByRole('textbox', { name: 'Color' }).fill('#ffcc00');
    await page.getByRole('button', { name: 'Save the color' }).click();
    await page.getByText('The nearest color that works').waitFor();
    await checkPresent(page, 'settings-refused');
    await page.goto(`${home()}/payment-account`);
    await page.getByLabel('Addition for cards').fill('12345');
    await page.getByRole('button', { name: 'Save the addition' }).click();
    await page.getByText('at least one letter').waitFor();
    await checkPresent(page, 'settings-statement-refused');
  });
});
