import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { issueKey } from '../../src/access/service.ts';
import { inviteMember } from '../../src/console/identity/people/invitations.ts';
import type { Member } from '../../src/console/identity/people/members.ts';
import { ACTIONS, canBeLimited, mayDo, ROLES } from '../../src/console/model/roles.ts';
import { CONSOLE_ROUTES, pagePath } from '../../src/console/routes.ts';
import type { Route } from '../../src/console/routing/route.ts';
import { simulateDisputeOpening } from '../../src/payment-links/api/sandbox-dispute.ts';
import { separately } from '../../src/payment-links/store/change.ts';
import { useService } from '../harness/fixtures.ts';
import { Payments } from '../harness/payments.ts';
import { checkout } from '../harness/processes.ts';
import { createLink, type TestPractice, TestService } from '../harness/service.ts';
import { createEndpoint, ping } from '../harness/webhooks.ts';
import { addMember, ConsoleBrowser, growOld, notRefused, plantPasskey, signedIn, signedInAs } from './console.ts';

/** Routes that need no session: pages on which people sign in, and one that says when a session ends. */
const PUBLIC = [
  'sign_in.form',
  'sign_in.request',
  'sign_in.sent',
  'sign_in.passkey_options',
  'sign_in.passkey',
  'sign_in.link',
  'sign_in.confirm',
  'account.left',
];

/** Routes that need a session and no role: they show nothing of a practice but its name. */
const PERSONAL = [
  'account.practices',
  'account',
  'account.rename',
  'account.session_end',
  'account.sign_out',
  'account.sign_out_everywhere',
  'account.confirm',
  'account.confirm_sent',
  'account.passkey_options',
  'account.passkey_add',
  'account.passkey_remove',
];

/** Forms that need a sign-in of the last 15 minutes. Those of large refunds, and of the address of an endpoint, depend on what was typed. */
const SENSITIVE = [
  ...['account.passkey_options', 'account.passkey_add'],
  ...['people.invite', 'people.change', 'people.unlock', 'people.invitation_send'],
  ...['keys.create', 'keys.rename', 'keys.show', 'webhooks.secret', 'webhooks.rotate'],
  ...['settings.keys', 'settings.notifications', 'settings.onboarding', 'settings.wallets', 'settings.statement'],
  ...['payments.export', 'owed.export'],
];

/** Forms that need it for live data only. */
const SENSITIVE_LIVE = [...['webhooks.create', 'webhooks.delete', 'webhooks.replay']];

/** Steps that cannot be undone. Browsers send them with a tick. */
const CONFIRMED = [
  ...['account.passkey_remove', 'payments.refund', 'links.cancel', 'keys.revoke'],
  ...['settings.location_deactivate', 'settings.logo_remove', 'people.lock', 'people.remove'],
  ...['webhooks.disable', 'webhooks.delete', 'webhooks.rotate', 'webhooks.replay'],
];

/** The matrix as the guide states it: action → roles, and the reach. */
function statedMatrix(): Map<string, { roles: string[]; reach: string }> {
  const guide = readFileSync(join(checkout, 'docs/guides/console.md'), 'utf8');
  const lines = [...guide.matchAll(/^\| `([\w.]+)` \|(.+)\|$/gm)];
  return new Map(
    lines.map(([, action = '', cells = '']) => {
      const values = cells.split('|').map((cell) => cell.trim());
      return [action, { roles: ROLES.filter((_, i) => values[i] === 'yes'), reach: values.at(-1) ?? '' }];
    }),
  );
}

describe('routes of the console', () => {
  const matrix = statedMatrix();
  const service = useService();
  let own: TestPractice;
  let other: TestPractice;
  /** Ids of objects that paths name, of the own practice and of the other one, by parameter. */
  let mine: Record<string, string>;
  let theirs: Record<string, string>;
  /** A location of the own practice without a record. */
  let elsewhereId: string;

  const practiceRoutes = CONSOLE_ROUTES.filter(({ access }) => access !== 'public' && access !== 'person');

  before(async () => {
    [own, other] = [await service.practice(), await service.practice()];
    mine = { ...(await objectsOf(own)), mode: 'live' };
    theirs = { ...(await objectsOf(other)), mode: 'test' };
    elsewhereId = await service.location(own.practiceId, 'North');
  });

  // Each test has the rate windows of its address for itself.
  beforeEach(() => service.clock.advance({ ms: 60_000 }));

  const invitationOf = async ({ practiceId }: TestPractice, email: string): Promise<string> => {
    const grant = { email, role: 'viewer', locationIds: null } as const;
    return notRefused(await inviteMember(service.scope(), { kind: 'operator' }, practiceId, grant)).id;
  };

  /** Makes one object of each kind in a practice, and returns their ids. */
  const objectsOf = async (practice: TestPractice): Promise<Record<string, string>> => {
    const { practiceId, locationId, live } = practice;
    const member = await addMember(service, practiceId, 'viewer', { email: `${practiceId}@target.example` });
    const passkeyId = await plantPasskey(service, member);
    const { id: endpointId } = await createEndpoint(live, 'https://127.0.0.1:1/hook');
    const payments = new Payments(service);
    const paid = await payments.link(practice);
    await payments.pay(paid, 'card_success');
    const input = { reason: 'fraudulent', amountCents: paid.amountCents, evidenceDueBy: null };
    return {
      ...{
        sessionId: '0'.repeat(64),
        practiceId,
        locationId,
        membershipId: member.id,
        passkeyId,
        endpointId,
        paidLinkId: paid.id,
      },
      disputeId: (
        await simulateDisputeOpening({ ...service.scope(), processor: payments.sandbox, ...separately }, paid.id, input)
      ).id,
      eventId: (await ping(live, endpointId)).id,
      invitationId: await invitationOf(practice, 'invited@elm.example'),
      linkId: (await createLink(live)).id,
      keyId: (await issueKey(service.scope(), { practiceId, test: false })).apiKey.id,
    };
  };

  /** Fills the path with ids of the own practice, except those parameters that `foreign` names. */
  const pathOf = (route: Route, foreign: readonly string[] = []) =>
    route.path.replaceAll(/:(\w+)/g, (_, name: string) => {
      const id = (foreign.includes(name) ? theirs : mine)[name];
      if (id === undefined) throw new Error(`The test knows no :${name} of ${route.name}; add it to objectsOf`);
      return id;
    });

  /** Lets time pass before a request, so that the limit of the client address is never met. */
  const pace = () => service.clock.advance({ ms: 200 });

  const send = (browser: ConsoleBrowser, route: Route, path: string, fields: Record<string, string> = {}) => {
    pace();
    return route.method === 'GET' ? browser.get(path) : browser.post(path, fields);
  };

  /** Returns the names of the routes that are answered with a page of this title. */
  const answeredBy = async (wanted: string, browser: ConsoleBrowser, foreign: string[] = []) => {
    const routes = CONSOLE_ROUTES.filter(({ access, name }) => access !== 'public' && !name.includes('sign_out'));
    const names: string[] = [];
    for (const route of routes) {
      const { status, title } = await send(browser, route, pathOf(route, foreign));
      if (status >= 400 && title === wanted) names.push(route.name);
    }
    return names;
  };

  it('every route names an action of the table, or is one of the few that need none', () => {
    expect(CONSOLE_ROUTES.filter(({ access }) => access === 'public').map(({ name }) => name)).to.deep.equal(PUBLIC);
    expect(CONSOLE_ROUTES.filter(({ access }) => access === 'person').map(({ name }) => name)).to.deep.equal(PERSONAL);
    expect(practiceRoutes.map(({ access }) => access).filter((name) => !ACTIONS.some((action) => action === name))).to
      .be.empty;
    expect(practiceRoutes.filter(({ path }) => !/^\/console\/:practiceId(\/|$)/.test(path))).to.deep.equal([]);
    expect(new Set(CONSOLE_ROUTES.map(({ name }) => name)).size).to.equal(CONSOLE_ROUTES.length);
  });

  it('the guide states every action of the table with its reach', () => {
    const reachOf = (action: (typeof ACTIONS)[number]) =>
      ROLES.some((role) => mayDo({ role, locationIds: [] }, action)) ? 'locations' : 'practice';
    const reaches = ACTIONS.map((action) => [action, reachOf(action)]);
    expect([...matrix].map(([action, { reach }]) => [action, reach])).to.deep.equal(reaches);
  });

  for (const role of ROLES) {
    for (const isLimited of canBeLimited(role) ? [false, true] : [false]) {
      const person = `${role}${isLimited ? ' of a location' : ''}`;
      it(`every route admits the role ${person} exactly where the guide states it`, async () => {
        const locationIds = isLimited ? [own.locationId] : null;
        const user: Member = await addMember(service, own.practiceId, role, { locationIds });
        // An owner or administrator withdraws it.
        mine.invitationId = await invitationOf(own, `invited-${user.id}@elm.example`);
        const browser = await signedIn(service, user);
        const faults: string[] = [];
        for (const route of practiceRoutes) {
          const { roles = [], reach } = matrix.get(route.access) ?? {};
          const isAllowed = roles.includes(role) && (reach === 'locations' || !isLimited);
          const { status, location } = await send(browser, route, pathOf(route));
          const isRefused = status === 403 || status === 404 || location?.startsWith('/console/sign-in') === true;
          if (isAllowed === isRefused) faults.push(`${route.name}: ${status}`);
        }
        expect(faults).to.deep.equal([]);
      });
    }
  }

  it('every route of a practice is unknown to people of other practices, with every id of theirs in the path, and every live record is among test data', async () => {
    const browser = await signedInAs(service, own.practiceId, 'owner');
    for (const route of practiceRoutes) {
      const isOfRecord = /:(?!practiceId|mode)/.test(route.path);
      const names = [...route.path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
      const foreign = names.filter((name) => name !== 'mode' || isOfRecord);
      for (const name of foreign) {
        const { status, text } = await send(browser, route, pathOf(route, [name]), { confirmed: 'on' });
        expect(status, `${route.name} with a foreign ${name}`).to.equal(404);
        expect(text).to.not.include(`${other.practiceId}@target`);
      }
      const everything = await send(browser, route, pathOf(route, foreign), { confirmed: 'on' });
      expect(everything.status, route.name).to.equal(404);
    }
  });

  it('every record of another location is unknown to people who are limited to locations', async () => {
    const browser = await signedInAs(service, own.practiceId, 'administrator', { locationIds: [elsewhereId] });
    const ofRecord = practiceRoutes.filter(({ path }) => /:(linkId|paidLinkId)/.test(path));
    expect(ofRecord.length).to.be.above(10);
    for (const route of ofRecord) {
      expect((await send(browser, route, pathOf(route), { confirmed: 'on' })).status, route.name).to.equal(404);
    }
  });

  it('exactly the stated pages and forms ask for a sign-in of the last 15 minutes, before they move money or send data elsewhere', async () => {
    const browser = await signedInAs(service, own.practiceId, 'owner');
    await growOld(service, browser);
    expect(await answeredBy('Confirm that it is you', browser)).to.have.members([...SENSITIVE, ...SENSITIVE_LIVE]);
    expect(await answeredBy('Confirm that it is you', browser, ['mode'])).to.have.members(SENSITIVE);
  });

  it('exactly the stated steps need the tick of their box', async () => {
    const browser = await signedInAs(service, own.practiceId, 'owner');
    expect(await answeredBy('Not confirmed', browser)).to.have.members(CONFIRMED);
  });

  it('every route but those of the sign-in leads a browser without session to the sign-in', async () => {
    for (const route of CONSOLE_ROUTES.filter(({ access }) => access !== 'public')) {
      for (const cookie of [null, 'A'.repeat(43)]) {
        const browser = new ConsoleBrowser(service);
        browser.cookie = cookie;
        const { status, location } = await send(browser, route, pathOf(route), { csrf: 'x' });
        const { pathname } = new URL(location ?? '', service.baseUrl);
        expect([status, pathname], route.name).to.deep.equal([303, '/console/sign-in']);
      }
    }
  });

  it('every address to which a sign-in may lead back is a page, and begins no download', async () => {
    const browser = await signedInAs(service, own.practiceId, 'owner');
    for (const route of CONSOLE_ROUTES.filter(({ method }) => method === 'GET')) {
      if (route.path.includes(':token') || pagePath(pathOf(route)) === null) continue;
      const { headers } = await send(browser, route, pathOf(route));
      const shown = [headers.get('content-type'), headers.get('content-disposition')];
      expect(shown, route.name).to.deep.equal(['text/html; charset=utf-8', null]);
    }
  });

  it('every form is refused without the token of its session, with that of another session, and from another site', async () => {
    const browser = await signedInAs(service, own.practiceId, 'owner');
    const stranger = await signedInAs(service, own.practiceId, 'owner');
    for (const route of CONSOLE_ROUTES.filter(({ method, access }) => method === 'POST' && access !== 'public')) {
      const path = pathOf(route);
      for (const csrf of ['', 'forged', stranger.csrf]) {
        pace();
        const { status, title } = await browser.post(path, { csrf });
        expect([status, title], `${route.name} with "${csrf}"`).to.deep.equal([403, 'The form has expired']);
      }
    }
    for (const route of CONSOLE_ROUTES.filter(({ method }) => method === 'POST')) {
      const path = route.path.includes(':token') ? `/console/sign-in/${'A'.repeat(43)}` : pathOf(route);
      for (const headers of FOREIGN) {
        pace();
        const { status } = await browser.post(path, {}, headers);
        expect(status, `${route.name} with ${JSON.stringify(headers)}`).to.equal(403);
      }
    }
    const home = await browser.get(`/console/${own.practiceId}`);
    expect(home.status, 'the session goes on').to.equal(200);
  });

  it('the character NUL, which the database refuses, is no fault of the service in any address or form', async () => {
    const filters = ['location', 'q', 'before', 'action', 'actor', 'key', 'endpointId'];
    const browser = await signedInAs(service, own.practiceId, 'owner');
    const hostile = Object.fromEntries([...filters, 'email', 'url', 'name'].map((name) => [name, 'a\0b']));
    for (const route of practiceRoutes) {
      pace();
      const path = pathOf(route);
      const { status } =
        route.method === 'GET'
          ? await browser.get(`${path}?${new URLSearchParams(hostile)}`)
          : await browser.post(path, hostile);
      expect(status, route.name).to.be.below(500);
    }
  });

  it('unknown paths and methods below /console are answered with pages', async () => {
    const browser = await signedInAs(service, own.practiceId, 'owner');
    const unknown = await browser.get('/console/no/such/page');
    expect([unknown.status, unknown.title]).to.deep.equal([404, 'Page not found']);
    const method = await browser.post(`/console/${own.practiceId}`);
    expect([method.status, method.headers.get('allow')]).to.deep.equal([405, 'GET, HEAD']);
    const head = await browser.head(`/console/${own.practiceId}`);
    expect([head.status, head.text]).to.deep.equal([200, '']);
  });

  it('a page says that the service is not available, and when to try again', async () => {
    const away = await TestService.start({ databaseUrl: 'postgres://paylinks@127.0.0.1:1/away' });
    try {
      const browser = new ConsoleBrowser(away);
      browser.cookie = 'A'.repeat(43);
      for (const path of ['/console', `/console/${own.practiceId}/people`, '/console/sign-in']) {
        const { status, headers, title } = await browser.get(path);
        expect([status, title], path).to.deep.equal([503, 'Please try again soon']);
        expect(Number(headers.get('retry-after'))).to.be.at.least(5);
      }
    } finally {
      await away.close();
    }
  });

  it('a role that is taken away while a page is open counts at the next request', async () => {
    const administrator = await addMember(service, own.practiceId, 'administrator');
    const browser = await signedIn(service, administrator);
    const path = `/console/${own.practiceId}/people`;
    expect((await browser.get(path)).status).to.equal(200);
    const taker = await signedInAs(service, own.practiceId, 'owner');
    const changed = await taker.post(`${path}/${administrator.id}`, { role: 'viewer', reach: 'all' });
    expect(changed.location).to.equal(`${path}?done=saved`);
    expect((await browser.get(path)).status).to.equal(403);
    const removed = await taker.post(`${path}/${administrator.id}/remove`, { confirmed: 'on' });
    expect(removed.location).to.equal(`${path}?done=removed`);
    expect((await browser.get(`/console/${own.practiceId}`)).location).to.match(/^\/console\/sign-in\?to=/);
  });
});

/** Headers by which browsers report that another site sent a form. */
const FOREIGN: readonly Record<string, string>[] = [
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site' },
  { 'sec-fetch-site': 'none' },
  { origin: 'https://attacker.example' },
  { origin: 'null' },
];
