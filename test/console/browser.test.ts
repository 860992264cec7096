import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { createSignInUrl } from '../../src/console/identity/sign-in/tokens.ts';
import { madeOnce, useReceiver } from '../harness/fixtures.ts';
import { doubleClick, screenshot, type VisitOptions } from '../pages/fixtures/browser.ts';
import { checkLooks, checkPresent } from './axe.ts';
import { busyPractice } from './busy-practice.ts';
import { addMember, signInUrl } from './console.ts';
import { useSite } from './site.ts';

describe('the console in a browser', () => {
  const receiver = useReceiver();
  const site = useSite();
  const busy = madeOnce(() => busyPractice(site.service, receiver));

  const open = (options?: VisitOptions) => site.open(busy.people.owner, options);

  it('a person signs in, invites a colleague and signs out by keyboard alone', async () => {
    const page = await site.open(null, { width: 320 });
    await page.goto(new URL(await signInUrl(site.service, busy.people.owner)).pathname);
    await reach(page, 'Sign in');
    await page.keyboard.press('Enter');
    await page.waitForURL(`**${busy.home}`);
    await page.keyboard.press('Tab');
    expect(await focused(page)).to.equal('Skip to the content');
    await reach(page, 'People');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Invite a person' }).waitFor();
    await page.getByLabel('Email address').focus();
    await page.keyboard.type('keyboard@elm.example');
    await page.keyboard.press('Tab');
    await page.keyboard.press('v'); // Selects the role Viewer by its first letter.
    await reach(page, 'Send the invitation');
    await page.keyboard.press('Enter');
    await page.getByText('The invitation is on its way.').waitFor();
    const row = page.getByRole('row', { name: 'keyboard@elm.example' });
    expect(await row.textContent()).to.include('Viewer');
    await reach(page, 'Sign out');
    await page.keyboard.press('Enter');
    await page.getByText('You are signed out.').waitFor();
    await page.goBack();
    await page.waitForURL('**/console/sign-in?to=*');
  });

  it('a ticked location or event chooses "only these", a typed amount chooses "a part", and choosing all of it empties them', async () => {
    const page = await open();
    for (const [path, all, some, box] of [
      [`${busy.home}/people`, 'All locations', 'Only these locations', 'input[name^="location."]'],
      [
        `${busy.home}/test/developers/webhooks/new`,
        'All types, also future ones',
        'Only these types',
        'input[name^="event."]',
      ],
      [`${busy.home}/live/payments/${busy.payments.refunded}/refund`, /^All/, /^A part/, 'input[name="amount"]'],
    ] as const) {
      await page.goto(path);
      const field = page.locator(box).first();
      const isText = (await field.getAttribute('type')) !== 'checkbox';
      expect(await page.getByRole('radio', { name: all }).isChecked(), path).to.equal(true);
      await (isText ? field.fill('5') : field.check());
      expect(await page.getByRole('radio', { name: some }).isChecked(), path).to.equal(true);
      await page.getByRole('radio', { name: all }).check();
      expect(isText ? await field.inputValue() : await field.isChecked(), path).to.equal(isText ? '' : false);
    }
  });

  it('a person adds a passkey, is back on the page of before by it, and confirms a change by it, after which the form is sent again', async () => {
    const page = await open({ width: 320 });
    await addAuthenticator(page);
    await page.goto('/console/account');
    await page.getByLabel('Name of the passkey').fill('Front desk');
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByText('The passkey is added').waitFor();
    await page.getByRole('heading', { name: 'Front desk' }).waitFor();
    await checkPresent(page, 'account-with-passkey');
    const path = `${busy.home}/people/${busy.people.colleague.id}`;
    await page.goto(path);
    site.service.clock.advance({ minutes: 15 });
    await page.reload();
    await page.getByText('You are signed out.').waitFor();
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.waitForURL(`**${path}`);
    for (let i = 0; i < 2; i++) {
      site.service.clock.advance({ minutes: 8 });
      await page.goto(path);
    }
    await page.getByRole('combobox').first().selectOption('viewer');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Confirm that it is you' }).waitFor();
    await checkPresent(page, 'confirm-again');
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByText('Your form was not sent.').waitFor();
    expect(await page.getByRole('combobox').first().inputValue()).to.equal('viewer');
    await checkPresent(page, 'confirmed-again');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The change is saved.').waitFor();
  });

  it('a person without a passkey, or who declines, sees what to do instead', async () => {
    const page = await site.open(null);
    await addAuthenticator(page);
    await page.goto('/console/sign-in');
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByText('No passkey was used.').waitFor();
    await checkLooks(page, 'no-passkey-en');
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByText('No passkey was used.').waitFor();
  });

  it('an idle tab keeps its form while another tab is used, offers to stay when both are idle, leaves the screen, and brings the form back', async () => {
    const page = await open({ width: 320 });
    await page.clock.install();
    await page.goto(`${busy.home}/people`);
    await page.getByLabel('Email address').fill('half@elm.example');
    const other = await site.context.newPage();
    const pass = async (minutes: number) => {
      site.service.clock.advance({ minutes });
      await page.clock.fastForward(minutes * 60_000);
    };
    const alert = page.getByText('You will be signed out in two minutes.');
    for (let times = 0; times < 3; times++) {
      await pass(10);
      await other.goto(busy.home);
    }
    await pass(6);
    expect(await page.getByLabel('Email address').inputValue()).to.equal('half@elm.example');
    expect(await alert.isVisible()).to.equal(false);
    await pass(8);
    await alert.waitFor();
    // The alert stays above what is scrolled.
    await page.evaluate('scrollTo(0, 0)');
    await checkLooks(page, 'idle');
    await page.getByRole('button', { name: 'Stay signed in' }).click();
    await alert.waitFor({ state: 'hidden' });
    await pass(14);
    await alert.waitFor();
    await pass(2);
    await page.getByText('You are signed out.').waitFor();
    expect(await page.getByText(busy.people.owner.email).count()).to.equal(0);
    await page.goto(await createSignInUrl(site.service.scope(), busy.people.owner.personId));
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL('**/console/prac_*');
    await page.goto(`${busy.home}/people`);
    await page.getByText('Your form was not sent.').waitFor();
    expect(await page.getByLabel('Email address').inputValue()).to.equal('half@elm.example');
    await checkLooks(page, 'form-is-back');
  });

  it('a person makes a link, copies its address and prints a slip by keyboard, and sees that the patient has paid', async () => {
    const { practiceId } = await site.service.practice();
    const desk = await addMember(site.service, practiceId, 'front_desk', { email: 'desk@oak.example' });
    const page = await site.open(desk, { width: 800 });
    await site.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.goto(`/console/${practiceId}`);
    await page.getByRole('link', { name: 'New link' }).press('Enter');
    await fill(page, { 'First name': 'Ada', 'Last name': 'Byron', 'Amount in dollars': '$ 125.50' });
    await page.getByLabel('What it is for').fill('Cleaning, March 3');
    let sent = 0;
    page.on('request', (request) => {
      if (request.method() === 'POST') sent++;
    });
    await doubleClick(page.getByRole('button', { name: 'Create without sending' }));
    await page.getByText('The link is ready for the patient.').waitFor();
    expect(sent, 'a double click makes one link').to.equal(1);
    await page.getByRole('button', { name: 'Copy the address' }).press('Enter');
    await page.getByText('Copied.').waitFor();
    const address = await page.getByLabel('Address for the patient').inputValue();
    expect(await page.evaluate<string>('navigator.clipboard.readText()')).to.equal(address);
    await page.getByRole('link', { name: 'Print a slip' }).press('Enter');
    await page.getByRole('heading', { name: 'Slip for the patient' }).waitFor();
    await page.emulateMedia({ media: 'print' });
    for (const shown of [page.getByText('$125.50'), page.getByText(address), page.getByRole('img')]) {
      expect(await shown.isVisible()).to.equal(true);
    }
    for (const hidden of [page.getByRole('link', { name: 'Sign out' }), page.getByRole('navigation').first()]) {
      expect(await hidden.isVisible()).to.equal(false);
    }
    await screenshot(page, 'console-links-slip-printed');
    await page.emulateMedia({ media: 'screen' });
    await page.goBack();
    const patient = await site.open(null, { width: 800 });
    await patient.goto(address);
    await patient.getByRole('button', { name: 'Pay $125.50' }).click();
    await patient.getByRole('heading', { name: 'Thank you, your payment was received' }).waitFor();
    await page.reload();
    await page.getByText('The patient has paid.').waitFor();
  });

  it('a search suggests patients while a person types: the slash key focuses it, and the next stop is the patient', async () => {
    const page = await open();
    await page.goto(`${busy.home}/test/links`);
    await page.keyboard.press('/');
    await page.keyboard.type('feather');
    await page.locator('.suggestions').getByRole('link').first().waitFor();
    await checkPresent(page, 'search-suggestions');
    await page.goto(`${busy.home}/test/links/new`);
    await page.keyboard.type('feather');
    await page.locator('.suggestions').getByRole('link').first().waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/links/new?patient=*');
    expect(await page.getByLabel('Last name').inputValue()).to.equal('Featherstonehaugh');
    expect(await page.evaluate('document.activeElement.name'), 'the person goes on with the amount').to.equal('amount');
  });

  it('the printed evidence sheet has none of the console around it, and its button prints', async () => {
    const page = await open();
    const { disputed, dispute } = busy.payments;
    await page.goto(`${busy.home}/live/payments/${disputed}/disputes/${dispute}`);
    await page.evaluate('window.print = () => { document.title = "printed"; }');
    await page.getByRole('button', { name: 'Print' }).click();
    expect(await page.title()).to.equal('printed');
    await page.emulateMedia({ media: 'print' });
    for (const selector of ['.site-header', '.menu', '.account', '.mode-live', '.no-print']) {
      expect(await page.locator(selector).isVisible(), selector).to.equal(false);
    }
    expect(await page.getByText('Authorization').first().isVisible()).to.equal(true);
    await checkPresent(page, 'evidence-printed');
  });

  describe('without JavaScript', () => {
    const openPlain = async (path: string): Promise<Page> => {
      const page = await open({ javaScript: false, width: 320 });
      await page.goto(`${busy.home}${path}`);
      return page;
    };

    it('a person signs in by a mail, and reads the audit log, without JavaScript', async () => {
      const page = await site.open(null, { javaScript: false });
      await page.goto('/console/sign-in');
      expect(await page.getByRole('button', { name: 'Sign in with a passkey' }).count()).to.equal(0);
      await page.goto(new URL(await signInUrl(site.service, busy.people.owner)).pathname);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.waitForURL(`**${busy.home}`);
      await page.goto('/console/account');
      await page.getByText('Adding a passkey needs JavaScript').waitFor();
      await page.goBack();
      await page.getByRole('link', { name: 'Audit log' }).click();
      await page.getByText('Filter', { exact: true }).click();
      await page.getByLabel('Who').fill('operator');
      await page.getByRole('button', { name: 'Apply' }).click();
      await page.getByRole('cell', { name: 'Operator of the service' }).first().waitFor();
    });

    it('a link is made, found, changed and cancelled without JavaScript, and its address can be selected', async () => {
      const page = await openPlain('/test/links/new');
      await fill(page, { 'First name': 'Olga', 'Last name': 'Núñez', 'Amount in dollars': '10' });
      await page.getByLabel('What it is for').fill('Cleaning');
      await page.getByLabel('Location').selectOption({ index: 2 });
      await page.getByRole('button', { name: 'Create without sending' }).click();
      await page.getByText('The link is ready for the patient.').waitFor();
      expect(await page.getByLabel('Address for the patient').inputValue()).to.match(/\/pay\/[A-Za-z0-9]{32}$/);
      expect(await page.getByRole('button', { name: 'Copy the address' }).isVisible()).to.equal(false);
      await page.getByRole('link', { name: 'Payment links' }).click();
      await page.getByRole('searchbox').fill('nun');
      await page.getByRole('button', { name: 'Search' }).click();
      await page.getByRole('heading', { name: 'Olga Núñez' }).waitFor();
      await page.getByRole('link', { name: '$10.00 Cleaning' }).click();
      await page.getByRole('link', { name: 'Change', exact: true }).click();
      await page.getByLabel('Amount in dollars').fill('12');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('The change is saved.').waitFor();
      await page.getByRole('link', { name: 'Cancel the link' }).click();
      await page.getByLabel('Reason').selectOption({ label: 'The link was wrong' });
      await page.getByLabel('Yes, cancel this link').check();
      await page.getByRole('button', { name: 'Cancel the link' }).click();
      await page.getByText('The link is canceled.').waitFor();
      await page.getByText('· The link was wrong').waitFor();
    });

    it('a payment is found by the filter and refunded without JavaScript', async () => {
      const page = await openPlain('/live/payments');
      await page.getByText('Filter', { exact: true }).click();
      await page.getByLabel('Status').selectOption('partly_refunded');
      await page.getByRole('button', { name: 'Apply' }).click();
      await page.getByRole('link', { name: 'Open the payment of Ada Refunded, $125.50' }).click();
      await page.getByRole('link', { name: 'Refund' }).click();
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByLabel('Yes, refund this amount').check();
      await page.getByRole('button', { name: 'Refund now' }).click();
      await page.getByText('The refund is recorded.').waitFor();
    });

    it('a developer finds out in two clicks from home why a webhook failed, and sends it again, without JavaScript', async () => {
      const page = await openPlain('/test');
      await page.getByRole('link', { name: /^\d+ failed$/ }).click();
      await page.getByRole('link', { name: 'Why?' }).click();
      await page.getByRole('heading', { name: 'All attempts failed' }).waitFor();
      expect(await page.getByText('The endpoint answered 404 instead of 2xx.').count()).to.be.above(0);
      await page.getByRole('button', { name: 'Redeliver' }).click();
      await page.getByText('It was queued and is sent within seconds.').waitFor();
    });

    it('a developer adds an endpoint and finds a refused request by keyboard alone, without JavaScript', async () => {
      const page = await openPlain('/test/developers');
      const press = async (text: string) => {
        const control = page
          .getByRole('link', { name: text, exact: true })
          .or(page.getByRole('button', { name: text }));
        await control.focus();
        await page.keyboard.press('Enter');
      };
      await press('Add a webhook endpoint');
      await page.getByLabel('Address (URL)').focus();
      await page.keyboard.type('https://desk.example.com/hooks');
      await press('Add the endpoint');
      await page.getByText('The endpoint receives events from now on.').waitFor();
      await press('Developers');
      await press('API requests');
      await page.getByText('Filter', { exact: true }).press('Enter');
      await page.getByLabel('Status').focus();
      await page.keyboard.press('4');
      await press('Apply');
      await page.getByText('not_found').first().waitFor();
      expect(await page.getByText('POST', { exact: true }).count()).to.equal(0);
    });
  });
});

/** Gives the browser an authenticator that keeps passkeys and checks its person without asking. */
async function addAuthenticator(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true },
      ...{ hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true },
    },
  });
}

/** Presses Tab until the control with this text has the focus. */
async function reach(page: Page, text: string): Promise<void> {
  for (let presses = 0; presses < 40; presses++) {
    await page.keyboard.press('Tab');
    if ((await focused(page)) === text) return;
  }
  throw new Error(`"${text}" cannot be reached by Tab`);
}

function focused(page: Page): Promise<string> {
  return page.evaluate<string>('(document.activeElement?.textContent ?? "").trim()');
}

async function fill(page: Page, entries: Readonly<Record<string, string>>): Promise<void> {
  for (const [label, text] of Object.entries(entries)) await page.getByLabel(label).fill(text);
}
