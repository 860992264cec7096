import axe from 'axe-core';
import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import type { User } from '../../src/console/people/users.ts';
import { startSession } from '../../src/console/sign-in/sessions.ts';
import { type TestPractice, TestService } from '../harness/service.ts';
import { violations } from '../pages/fixtures/accessibility.ts';
import { startBrowser, type Visit, visit } from '../pages/fixtures/browser.ts';
import { checkPage, LOOKS } from './axe.ts';
import { addUser, signInUrl } from './console.ts';

describe('the console in a browser', function () {
  this.timeout(60_000);
  let service: TestService;
  let practice: TestPractice;
  let owner: User;
  let colleague: User;
  let browser: Browser;
  let now: Visit | undefined;

  before(async () => {
    // Without https, so that the browser takes the cookie from a test server.
    const env = { PUBLIC_URL: 'http://localhost:3000' };
    [browser, service] = await Promise.all([startBrowser(), TestService.start({ env })]);
    practice = await service.practice();
    owner = await addUser(service, practice.practiceId, 'owner', { email: 'ada.byron@elm.example' });
    colleague = await addUser(service, practice.practiceId, 'front_desk', {
      email: 'a-very-long-address-of-a-colleague-at-the-front-desk@elm.example',
      locationIds: [practice.locationId],
    });
    const second = await service.practice();
    await addUser(service, second.practiceId, 'viewer', { email: colleague.email });
  });

  after(async () => {
    await browser?.close();
    await service?.close();
  });

  afterEach(async () => {
    await now?.close();
    // No request to another host, no script error, no refusal by the security policy.
    expect([now?.foreign, now?.faults]).to.deep.equal([[], []]);
    now = undefined;
  });

  const open = async (options: Parameters<typeof visit>[2] = {}): Promise<Page> => {
    now = await visit(browser, service.baseUrl, options);
    await now.context.addInitScript({ content: axe.source });
    return now.page;
  };

  /** Gives the browser a session of the person. */
  const enter = async ({ personId }: User): Promise<void> => {
    const value = await startSession(service.scope(), personId);
    await now?.context.addCookies([{ name: 'paylinks_console', value, url: service.baseUrl, httpOnly: true }]);
  };

  const signedInPages = () => {
    const home = `/console/${practice.practiceId}`;
    return [
      ['home', home],
      ['people', `${home}/people?done=invited`],
      ['person', `${home}/people/${colleague.id}?refused=last_owner`],
      ['audit-log', `${home}/audit-log`],
      ['audit-log-empty', `${home}/audit-log?actor=nobody@elm.example`],
      ['confirm-sent', '/console/confirm'],
      ['not-found', `${home}/no-such-page`],
    ] as const;
  };

  for (const look of LOOKS) {
    const [colorScheme, width] = look;
    it(`every page passes axe and fits the screen in both languages (${colorScheme}, ${width} px)`, async () => {
      const page = await open({ width });
      await page.emulateMedia({ colorScheme });
      const check = (name: string, path: string) => checkPage(page, look, name, path);
      await check('sign-in', '/console/sign-in?ended=1');
      await check('sent', '/console/sign-in/sent');
      await check('expired', '/console/sign-in/unknown');
      await check('confirm', new URL(await signInUrl(service, owner)).pathname);
      await enter(owner);
      for (const [name, path] of signedInPages()) await check(name, path);
      await enter(colleague);
      await check('practices', '/console');
      await check('forbidden', `/console/${practice.practiceId}/people`);
    });
  }

  it('a person signs in, invites a colleague and signs out by keyboard alone', async () => {
    const page = await open({ width: 320 });
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
    await page.waitForURL('**/console/sign-in');
  });

  it('the console works without JavaScript', async () => {
    const page = await open({ javaScript: false });
    await page.goto(new URL(await signInUrl(service, owner)).pathname);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('link', { name: 'Audit log' }).click();
    await page.getByLabel('Who').fill('operator');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByRole('cell', { name: 'Operator of the service' }).first().waitFor();
  });

  it('an idle page offers to stay two minutes before its session ends, and leaves the screen at the end', async () => {
    const page = await open({ width: 320 });
    await enter(owner);
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
    expect(await violations(page)).to.deep.equal([]);
    await page.getByRole('button', { name: 'Stay signed in' }).click();
    await alert.waitFor({ state: 'hidden' });
    await pass(14);
    await alert.waitFor();
    await pass(2);
    await page.getByText('You are signed out.').waitFor();
    expect(await page.getByText(owner.email).count()).to.equal(0);
  });

  it('a form that is sent twice by a double click is sent once', async () => {
    const page = await open();
    await enter(owner);
    await page.goto(`/console/${practice.practiceId}/people`);
    let sent = 0;
    page.on('request', (request) => {
      if (request.method() === 'POST') sent++;
    });
    await page.getByLabel('Mail address').fill('double@elm.example');
    await page.getByRole('button', { name: 'Send the invitation' }).dblclick();
    await page.getByText('The invitation is on its way.').waitFor();
    expect(sent).to.equal(1);
  });
});

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
