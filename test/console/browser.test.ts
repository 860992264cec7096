import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { createInvitationToken } from '../../src/console/people/accept.ts';
import { inviteUser } from '../../src/console/people/invitations.ts';
import type { User } from '../../src/console/people/users.ts';
import type { TestPractice, TestService } from '../harness/service.ts';
import { doubleClick } from '../pages/fixtures/browser.ts';
import { checkLooks, checkPage, checkPresent } from './axe.ts';
import { addUser, signInUrl } from './console.ts';
import { useSite } from './site.ts';

describe('the console in a browser', function () {
  this.timeout(120_000);
  const site = useSite();
  let service: TestService;
  let practice: TestPractice;
  let owner: User;
  let colleague: User;
  let invitation: string;

  before(async () => {
    service = site.service;
    practice = await service.practice();
    owner = await addUser(service, practice.practiceId, 'owner', { email: 'ada.byron@elm.example' });
    colleague = await addUser(service, practice.practiceId, 'front_desk', {
      email: 'a-very-long-address-of-a-colleague-at-the-front-desk@elm.example',
      locationIds: [practice.locationId],
    });
    const second = await service.practice();
    await addUser(service, second.practiceId, 'viewer', { email: colleague.email });
    await service.query(
      `insert into passkeys (id, person_id, credential_id, public_key, counter, transports, name, created_at)
       values ('pkey_1', $1, 'credential', '\\x00', 0, '{}', 'Computer at the front desk', now())`,
      [colleague.personId],
    );
    const grant = {
      email: 'an-invited-person-with-a-long-address@elm.example',
      role: 'viewer',
      locationIds: null,
    } as const;
    const invited = await inviteUser(service.scope(), { kind: 'operator' }, practice.practiceId, grant);
    invitation = await createInvitationToken(service.scope(), invited);
  });

  const signedInPages = () => {
    const home = `/console/${practice.practiceId}`;
    return [
      ['home', home],
      ['people', `${home}/people?done=invited`],
      ['person', `${home}/people/${colleague.id}?refused=last_owner`],
      ['audit-log', `${home}/audit-log`],
      ['audit-log-empty', `${home}/audit-log?actor=nobody@elm.example`],
      ['confirm-sent', '/console/confirm'],
      ['account', '/console/account?done=added'],
      ['not-found', `${home}/no-such-page`],
    ] as const;
  };

  it('every page passes axe and fits the screen in both languages, widths and color schemes', async () => {
    const page = await site.open(null);
    const check = (name: string, path: string) => checkPage(page, name, path);
    await check('sign-in', '/console/sign-in?ended=1');
    await check('sent', '/console/sign-in/sent');
    await check('expired', '/console/sign-in/unknown');
    await check('confirm', new URL(await signInUrl(service, owner)).pathname);
    await check('invitation', `/console/sign-in/${invitation}`);
    await site.enter(owner);
    for (const [name, path] of signedInPages()) await check(name, path);
    await site.enter(colleague);
    await check('practices', '/console');
    await check('forbidden', `/console/${practice.practiceId}/people`);
  });

  it('a person signs in, invites a colleague and signs out by keyboard alone', async () => {
    const page = await site.open(null, { width: 320 });
    await page.goto(new URL(await signInUrl(service, owner)).pathname);
    await reach(page, 'Sign in');
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/console/${practice.practiceId}`);
    await page.keyboard.press('Tab');
    expect(await focused(page)).to.equal('Skip to the content');
    await reach(page, 'People');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Invite a person' }).waitFor();
    await page.getByLabel('Mail address').focus();
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

  it('a person adds a passkey, signs in with it on the page of the sign-in, and is back on the page of before', async () => {
    const page = await site.open(owner, { width: 320 });
    await addAuthenticator(page);
    await page.goto('/console/account');
    await page.getByLabel('Name of the passkey').fill('Front desk');
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByText('The passkey was added.').waitFor();
    await page.getByRole('heading', { name: 'Front desk' }).waitFor();
    await checkPresent(page, 'account-with-passkey');
    await page.goto(`/console/${practice.practiceId}/people`);
    service.clock.advance({ minutes: 15 });
    await page.reload();
    await page.getByText('You are signed out.').waitFor();
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.waitForURL(`**/console/${practice.practiceId}/people`);
    await page.getByRole('heading', { name: 'People' }).waitFor();
  });

  it('a change of people after 15 minutes is confirmed by a passkey, which keeps the form', async () => {
    const page = await site.open(owner);
    await addAuthenticator(page);
    await page.goto('/console/account');
    await page.getByLabel('Name of the passkey').fill('Office');
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByText('The passkey was added.').waitFor();
    const path = `/console/${practice.practiceId}/people/${colleague.id}`;
    for (let i = 0; i < 2; i++) {
      service.clock.advance({ minutes: 8 });
      await page.goto(path);
    }
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Confirm that it is you' }).waitFor();
    await checkPresent(page, 'confirm-again');
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByText('Your form was not sent yet.').waitFor();
    await checkPresent(page, 'confirm-again-send');
    await page.getByRole('button', { name: 'Send the form now' }).click();
    await page.getByText('The change applies from now on.').waitFor();
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

  it('the console works without JavaScript', async () => {
    const page = await site.open(null, { javaScript: false });
    await page.goto('/console/sign-in');
    expect(await page.getByRole('button', { name: 'Sign in with a passkey' }).count()).to.equal(0);
    await page.goto(new URL(await signInUrl(service, owner)).pathname);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL(`**/console/${practice.practiceId}`);
    await page.goto('/console/account');
    await page.getByText('Adding a passkey needs JavaScript').waitFor();
    await page.goBack();
    await page.getByRole('link', { name: 'Audit log' }).click();
    await page.getByLabel('Who').fill('operator');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByRole('cell', { name: 'Operator of the service' }).first().waitFor();
  });

  it('an idle page offers to stay two minutes before its session ends, and leaves the screen at the end', async () => {
    const page = await site.open(owner, { width: 320 });
    await page.clock.install();
    await page.goto(`/console/${practice.practiceId}/people`);
    const pass = async (minutes: number) => {
      service.clock.advance({ minutes });
      await page.clock.fastForward(minutes * 60_000);
    };
    const alert = page.getByText('You will be signed out in two minutes.');
    await pass(13);
    expect(await alert.isVisible()).to.equal(false);
    await pass(1);
    await alert.waitFor();
    await checkLooks(page, 'idle-en');
    await page.getByRole('button', { name: 'Stay signed in' }).click();
    await alert.waitFor({ state: 'hidden' });
    await pass(14);
    await alert.waitFor();
    await pass(2);
    await page.getByText('You are signed out.').waitFor();
    expect(await page.getByText(owner.email).count()).to.equal(0);
  });

  it('an idle tab keeps its form while another tab is used, and leaves the screen when both are idle', async () => {
    const page = await site.open(owner);
    await page.clock.install();
    await page.goto(`/console/${practice.practiceId}/people`);
    await page.getByLabel('Mail address').fill('half@elm.example');
    const other = await site.context.newPage();
    const pass = async (minutes: number) => {
      service.clock.advance({ minutes });
      await page.clock.fastForward(minutes * 60_000);
    };
    for (let times = 0; times < 3; times++) {
      await pass(10);
      await other.goto(`/console/${practice.practiceId}`);
    }
    await pass(6);
    expect(await page.getByLabel('Mail address').inputValue()).to.equal('half@elm.example');
    expect(await page.getByText('You will be signed out in two minutes.').isVisible()).to.equal(false);
    await pass(8);
    await page.getByText('You will be signed out in two minutes.').waitFor();
    await pass(2);
    await page.getByText('You are signed out.').waitFor();
  });

  it('a form that is sent twice by a double click is sent once', async () => {
    const page = await site.open(owner);
    await page.goto(`/console/${practice.practiceId}/people`);
    let sent = 0;
    page.on('request', (request) => {
      if (request.method() === 'POST') sent++;
    });
    await page.getByLabel('Mail address').fill('double@elm.example');
    await doubleClick(page.getByRole('button', { name: 'Send the invitation' }));
    await page.getByText('The invitation is on its way.').waitFor();
    expect(sent).to.equal(1);
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
