import type { ParameterizedContext } from 'koa';
import { chooseLanguage, LANGUAGES, type Language } from '../../pages/texts/language.ts';

/** Cookie that keeps the chosen language. */
const LANGUAGE_COOKIE = 'console_language';

/** One year in seconds. */
const LANGUAGE_SECONDS = 31_536_000;

/**
 * Name of the session cookie. Browsers take a cookie with the prefix `__Host-` from this host only, over https only, so no
 * other name of the domain can plant one. Development over http has a plain name.
 */
function sessionCookieName(consoleUrl: string): string {
  return isHttps(consoleUrl) ? '__Host-paylinks_console' : 'paylinks_console';
}

/** Returns the session cookie of the request, or null. */
export function readSessionCookie(ctx: ParameterizedContext, consoleUrl: string): string | null {
  const value = ctx.cookies.get(sessionCookieName(consoleUrl));
  return value === undefined || !/^[\w-]{43}$/.test(value) ? null : value;
}

/** Sets the session cookie, or removes it with null. Scripts cannot read it, and forms of other sites do not send it. */
export function setSessionCookie(ctx: ParameterizedContext, consoleUrl: string, value: string | null): void {
  const end = value === null ? '; Max-Age=0' : '';
  ctx.append('Set-Cookie', `${sessionCookieName(consoleUrl)}=${value ?? ''}${end}${attributes('/', consoleUrl)}`);
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
