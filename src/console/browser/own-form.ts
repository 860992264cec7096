import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/**
 * Returns true unless a browser says that another site sent the form. Sec-Fetch-Site decides, and Origin in older
 * browsers. Clients other than browsers send neither, and no other site can make them send a form.
 */
export function isFromOwnSite({ headers }: IncomingMessage, consoleUrl: string): boolean {
  const { 'sec-fetch-site': site, origin, host } = headers;
  if (site !== undefined) return site === 'same-origin';
  if (origin === undefined) return true;
  return origin === new URL(consoleUrl).origin || origin === `http://${host}` || origin === `https://${host}`;
}

/** Returns true if a form has the token of its session. The comparison takes the same time for any text. */
export function hasToken(sent: string | undefined, expected: string): boolean {
  return sent !== undefined && timingSafeEqual(digest(sent), digest(expected));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
