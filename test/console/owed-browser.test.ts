import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { madeOnce } from '../harness/fixtures.ts';
import { screenshot } from '../pages/fixtures/browser.ts';
import { addMember } from './console.ts';
import { billingPractice } from './payments-setup.ts';
import { useSite } from './site.ts';

/** Pixels of the screen of a phone. */
const PHONE = { width: 390, height: 844 };

describe('the owed amounts in a browser', () => {
  const site = useSite({ SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'pay@example.com' });

  /** Makes a practice with two locations, in which links of all parts are owed. */
  const owing = madeOnce(async () => {
    const { service } = site;
    const billing = await billingPractice(service);
    const { practice, payments, northId } = billing;
    const link = (lastName: string, amount: number, rest: object = {}) =>
      payments.link(practice, {
        patient: { firstName: 'Ada', lastName, phone: '+13125550143', email: 'ada@example.com' },
        ...{ amount, locationId: practice.locationId },
        ...rest,
      });
    await link('Expired', 20, { expiresAt: new Date(service.clock.now().getTime() + 86_400_000).toISOString() });
    await payments.pay(await link('Returned', 400), 'bank_returns');
    service.clock.advance({ days: 10 });
    await payments.sweep();
    await payments.pay(await link('Declined', 30, { locationId: northId }), 'card_insufficient_funds');
    await link('Waiting', 50);
    const desk = await addMember(service, practice.practiceId, 'front_desk');
    const clerk = await addMember(service, practice.practiceId, 'owner');
    return { desk, clerk, path: `${billing.path}/owed` };
  });

  /** Returns the patients' last names, in the order of the rows. */
  const names = (page: Page): Promise<string[]> =>
    page.evaluate(
      `[...document.querySelectorAll('tbody bdi')].flatMap(({ innerText }) => /^Ada (\\w+)$/.exec(innerText)?.[1] ?? [])`,
    );

  it('without scripts, a person filters and orders the list, sends several links again, and settles one from its row', async () => {
    const page = await site.open(owing.desk, { javaScript: false });
    await page.goto(owing.path);
    expect(await names(page)).to.deep.equal(['Expired', 'Returned', 'Declined', 'Waiting']);
    await page.getByRole('link', { name: 'Waiting', exact: true }).click();
    await page.getByText('Filter', { exact: true }).click();
    await page.getByLabel('Order').selectOption('Highest first');
    await page.getByRole('button', { name: 'Apply' }).click();
    expect(await names(page)).to.deep.equal(['Waiting', 'Declined']);
    for (const name of ['Waiting', 'Declined']) await page.getByRole('checkbox', { name: `Tick Ada ${name}` }).check();
    await page.getByRole('button', { name: 'Send the ticked links again' }).click();
    expect(await page.getByRole('status').innerText()).to.match(
      /Ada Declined · The email is on its way\.\s+Ada Waiting · The email/,
    );
    expect(await names(page)).to.deep.equal(['Waiting', 'Declined']);
    await page.getByRole('row', { name: 'Ada Declined' }).getByRole('link', { name: 'Settled elsewhere' }).click();
    await page.getByLabel('Reason').selectOption('Paid at the desk');
    await page.getByLabel('Yes, cancel this link').check();
    await page.getByRole('button', { name: 'Settled elsewhere' }).click();
    await page.getByText('The change is saved.').waitFor();
    expect(new URL(page.url()).search).to.equal('?show=waiting&order=amount&done=saved');
    expect(await names(page)).to.deep.equal(['Waiting']);
  });

  /** Returns the places of the rows' bottoms, in pixels. */
  const bottoms = (page: Page): Promise<number[]> =>
    page.evaluate(
      `[...document.querySelectorAll('tbody tr')].map((row) => Math.ceil(row.getBoundingClientRect().bottom))`,
    );

  it('on a wide screen, no name of an act is broken into two lines', async () => {
    const page = await site.open(owing.clerk, { width: 1280 });
    await page.goto(owing.path);
    const broken = `[...document.querySelectorAll('tbody td:last-child a')].filter((a) => a.getClientRects().length > 1).length`;
    expect(await page.evaluate(broken)).to.equal(0);
    expect(await page.getByRole('link', { name: 'Settled elsewhere' }).count()).to.be.at.least(3);
  });

  it('on a phone, three rows stand on the first screen, also for people who see all figures', async () => {
    for (const person of [owing.desk, owing.clerk]) {
      const page = await site.open(person, { width: PHONE.width });
      await page.setViewportSize(PHONE);
      await page.goto(owing.path);
      await screenshot(page, `console-owed-390-${person.personId}`);
      const places = await bottoms(page);
      expect(places[2], `${places}`).to.be.at.most(PHONE.height);
    }
  });
});
