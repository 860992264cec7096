import type { ParameterizedContext } from 'koa';
import { chooseLanguage, LANGUAGES, type Language } from '../../pages/texts/language.ts';
import { DEVICE_LIFETIME_MS } from '../sign-in/devices.ts';
import { TOKEN_LIFETIME_MS, TOKEN_PATTERN } from '../sign-in/tokens.ts';

/** Cookie that keeps the chosen language. */
const LANGUAGE_COOKIE = 'console_language';

/** One year. */
const LANGUAGE_MS = 365 * 24 * 60 * 60_000;

/** Cookies that apply to the whole host. The page to which a sign-in leads back is known to the browser that asked for the mail. */
const NAMES = { cookie: 'paylinks_console', device: 'paylinks_console_device', returnPath: 'paylinks_console_return' };

/** Lifetimes of these cookies. That of the session ends with the browser; the others live as long as what they stand for. */
const LIFETIMES_MS = { cookie: undefined, device: DEVICE_LIFETIME_MS, returnPath: TOKEN_LIFETIME_MS };

/** Cookies that an answer sets. Null removes one. */
export interface TokenCookies {
  /** The new session cookie. */
  cookie?: string | null;
  /** The new device cookie. */
  device?: string;
  /** The page to which the sign-in leads back, until its mail works no more. */
  returnPath?: string | null;
}

/** Returns the cookies of a request; null for one that is missing, or whose text is no token. */
export function readTokenCookies(
  ctx: ParameterizedContext,
  consoleUrl: string,
): Record<keyof TokenCookies, string | null> {
  const read = (name: keyof TokenCookies) => ctx.cookies.get(fullName(name, consoleUrl)) ?? null;
  const token = (text: string | null) => (text !== null && TOKEN_PATTERN.test(text) ? text : null);
  return { cookie: token(read('cookie')), device: token(read('device')), returnPath: read('returnPath') };
}

/** Sets the cookies of an answer that changes the session. */
export function setTokenCookies(ctx: ParameterizedContext, consoleUrl: string, cookies: TokenCookies): void {
  for (const name of ['cookie', 'device', 'returnPath'] as const) {
    const value = cookies[name];
    if (value !== undefined) set(ctx, consoleUrl, fullName(name, consoleUrl), value, '/', LIFETIMES_MS[name]);
  }
}

/** Returns the language of the page. A language that the address names is kept for the next pages. */
export function pageLanguage(ctx: ParameterizedContext, consoleUrl: string): Language {
  const named = LANGUAGES.find((language) => language === ctx.query.lang);
  if (named === undefined) return chooseLanguage(ctx.cookies.get(LANGUAGE_COOKIE) ?? null, ctx.request);
  const path = `${new URL(consoleUrl).pathname.replace(/\/+$/, '')}/console`;
  set(ctx, consoleUrl, LANGUAGE_COOKIE, named, path, LANGUAGE_MS);
  return named;
}

/**
 * Returns the name of a cookie as browsers know it. They take a cookie with the prefix `__Host-` from this host only, over https
 * only, so no other name of the domain can plant one. Development over http has a plain name.
 */
function fullName(name: keyof TokenCookies, consoleUrl: string): string {
  return isHttps(consoleUrl) ? `__Host-${NAMES[name]}` : NAMES[name];
}

/** Sets a cookie, or removes it with null. Scripts cannot read it, and forms of other sites do not send it. */
function set(
  ctx: ParameterizedContext,
  consoleUrl: string,
  name: string,
  value: string | null,
  path: string,
  maxAge: number | undefined,
): void {
  const secure = isHttps(consoleUrl);
  // TLS ends before this process, so Koa sees a connection without it.
  ctx.cookies.secure = secure;
  ctx.cookies.set(name, value, { path, maxAge, secure, sameSite: 'lax', httpOnly: true });
}

function isHttps(consoleUrl: string): boolean {
  return consoleUrl.startsWith('https://');
}
