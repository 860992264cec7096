import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { KeptMails, runJobs } from '../harness/mails.ts';
import { accept, Receiver, refuse } from '../harness/receiver.ts';
import type { TestPractice, TestService } from '../harness/service.ts';
import { followRetrySchedule } from '../harness/webhooks.ts';
import { addUser, signInUrl } from './console.ts';
import { picture } from './pictures.ts';
import { useSite } from './site.ts';

const PEOPLE = { desk: 'desk@elm.example', billing: 'billing@elm.example', developer: 'developer@elm.example' };

/** The way of a practice through the console, by its pages alone. Mails are read as a person reads them. */
describe('a practice at work in the console', function () {
  this.timeout(120_000);
  const mailer = new KeptMails();
  const site = useSite();
  let service: TestService;
  let practice: TestPractice;
  let receiver: Receiver;

  before(async () => {
    service = site.service;
    receiver = await new Receiver().start();
    practice = await service.practice();
  });

  after(() => receiver?.close());

  const open = () => site.open(null, { width: 800 });

  /** Returns the address in the latest mail to a person. */
  const mailed = async (email: string): Promise<string> => {
    await runJobs(service, mailer);
    const mail = mailer.mails.findLast(({ to }) => to.includes(email));
    return /http\S+\/console\/sign-in\/\S+/.exec(mail?.text ?? '')?.[0] ?? `no mail to ${email}`;
  };

  const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
  const follow = (page: Page, name: string) => page.getByRole('link', { name, exact: true }).click();

  /** Follows the invitation of a person in a browser of their own. */
  const accepts = async (email: string): Promise<Page> => {
    const page = await open();
    await page.goto(await mailed(email));
    await press(page, 'Accept the invitation');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    return page;
  };

  /** Signs in again, by a mail that the person asks for. */
  const signsInAgain = async (page: Page, email: string): Promise<void> => {
    await page.goto('/console');
    await page.getByLabel('Mail address').fill(email);
    await press(page, 'Send me a link');
    await page.getByRole('heading', { name: 'Look into your mailbox' }).waitFor();
    await page.goto(await mailed(email));
    await press(page, 'Sign in');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
  };

  const invites = async (page: Page, email: string, role: string): Promise<void> => {
    await page.getByLabel('Mail address').fill(email);
    await page.getByLabel('Role', { exact: true }).selectOption({ label: role });
    await press(page, 'Send the invitation');
    await page.getByRole('row', { name: email }).waitFor();
  };

  /** Adds an endpoint and a key, and returns the key. */
  const connects = async (page: Page): Promise<string> => {
    await follow(page, 'Developers');
    await follow(page, 'Add a webhook endpoint');
    await page.getByLabel('Address (URL)').fill(receiver.url);
    await press(page, 'Add the endpoint');
    await page.getByText('The endpoint receives events from now on.').waitFor();
    await follow(page, 'Developers');
    await follow(page, 'Create an API key');
    await page.getByLabel('Read payment links').check();
    await press(page, 'Create the key');
    return page.getByLabel('API key').inputValue();
  };

  /** Makes a link and returns its address. */
  const createsLink = async (page: Page): Promise<string> => {
    await follow(page, 'New link');
    await page.getByLabel('First name').fill('Ada');
    await page.getByLabel('Last name').fill('Byron');
    await page.getByLabel('Amount in dollars').fill('125.50');
    await page.getByLabel('What it is for').fill('Cleaning, March 3');
    await picture(page, 'new-link');
    await press(page, 'Create the link');
    await page.getByText('The link is ready.').waitFor();
    await picture(page, 'link-ready');
    return page.getByLabel('Address for the patient').inputValue();
  };

  const pays = async (page: Page, address: string): Promise<void> => {
    await page.goto(address);
    await picture(page, 'patient-pays');
    await press(page, 'Pay $125.50');
    await page.getByRole('heading', { name: 'Thank you, your payment was received' }).waitFor();
  };

  /** Delivers until the last retry has failed. */
  const deliveryFails = async (): Promise<void> => {
    receiver.answer = refuse(404);
    const { body } = await practice.live.get('/api/v1/webhook-endpoints');
    await followRetrySchedule(service, service.deliverer(), body.data[0].id);
  };

  const refunds = async (page: Page): Promise<void> => {
    await follow(page, 'Payments');
    await page.getByRole('link', { name: 'Open the payment of Ada Byron, $125.50' }).click();
    await follow(page, 'Refund');
    await page.getByLabel('A part', { exact: true }).check();
    await page.getByLabel('Amount of the part, in dollars').fill('25.50');
    await press(page, 'Continue');
    await page.getByLabel('Yes, refund this amount').check();
    await press(page, 'Refund now');
    await page.getByText('The refund is recorded.').waitFor();
  };

  /** Downloads the payments of the present month. */
  const exportsMonth = async (page: Page): Promise<string> => {
    await follow(page, 'Payments');
    await follow(page, 'Totals by day, location and method');
    const [download] = await Promise.all([page.waitForEvent('download'), press(page, 'Download these payments (CSV)')]);
    return readFileSync(await download.path(), 'utf8');
  };

  const findsOutWhy = async (page: Page): Promise<void> => {
    await page.getByRole('link', { name: /^\d+ failed$/ }).click();
    // The payment's event stands below that of the refund.
    await page.getByRole('link', { name: 'Why?' }).last().click();
    await page.getByRole('heading', { name: 'All attempts failed' }).waitFor();
    await page.getByText('The endpoint answered 404 instead of 2xx. Check the path').first().waitFor();
  };

  it('people are invited and sign in, a link is sent, paid and refunded, a webhook repaired, the month exported, a key revoked', async () => {
    const owner = await addUser(service, practice.practiceId, 'owner', { email: 'owner@elm.example' });
    const office = await open();
    await office.goto(await signInUrl(service, owner));
    await press(office, 'Sign in');
    await follow(office, 'People');
    await invites(office, PEOPLE.desk, 'Front desk');
    await invites(office, PEOPLE.billing, 'Billing');
    await invites(office, PEOPLE.developer, 'Developer');

    const developer = await accepts(PEOPLE.developer);
    const key = await connects(developer);
    const asKey = () => service.client(key).get('/api/v1/payment-links');
    expect((await asKey()).status).to.equal(200);

    const desk = await accepts(PEOPLE.desk);
    await pays(await open(), await createsLink(desk));
    await desk.reload();
    await desk.getByText('The patient has paid.').waitFor();
    await picture(desk, 'link-paid');

    const billing = await accepts(PEOPLE.billing);
    await refunds(billing);
    const file = await exportsMonth(billing);
    expect(file).to.include('"Ada Byron"').and.include('"125.50"').and.include('"25.50"');

    await deliveryFails();
    await signsInAgain(developer, PEOPLE.developer);
    await findsOutWhy(developer);
    receiver.answer = accept;
    receiver.received.length = 0;
    await press(developer, 'Redeliver');
    await developer.getByText('It was queued and is sent within seconds.').waitFor();
    await deliversAll();
    await developer.reload();
    await developer.getByRole('heading', { name: /Delivered/ }).waitFor();

    await follow(developer, 'Developers');
    await developer.getByRole('link', { name: `Key …${key.slice(-4)}` }).click();
    await developer.getByLabel('Yes, revoke this key').check();
    await press(developer, 'Revoke');
    await developer.getByText('The key is revoked.').waitFor();
    expect((await asKey()).status).to.equal(401);
  });

  const deliversAll = async (): Promise<void> => {
    const { body } = await practice.live.get('/api/v1/webhook-endpoints');
    const deliverer = service.deliverer();
    deliverer.wakeUp(body.data[0].id);
    await deliverer.idle();
    expect(receiver.received.map(({ event }) => event.data.paymentLink.status)).to.deep.equal(['paid']);
  };
});
