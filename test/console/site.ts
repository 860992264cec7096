import { expect } from 'chai';
import type { BrowserContext, Page } from 'playwright-core';
import type { User } from '../../src/console/people/users.ts';
import { startSession } from '../../src/console/sign-in/sessions.ts';
import { freePort } from '../harness/free-port.ts';
import { TestService } from '../harness/service.ts';
import { sharedBrowser, type Visit, type VisitOptions, visit } from '../pages/fixtures/browser.ts';

/** A console in a browser, for the tests of one `describe`. */
export interface Site {
  /** Exists from the first `before` of the `describe` on. */
  readonly service: TestService;
  /** Context of the page that was opened last. */
  readonly context: BrowserContext;
  /** Opens a page. The person is signed in; with null, nobody is. */
  open(person: Pick<User, 'personId'> | null, options?: VisitOptions): Promise<Page>;
  /** Gives the page that was opened last a session of the person. */
  enter(person: Pick<User, 'personId'>): Promise<void>;
}

/**
 * Starts a service before the tests of the surrounding `describe`. After each test it closes the pages, and expects that
 * they asked no other host, had no script error and broke no security policy.
 */
export function useSite(env: Record<string, string> = {}): Site {
  const visits: Visit[] = [];
  let service: TestService;
  let address: string;

  before(async () => {
    // Without https, so that the browser takes the cookie. Passkeys need the true address, and `localhost` as its host.
    const port = await freePort();
    address = `http://localhost:${port}`;
    service = await TestService.start({ env: { PORT: `${port}`, PUBLIC_URL: address, ...env } });
  });

  after(() => service?.close());

  afterEach(async () => {
    const opened = visits.splice(0);
    for (const { close } of opened) await close();
    expect(opened.map(({ foreign, faults }) => [foreign, faults])).to.deep.equal(opened.map(() => [[], []]));
  });

  const context = () => {
    const last = visits.at(-1);
    if (last === undefined) throw new Error('no page is open');
    return last.context;
  };

  const enter = async ({ personId }: Pick<User, 'personId'>) => {
    const value = await startSession(service.scope(), personId);
    await context().addCookies([{ name: 'paylinks_console', value, url: address, httpOnly: true }]);
  };

  return {
    get service() {
      return service;
    },
    get context() {
      return context();
    },
    async open(person, options = {}) {
      const opened = await visit(await sharedBrowser(), address, options);
      visits.push(opened);
      if (person !== null) await enter(person);
      return opened.page;
    },
    enter,
  };
}
