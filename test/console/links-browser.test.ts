import { expect } from 'chai';
import type { Page } from 'playwright-core';
import type { User } from '../../src/console/people/users.ts';
import { createLink, type TestPractice, type TestService } from '../harness/service.ts';
import { doubleClick, screenshot, type VisitOptions } from '../pages/fixtures/browser.ts';
import { checkPage, checkPresent } from './axe.ts';
import { addUser } from './console.ts';
import { useSite } from './site.ts';

describe('payment links in a browser', function () {
  this.timeout(120_000);
  const site = useSite({ SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'Elm Street Dental <pay@elm.example>' });
  let service: TestService;
  let practice: TestPractice;
  let desk: User;
  let list: string;

  before(async () => {
    service = site.service;
    practice = await service.practice();
    await service.location(practice.practiceId, 'Uptown');
    desk = await addUser(service, practice.practiceId, 'front_desk');
    list = `/console/${practice.practiceId}/test/links`;
  });

  const open = (options?: VisitOptions) => site.open(desk, options);

  /** Makes a link with long entries, and one of each status. */
  const createLinks = async () => {
    const { id } = await createLink(practice.test, {
      locationId: practice.locationId,
      amount: 999_999.99,
      description: 'Crown, balance after insurance\nwith a second line',
      externalReference: 'invoice-with-a-rather-long-number-10432',
      patient: { firstName: 'Maximiliana Alexandra', lastName: 'Featherstonehaugh', email: 'ada@example.com' },
    });
    const others: string[] = [];
    for (const outcome of ['paid', 'processing', 'failed', 'expired']) {
      const link = await createLink(practice.test, { locationId: practice.locationId });
      await practice.test.post(`/api/v1/payment-links/${link.id}/simulate`, { outcome });
      others.push(link.id);
    }
    return { waiting: id, paid: others[0] };
  };

  it('a list without links passes axe and fits the screen', async () => {
    await checkPage(await open(), 'links-empty', list);
  });

  it('every page on links passes axe and fits the screen in both languages, widths and color schemes', async () => {
    const { waiting, paid } = await createLinks();
    const page = await open();
    for (const [name, path] of [
      ['home', `/console/${practice.practiceId}`],
      ['list', `${list}?status=waiting&amount=many`],
      ['no-match', `${list}?q=nobody`],
      ['new', `${list}/new`],
      ['one', `${list}/${waiting}?done=created`],
      ['paid', `${list}/${paid}`],
      ['slip', `${list}/${waiting}/slip`],
      ['change', `${list}/${waiting}/change`],
      ['extend', `${list}/${waiting}/extend`],
      ['cancel', `${list}/${waiting}/cancel`],
      ['send', `${list}/${waiting}/send`],
    ] as const) {
      await checkPage(page, `links-${name}`, path);
    }
    await page.goto(`${list}/new?lang=en`);
    await fill(page, { 'First name': 'Ada', 'Last name': 'Byron', 'Amount in dollars': 'many' });
    await page.getByLabel('What it is for').fill('4111 1111 1111 1111');
    await page.getByLabel('Location').selectOption({ index: 1 });
    await page.getByRole('button', { name: 'Create the link' }).click();
    await page.getByRole('heading', { name: 'Please check' }).waitFor();
    await checkPresent(page, 'links-refused');
  });

  it('a person makes a link, copies its address and prints a slip by keyboard, and a double click makes one link', async () => {
    const page = await open({ width: 1280 });
    await site.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.goto(list);
    await page.getByRole('link', { name: 'New link' }).press('Enter');
    await fill(page, { 'First name': 'Grace', 'Last name': 'Hopper', 'Amount in dollars': '$ 42.50' });
    await page.getByLabel('What it is for').fill('Cleaning');
    await page.getByLabel('Location').selectOption({ label: 'Uptown, Springfield' });
    let sent = 0;
    page.on('request', (request) => {
      if (request.method() === 'POST') sent++;
    });
    await doubleClick(page.getByRole('button', { name: 'Create the link' }));
    await page.getByText('The link is ready.').waitFor();
    expect(sent).to.equal(1);
    await page.getByRole('button', { name: 'Copy the address' }).press('Enter');
    await page.getByText('Copied.').waitFor();
    const address = await page.getByLabel('Address for the patient').inputValue();
    expect(await page.evaluate<string>('navigator.clipboard.readText()')).to.equal(address);
    await page.getByRole('link', { name: 'Print a slip' }).press('Enter');
    await page.getByRole('heading', { name: 'Slip for the patient' }).waitFor();
    await page.emulateMedia({ media: 'print' });
    for (const shown of [page.getByText('$42.50'), page.getByText(address), page.getByRole('img')]) {
      expect(await shown.isVisible()).to.equal(true);
    }
    for (const hidden of [page.getByRole('link', { name: 'Sign out' }), page.getByRole('navigation').first()]) {
      expect(await hidden.isVisible()).to.equal(false);
    }
    await screenshot(page, 'console-links-slip-printed');
  });

  it('a link is made, found, changed and cancelled without scripts, and its address can be selected', async () => {
    const page = await open({ javaScript: false, width: 320 });
    await page.goto(`${list}/new`);
    await fill(page, { 'First name': 'Olga', 'Last name': 'Núñez', 'Amount in dollars': '10' });
    await page.getByLabel('What it is for').fill('Cleaning');
    await page.getByLabel('Location').selectOption({ index: 2 });
    await page.getByRole('button', { name: 'Create the link' }).click();
    await page.getByText('The link is ready.').waitFor();
    expect(await page.getByLabel('Address for the patient').inputValue()).to.match(/\/pay\/[\w-]{34}$/);
    expect(await page.getByRole('button', { name: 'Copy the address' }).isVisible()).to.equal(false);
    await page.getByRole('link', { name: 'Payment links' }).click();
    await page.getByLabel('Patient or reference').fill('nun');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('link', { name: 'Olga Núñez' }).click();
    await page.getByRole('link', { name: 'Change', exact: true }).click();
    await page.getByLabel('Amount in dollars').fill('12');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The change is saved.').waitFor();
    await page.getByRole('link', { name: 'Cancel the link' }).click();
    await page.getByLabel('Reason').selectOption({ label: 'Made twice' });
    await page.getByLabel('Yes, cancel this link').check();
    await page.getByRole('button', { name: 'Cancel the link' }).click();
    await page.getByText('The link is cancelled.').waitFor();
    await page.getByText('(Made twice)').waitFor();
  });
});

async function fill(page: Page, entries: Readonly<Record<string, string>>): Promise<void> {
  for (const [label, text] of Object.entries(entries)) await page.getByLabel(label).fill(text);
}
