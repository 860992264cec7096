import type { BrowserContext, Page } from 'playwright-core';
import type { Member } from '../../src/console/identity/people/members.ts';
import { freePort } from '../harness/free-port.ts';
import { TestService } from '../harness/service.ts';
import { useVisits, type VisitOptions } from '../pages/fixtures/browser.ts';
import { startSession } from './console.ts';

/** A console in a browser, for the tests of one `describe`. */
export interface Site {
  /** Exists from the first `before` of the `describe` on. */
  readonly service: TestService;
  /** Context of the page that was opened last. */
  readonly context: BrowserContext;
  /** Opens a page. The person is signed in; with null, nobody is. */
  open(person: Pick<Member, 'personId'> | null, options?: VisitOptions): Promise<Page>;
  /** Gives the page that was opened last a session of the person. */
  enter(person: Pick<Member, 'personId'>): Promise<void>;
}

/** Starts a service before the tests of the surrounding `describe`. `useVisits` says what it expects of the pages. */
export function useSite(env: Record<string, string> = {}): Site {
  const visits = useVisits();
  let service: TestService;
  let address: string;

  before(async () => {
    // Without https, so that the browser takes the cookie. Passkeys need the true address, and `localhost` as its host.
    const port = await freePort();
    address = `http://localhost:${port}`;
    service = await TestService.start({ env: { PORT: `${port}`, PUBLIC_URL: address, ...env } });
  });

  after(() => service?.close());

  const enter = async ({ personId }: Pick<Member, 'personId'>) => {
    const value = await startSession(service, personId);
    await visits.last.context.addCookies([{ name: 'paylinks_console', value, url: address, httpOnly: true }]);
  };

  return {
    get service() {
      return service;
    },
    get context() {
      return visits.last.context;
    },
    async open(person, options = {}) {
      const page = await visits.open(address, null, options);
      if (person !== null) await enter(person);
      return page;
    },
    enter,
  };
}
