import type { ParameterizedContext } from 'koa';
import { chooseLanguage, LANGUAGES, type Language } from '../../pages/texts/language.ts';
import { DEVICE_LIFETIME_MS } from '../sign-in/devices.ts';
import { TOKEN_LIFETIME_MS } from '../sign-in/tokens.ts';

/** Cookie that keeps the chosen language. */
const LANGUAGE_COOKIE = 'console_language';

/** One year in seconds. */
const LANGUAGE_SECONDS = 31_536_000;

/** Names of the cookies with a token. Both apply to the whole host. */
const SESSION = 'paylinks_console';
const DEVICE = 'paylinks_console_device';

/** Cookie with the page to which a sign-in leads back. Only the browser that asked for the mail has it. */
const RETURN = 'paylinks_console_return';

/**
 * Returns the whole name of a cookie with a token. Browsers take a cookie with the prefix `__Host-` from this host only, over
 * https only, so no other name of the domain can plant one. Development over http has a plain name.
 */
function tokenCookie(name: typeof SESSION | typeof DEVICE | typeof RETURN, consoleUrl: string): string {
  return isHttps(consoleUrl) ? `__Host-${name}` : name;
}

function readToken(ctx: ParameterizedContext, name: string): string | null {
  const value = ctx.cookies.get(name);
  return value === undefined || !/^[\w-]{43}$/.test(value) ? null : value;
}

/** Returns the session cookie of the request, or null. */
export function readSessionCookie(ctx: ParameterizedContext, consoleUrl: string): string | null {
  return readToken(ctx, tokenCookie(SESSION, consoleUrl));
}

/** Returns the cookie of a device on which people have signed in, or null. */
export function readDeviceCookie(ctx: ParameterizedContext, consoleUrl: string): string | null {
  return readToken(ctx, tokenCookie(DEVICE, consoleUrl));
}

/** Sets the device cookie, for as long as the device is known. */
function setDeviceCookie(ctx: ParameterizedContext, consoleUrl: string, value: string): void {
  const seconds = DEVICE_LIFETIME_MS / 1_000;
  ctx.append(
    'Set-Cookie',
    `${tokenCookie(DEVICE, consoleUrl)}=${value}; Max-Age=${seconds}${attributes('/', consoleUrl)}`,
  );
}

/** Returns the page to which a sign-in of this browser leads back, as the browser says, or null. */
export function readReturnCookie(ctx: ParameterizedContext, consoleUrl: string): string | null {
  return ctx.cookies.get(tokenCookie(RETURN, consoleUrl)) ?? null;
}

/** Cookies that an answer sets. */
export interface TokenCookies {
  /** The new session cookie; null removes it. */
  cookie?: string | null;
  /** The new device cookie. */
  device?: string;
  /** The page to which the sign-in leads back, until its mail works no more; null removes it. */
  returnPath?: string | null;
}

/** Sets the cookies of an answer that changes the session. */
export function setTokenCookies(ctx: ParameterizedContext, consoleUrl: string, cookies: TokenCookies): void {
  const { cookie, device, returnPath } = cookies;
  if (cookie !== undefined) setSessionCookie(ctx, consoleUrl, cookie);
  if (device !== undefined) setDeviceCookie(ctx, consoleUrl, device);
  if (returnPath !== undefined) {
    const seconds = returnPath === null ? 0 : TOKEN_LIFETIME_MS / 1_000;
    const set = `${tokenCookie(RETURN, consoleUrl)}=${returnPath ?? ''}; Max-Age=${seconds}`;
    ctx.append('Set-Cookie', `${set}${attributes('/', consoleUrl)}`);
  }
}

/** Sets the session cookie, or removes it with null. Scripts cannot read it, and forms of other sites do not send it. */
function setSessionCookie(ctx: ParameterizedContext, consoleUrl: string, value: string | null): void {
  const end = value === null ? '; Max-Age=0' : '';
  ctx.append('Set-Cookie', `${tokenCookie(SESSION, consoleUrl)}=${value ?? ''}${end}${attributes('/', consoleUrl)}`);
}

/** Returns the language of the page. A language that the address names is kept for the next pages. */
export function pageLanguage(ctx: ParameterizedContext, consoleUrl: string): Language {
  const named = LANGUAGES.find((language) => language === ctx.query.lang);
  if (named !== undefined) {
    const path = `${new URL(consoleUrl).pathname.replace(/\/+$/, '')}/console`;
    ctx.append('Set-Cookie', `${LANGUAGE_COOKIE}=${named}; Max-Age=${LANGUAGE_SECONDS}${attributes(path, consoleUrl)}`);
    return named;
  }
  return chooseLanguage(ctx.cookies.get(LANGUAGE_COOKIE) ?? null, ctx.request);
}

function attributes(path: string, consoleUrl: string): string {
  return `; Path=${path}; HttpOnly; SameSite=Lax${isHttps(consoleUrl) ? '; Secure' : ''}`;
}

function isHttps(consoleUrl: string): boolean {
  return consoleUrl.startsWith('https://');
}
