import { isIP } from 'node:net';
import { isPublicAddress, type NetworkSet } from './networks.ts';
import type { Resolver } from './resolver.ts';

/*
 * Rules for webhook addresses: at creation, at a change, and before every attempt. The last check, with a fresh DNS
 * answer, is the one that protects. The allowed networks (WEBHOOK_ALLOWED_NETWORKS) are exempt from the public-HTTPS
 * rule, also with plain http and bare host names.
 */

const MAX_URL_LENGTH = 2_048;

/** Each text completes a sentence that begins with the name of the field. */
const PROBLEMS = {
  too_long: `must be at most ${MAX_URL_LENGTH} characters`,
  forbidden_character: 'must not contain white space, control characters or backslashes',
  not_ascii: 'must be ASCII, with the host in Punycode and %-escapes elsewhere',
  invalid_url: 'must be a valid https URL',
  not_https: 'must begin with https://',
  credentials: 'must not contain a user name or password',
  fragment: 'must not contain a fragment',
  trailing_dot: 'must not have a host that ends with a dot',
  bare_host: 'must have a public host name, with a dot in it, or a public IP address',
  internal_name: 'must not have a host name of a private network',
  not_public: 'must lead to public addresses only',
};

export type UrlReason = keyof typeof PROBLEMS;

/** `onlyIfAllowed` is the rule that the URL breaks unless all its addresses are in allowed networks. */
interface CheckedUrl {
  readonly ok: true;
  readonly url: URL;
  readonly onlyIfAllowed: UrlReason | null;
}

export type UrlCheck = CheckedUrl | { readonly ok: false; readonly reason: UrlReason; readonly message: string };

/** Checked IP addresses of a host, or the fault that prevents sending. */
export type Destination = readonly string[] | 'blocked_address' | 'dns_error' | 'timeout';

/** Control characters of both blocks, any white space, and the backslash, which browsers read as a slash. */
const FORBIDDEN = /[\u0000-\u001f\u007f-\u009f\s\\]/;

/** Strict, because the URL parser also accepts `https:host` and `https:///host`, and drops an empty `@`. */
const SHAPE = /^(https?):\/\/([^/?#]+)/i;

/** After the URL parser's Punycode. */
const DNS_NAME = /^(?=.{1,253}$)[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*$/;

/** Special-use names (RFC 6761, 6762, 8375) and names common in clusters and clouds. */
const INTERNAL_NAMES = ['localhost', 'localdomain', 'local', 'internal', 'home.arpa', 'cluster.local'];

const LOOPBACK = ['127.0.0.1', '::1'];

/** Checks the rules that need no DNS. IP literals are checked as the URL parser reads them, which covers every spelling. */
export function checkUrl(text: string, allowed: NetworkSet): UrlCheck {
  if ([...text].length > MAX_URL_LENGTH) return refused('too_long');
  if (FORBIDDEN.test(text)) return refused('forbidden_character');
  if (text.includes('#')) return refused('fragment');
  const authority = SHAPE.exec(text)?.[2];
  const url = authority === undefined ? null : URL.parse(text);
  if (authority === undefined || url === null) return refused(hasOtherScheme(text) ? 'not_https' : 'invalid_url');
  if (url.port === '0') return refused('invalid_url');
  if (authority.includes('@')) return refused('credentials');
  const host = readHost(url);
  if (host.endsWith('.') || /\.(:\d*)?$/.test(authority)) return refused('trailing_dot');
  if (isIP(host) === 0 && !DNS_NAME.test(host)) return refused('invalid_url');
  return checkHost(url, host, allowed);
}

/**
 * Resolves the host; one forbidden address blocks the destination. The caller connects to these addresses only, so a
 * DNS answer that changes later has no effect.
 * @param signal ends the wait for DNS; the result is then `timeout`
 */
export async function resolveDestination(
  { url, onlyIfAllowed }: CheckedUrl,
  allowed: NetworkSet,
  resolver: Resolver,
  signal: AbortSignal,
): Promise<Destination> {
  // A rejection means that no name server answered, or that the signal aborted.
  const addresses = await resolveAddresses(readHost(url), allowed, resolver, signal).catch(() => []);
  if (addresses.length === 0) return signal.aborted ? 'timeout' : 'dns_error';
  const mayConnect = (address: string) => allowed.has(address) || (onlyIfAllowed === null && isPublicAddress(address));
  return addresses.every(mayConnect) ? addresses : 'blocked_address';
}

/**
 * Checks a URL that a client sent, with its addresses. A public name that does not resolve in time is accepted; the
 * check before every attempt protects. It asks DNS, so callers must not hold a transaction.
 */
export async function checkNewUrl(
  text: string,
  allowed: NetworkSet,
  resolver: Resolver,
  timeoutMs: number,
): Promise<UrlCheck> {
  // Requests of the API are refused by the format. Addresses that people typed before this rule are still sent to.
  if (/[^\0-\x7f]/.test(text)) return refused('not_ascii');
  const check = checkUrl(text, allowed);
  if (!check.ok) return check;
  const destination = await resolveDestination(check, allowed, resolver, AbortSignal.timeout(timeoutMs));
  if (typeof destination !== 'string') return check;
  // The exemption needs addresses inside the allowed networks, and there is none.
  if (check.onlyIfAllowed !== null) return refused(check.onlyIfAllowed);
  return destination === 'blocked_address' ? refused('not_public') : check;
}

export function readHost(url: URL): string {
  return url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname;
}

function checkHost(url: URL, host: string, allowed: NetworkSet): UrlCheck {
  const isAddress = isIP(host) !== 0;
  const broken = isAddress && allowed.has(host) ? null : brokenRule(url, host, isAddress);
  // If a name breaks a rule, its addresses decide: they may lie in allowed networks.
  if (broken !== null && (isAddress || allowed.isEmpty)) return refused(broken);
  return { ok: true, url, onlyIfAllowed: broken };
}

function brokenRule(url: URL, host: string, isAddress: boolean): UrlReason | null {
  if (isAddress && !isPublicAddress(host)) return 'not_public';
  if (url.protocol !== 'https:') return 'not_https';
  if (INTERNAL_NAMES.some((name) => isNameOrBelow(host, name))) return 'internal_name';
  return isAddress || host.includes('.') ? null : 'bare_host';
}

async function resolveAddresses(
  host: string,
  allowed: NetworkSet,
  resolver: Resolver,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (isIP(host) !== 0) return [host];
  if (!isNameOrBelow(host, 'localhost')) return resolver.resolve(host, signal);
  // Loopback by definition (RFC 6761): DNS is not asked, and only allowed loopback addresses remain.
  const reachable = LOOPBACK.filter((address) => allowed.has(address));
  return reachable.length > 0 ? reachable : LOOPBACK;
}

function isNameOrBelow(host: string, name: string): boolean {
  return host === name || host.endsWith(`.${name}`);
}

function hasOtherScheme(text: string): boolean {
  return /^[a-z][a-z0-9+.-]*:/i.test(text) && !/^https:/i.test(text);
}

function refused(reason: UrlReason): UrlCheck {
  return { ok: false, reason, message: PROBLEMS[reason] };
}
