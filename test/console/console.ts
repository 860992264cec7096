import { expect } from 'chai';
import { acceptInvitation } from '../../src/console/identity/people/accept.ts';
import { inviteMember } from '../../src/console/identity/people/invitations.ts';
import type { Member } from '../../src/console/identity/people/members.ts';
import { openSession } from '../../src/console/identity/sign-in/sessions.ts';
import { createSignInUrl } from '../../src/console/identity/sign-in/tokens.ts';
import type { PeopleRefused } from '../../src/console/model/refusals.ts';
import type { Role } from '../../src/console/model/roles.ts';
import type { TestService } from '../harness/service.ts';

/** An answer of the console, its redirect not followed. */
export interface Answer {
  status: number;
  headers: Headers;
  location: string | null;
  text: string;
  /** Heading of the page. */
  title: string | null;
  /** Session cookie that the answer sets; empty when it removes the cookie. */
  cookie: string | null;
}

/** Name of the session cookie in a service whose PUBLIC_URL is https, as that of tests is. */
export const COOKIE = '__Host-paylinks_console';

/** A browser without scripts: it keeps the session cookie and sends forms with the token of the page. */
export class ConsoleBrowser {
  readonly #baseUrl: string;
  cookie: string | null = null;
  /** Cookie with the page to which a sign-in leads back. */
  returnCookie: string | null = null;
  /** Cookie without which no page says that something was done. */
  doneCookie: string | null = null;
  /** Cookie with the token of a form that a sign-in brings back. */
  formCookie: string | null = null;
  csrf = '';

  constructor(service: TestService) {
    this.#baseUrl = service.baseUrl;
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.#send(path, { headers });
  }

  head(path: string): Promise<Answer> {
    return this.#send(path, { method: 'HEAD' });
  }

  /** Sends a form as a browser does from a page of the console. `csrf` is that of the session unless the fields name one. */
  post(path: string, fields: Record<string, string> = {}, headers: Record<string, string> = {}): Promise<Answer> {
    const body = new URLSearchParams({ ...(this.csrf === '' ? {} : { csrf: this.csrf }), ...fields });
    // Browsers that send Origin alone are older than Sec-Fetch-Site.
    const site: Record<string, string> = 'origin' in headers ? {} : { 'sec-fetch-site': 'same-origin' };
    return this.#send(path, { method: 'POST', body, headers: { ...site, ...headers } });
  }

  /** Sends a form with a file, as a browser does. The file has the name and type that the attacker chooses. */
  upload(path: string, file: Uint8Array<ArrayBuffer>, { name = 'logo.png', type = 'image/png' } = {}): Promise<Answer> {
    const body = new FormData();
    body.set('csrf', this.csrf);
    body.set('logo', new Blob([file], { type }), name);
    return this.#send(path, { method: 'POST', body, headers: { 'sec-fetch-site': 'same-origin' } });
  }

  /** Sends a body of the attacker's choice. */
  sendBody(path: string, body: string | Uint8Array<ArrayBuffer>, type: string): Promise<Answer> {
    const headers = { 'sec-fetch-site': 'same-origin', 'content-type': type };
    return this.#send(path, { method: 'POST', body, headers });
  }

  /** Signs in by the address of a mail, as a person does: opens it and presses the button. */
  async signIn(url: string, fields: Record<string, string> = {}): Promise<Answer> {
    const { pathname } = new URL(url);
    const answer = await this.post(pathname, fields);
    expect([answer.status, answer.location]).to.deep.equal([303, '/console']);
    await this.readToken();
    return answer;
  }

  /** Reads the token of the session's forms from a page. */
  async readToken(): Promise<void> {
    const page = await this.get('/console/confirm');
    this.csrf = /name="csrf" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
    expect(this.csrf, 'the page has a form with a token').to.not.equal('');
  }

  async #send(path: string, init: RequestInit & { headers?: Record<string, string> }): Promise<Answer> {
    const kept = [
      ...(this.cookie === null ? [] : [`${COOKIE}=${this.cookie}`]),
      ...(this.returnCookie === null ? [] : [`${COOKIE}_return=${this.returnCookie}`]),
      ...(this.doneCookie === null ? [] : [`${COOKIE}_done=${this.doneCookie}`]),
      ...(this.formCookie === null ? [] : [`${COOKIE}_form=${this.formCookie}`]),
    ];
    const cookies = kept.length === 0 ? {} : { cookie: kept.join('; ') };
    const response = await fetch(`${this.#baseUrl}${path}`, {
      ...init,
      redirect: 'manual',
      headers: { ...cookies, ...init.headers },
    });
    const set = response.headers.getSetCookie().find((line) => line.startsWith(`${COOKIE}=`));
    const cookie = set === undefined ? null : (/^[^=]+=([^;]*)/.exec(set)?.[1] ?? '');
    if (cookie !== null) this.cookie = cookie === '' ? null : cookie;
    const named = (name: string) =>
      response.headers.getSetCookie().find((line) => line.startsWith(`${COOKIE}_${name}=`));
    const [back, done, form] = [named('return'), named('done'), named('form')];
    if (form !== undefined) this.formCookie = /^[^=]+=([^;]+)/.exec(form)?.[1] ?? null;
    if (back !== undefined) this.returnCookie = /^[^=]+=([^;]+)/.exec(back)?.[1] ?? null;
    if (done !== undefined) this.doneCookie = /^[^=]+=([^;]+)/.exec(done)?.[1] ?? null;
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      location: response.headers.get('location'),
      text,
      title: /<h1>([^<]*)<\/h1>/.exec(text)?.[1] ?? null,
      cookie,
    };
  }
}

/** Expects that an answer refuses in words, and returns it. */
export async function expectRefused<Asked extends Pick<Answer, 'status' | 'text'>>(
  asked: Promise<Asked>,
  words: string,
  name = words,
  status = 422,
): Promise<Asked> {
  const answer = await asked;
  expect([answer.status, answer.text.includes(words)], name).to.deep.equal([status, true]);
  return answer;
}

/** Opens a page and those to which its link to the next one leads, and returns their texts. */
export async function pagesFrom(browser: ConsoleBrowser, path: string, maxPages = 10): Promise<string[]> {
  const texts: string[] = [];
  for (let next: string | undefined = path; next !== undefined && texts.length < maxPages; ) {
    const { text }: Answer = await browser.get(next);
    texts.push(text);
    next = /href="([^"]+)" rel="next"/.exec(text)?.[1]?.replaceAll('&amp;', '&');
  }
  return texts;
}

/** Returns the hidden fields of a page, or of its form with this action alone. */
export function hiddenFields(text: string, action?: string): Record<string, string> {
  const form = new RegExp(`<form[^>]* action="${action}"[^>]*>([\\s\\S]*?)</form>`);
  const [, fields = ''] = action === undefined ? ['', text] : (form.exec(text) ?? []);
  const found = fields.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g);
  return Object.fromEntries([...found].map(([, name = '', value = '']) => [name, value.replaceAll('&amp;', '&')]));
}

/** Lets the sign-in of a browser grow older than 15 minutes, while its person works. */
export async function growOld(service: TestService, browser: ConsoleBrowser): Promise<void> {
  for (let minutes = 0; minutes < 16; minutes += 8) {
    service.clock.advance({ minutes: 8 });
    await browser.get('/console/account');
  }
}

/** Returns the result of a change of people that was not refused. */
export function notRefused<Result extends object>(result: Result | PeopleRefused): Result {
  if ('refusals' in result) throw new Error(`Refused: ${result.refusals}.`);
  return result;
}

let people = 0;

/** Adds a person to a practice: the operator invites, and the person accepts. The default address is that of nobody else. */
export async function addMember(
  service: TestService,
  practiceId: string,
  role: Role,
  { email = `${role.replace('_', '-')}-${++people}@elm.example`, locationIds = null as string[] | null } = {},
): Promise<Member> {
  const grant = { email, role, locationIds };
  const invitation = await inviteMember(service.scope(), { kind: 'operator' }, practiceId, grant);
  return acceptInvitation(service.scope(), invitation);
}

/** Starts a session of the person in a new browser, and returns its cookie. */
export async function startSession(service: TestService, personId: string): Promise<string> {
  const browser = { cookie: null, device: null, deviceName: null };
  return (await openSession(service.scope(), personId, browser, 'mail')).cookie;
}

/** Returns a browser in which the person is signed in, by a session that begins now. */
export async function signedIn(service: TestService, { personId }: Pick<Member, 'personId'>): Promise<ConsoleBrowser> {
  const browser = new ConsoleBrowser(service);
  browser.cookie = await startSession(service, personId);
  await browser.readToken();
  return browser;
}

/** Adds a person to a practice, and returns a browser in which the person is signed in. */
export async function signedInAs(...[service, ...rest]: Parameters<typeof addMember>): Promise<ConsoleBrowser> {
  return signedIn(service, await addMember(service, ...rest));
}

/** Gives the person a passkey, which no device has. Returns its id. */
export async function plantPasskey(service: TestService, { personId }: Pick<Member, 'personId'>): Promise<string> {
  const id = `pkey_${personId}`;
  await service.query(
    `insert into passkeys (id, person_id, credential_id, public_key, counter, transports, name, created_at)
     values ($1, $2, $1, '\\x00', 0, '{}', 'Computer at the front desk', now())`,
    [id, personId],
  );
  return id;
}

/** Returns a new sign-in link of the person. */
export function signInUrl(service: TestService, { personId }: Pick<Member, 'personId'>): Promise<string> {
  return createSignInUrl(service.scope(), personId);
}

/** Returns the address in a mail of the console, on which a person signs in or accepts an invitation. */
export function mailedUrl(mail: { text: string } | undefined): string {
  return /^https:\S+\/console\/sign-in\/\S+$/m.exec(mail?.text ?? '')?.[0] ?? 'https://no.mail/';
}

/** Sends requests while a transaction of other statements is open, which ends once a request waits for each of its locks. */
export async function whileLocked(
  service: TestService,
  statements: readonly string[],
  values: readonly string[],
  send: () => Promise<Answer>[],
): Promise<Answer[]> {
  const session = await service.session();
  await session.query('begin');
  for (const statement of statements) {
    await session.query(
      statement,
      values.filter((_, index) => statement.includes(`$${index + 1}`)),
    );
  }
  const answers = send();
  await service.untilWaiting(answers.length);
  await session.query('commit');
  return Promise.all(answers);
}
