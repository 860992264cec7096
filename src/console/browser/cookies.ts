import { createHmac } from 'node:crypto';
import type { ParameterizedContext } from 'koa';
import { CONSOLE_COOKIE, type PageRequestState } from '../../web/request.ts';
import { KEPT_FORM_MS } from '../identity/sign-in/kept-forms.ts';
import { DEVICE_LIFETIME_MS } from '../identity/sign-in/limits.ts';
import { TOKEN_LIFETIME_MS, TOKEN_PATTERN } from '../identity/sign-in/tokens.ts';

type Context = ParameterizedContext<PageRequestState>;

/** Cookies of the whole host, which live as long as what they stand for. The session's ends with the browser. */
const COOKIES = {
  cookie: { name: CONSOLE_COOKIE, maxAge: undefined },
  device: { name: `${CONSOLE_COOKIE}_device`, maxAge: DEVICE_LIFETIME_MS },
  returnPath: { name: `${CONSOLE_COOKIE}_return`, maxAge: TOKEN_LIFETIME_MS },
  keptForm: { name: `${CONSOLE_COOKIE}_form`, maxAge: KEPT_FORM_MS },
  done: { name: `${CONSOLE_COOKIE}_done`, maxAge: 60_000 },
};

/** Cookies that an answer sets. Null removes one. */
export type TokenCookies = Partial<Record<'cookie' | 'device' | 'returnPath' | 'keptForm', string | null>>;

/** Returns the cookies of a request; null for one that is missing, or whose text is no token. */
export function readTokenCookies(ctx: Context): Record<keyof TokenCookies, string | null> {
  const read = (name: keyof TokenCookies) => ctx.cookies.get(fullName(ctx, name)) ?? null;
  const token = (name: keyof TokenCookies) => (TOKEN_PATTERN.test(read(name) ?? '') ? read(name) : null);
  return {
    cookie: token('cookie'),
    device: token('device'),
    keptForm: token('keptForm'),
    returnPath: read('returnPath'),
  };
}

export function setTokenCookies(ctx: Context, cookies: TokenCookies): void {
  for (const name of ['cookie', 'device', 'returnPath', 'keptForm'] as const) {
    const value = cookies[name];
    if (value !== undefined) set(ctx, name, value);
  }
}

/** Lets the page after a form say what its address names by `done`. An address says nothing without this cookie, which is bound to it. */
export function setDoneWord(ctx: Context, { to, cookie }: { to: string; cookie?: string | null }): void {
  if (!/[?&]done=/.test(to)) return;
  const session = cookie === undefined ? readTokenCookies(ctx).cookie : cookie;
  set(ctx, 'done', signDoneWord(session, to));
}

/** Returns true if the page may say what its address names by `done`. It may do so once. */
export function takeDoneWord(ctx: Context): boolean {
  const sent = ctx.query.done === undefined ? undefined : ctx.cookies.get(fullName(ctx, 'done'));
  if (sent === undefined || sent !== signDoneWord(readTokenCookies(ctx).cookie, ctx.url)) return false;
  set(ctx, 'done', null);
  return true;
}

function signDoneWord(session: string | null, address: string): string {
  return createHmac('sha256', session ?? '')
    .update(`console done ${address}`)
    .digest('base64url');
}

/** Returns the name of a cookie. Browsers take `__Host-` from this host and over https only, so no other name of the domain can plant one. */
function fullName(ctx: Context, name: keyof typeof COOKIES): string {
  return `${isHttps(ctx) ? '__Host-' : ''}${COOKIES[name].name}`;
}

/** Sets a cookie, or removes it with null. Scripts cannot read it, and forms of other sites do not send it. */
function set(ctx: Context, name: keyof typeof COOKIES, value: string | null): void {
  const secure = isHttps(ctx);
  // TLS ends before this process, so Koa sees a connection without it.
  ctx.cookies.secure = secure;
  const { maxAge } = COOKIES[name];
  ctx.cookies.set(fullName(ctx, name), value, { path: '/', maxAge, secure, sameSite: 'lax', httpOnly: true });
}

function isHttps({ state }: Context): boolean {
  return state.scope.consoleUrl.startsWith('https://');
}
