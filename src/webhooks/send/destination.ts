import { isIP } from 'node:net';
import { startDeadline, unlessAborted } from './deadline.ts';
import { isPublicAddress, type NetworkSet, networkSet } from './networks.ts';
import type { Resolver } from './resolver.ts';

/**
 * Where webhooks may go. One judge for all three moments: an address is checked when an endpoint is created, when its
 * URL changes, and, with fresh DNS, before every single attempt, which is the check that protects.
 */
export interface DestinationPolicy {
  /** WEBHOOK_ALLOWED_NETWORKS: exempt from the public-HTTPS rule, plain http and bare host names included. */
  readonly allowedNetworks: NetworkSet;
}

export type UrlReason =
  | 'too_long'
  | 'forbidden_character'
  | 'invalid_url'
  | 'not_https'
  | 'credentials'
  | 'fragment'
  | 'trailing_dot'
  | 'bare_host'
  | 'internal_name'
  | 'not_public';

/** A rule that the URL breaks: for machines, and as the end of a sentence that begins with the field's name. */
export interface UrlProblem {
  readonly reason: UrlReason;
  readonly message: string;
}

/** A URL that may be tried, with the rule it breaks unless all its addresses lie inside the allowed networks. */
export interface CheckedUrl {
  readonly ok: true;
  readonly url: URL;
  readonly onlyIfAllowed: UrlProblem | null;
}

export type UrlCheck = CheckedUrl | ({ readonly ok: false } & UrlProblem);

export type Destination =
  | { readonly ok: true; readonly addresses: readonly string[] }
  | { readonly ok: false; readonly error: 'blocked_address' | 'dns_error' | 'timeout' };

/** Counted in code points, as every length of the interface. */
const MAX_URL_LENGTH = 2_048;

/** Control characters of both blocks, white space of any kind, and the backslash that browsers take for a slash. */
const FORBIDDEN = /[\u0000-\u001f\u007f-\u009f\s\\]/;

/** Strict on purpose: the URL parser also takes `https:host` and `https:///host`, and silently drops an empty `@`. */
const SHAPE = /^(https?):\/\/([^/?#]+)/i;

/** What DNS can hold: labels of at most 63 characters, 253 in all, after the URL parser's Punycode. */
const DNS_NAME = /^(?=.{1,253}$)[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*$/;

/** Names that never lead outside: special use (RFC 6761, 6762, 8375) and the habits of clusters and clouds. */
const INTERNAL_NAMES = ['localhost', 'localdomain', 'local', 'internal', 'home.arpa', 'cluster.local'];

const LOOPBACK = ['127.0.0.1', '::1'];

const PROBLEMS: Record<UrlReason, string> = {
  too_long: `must be at most ${MAX_URL_LENGTH} characters`,
  forbidden_character: 'must not contain white space, control characters or backslashes',
  invalid_url: 'must be a valid https URL',
  not_https: 'must begin with https://',
  credentials: 'must not contain a user name or password',
  fragment: 'must not contain a fragment',
  trailing_dot: 'must not have a host that ends with a dot',
  bare_host: 'must have a public host name, with a dot in it, or a public IP address',
  internal_name: 'must not have a host name of a private network',
  not_public: 'must lead to public addresses only',
};

/** The policy for these networks, each a CIDR. Throws RangeError for one that isCidr refuses. */
export function destinationPolicy(allowedCidrs: readonly string[]): DestinationPolicy {
  return { allowedNetworks: networkSet(allowedCidrs) };
}

/**
 * The rules that need no DNS. IP literals are judged as the URL parser reads them, so every spelling is covered
 * (decimal, octal, hexadecimal, short, mapped). Never throws; a faulty URL is a value that names the first broken rule.
 */
export function checkUrl(text: string, policy: DestinationPolicy): UrlCheck {
  if ([...text].length > MAX_URL_LENGTH) return refused('too_long');
  if (FORBIDDEN.test(text)) return refused('forbidden_character');
  if (text.includes('#')) return refused('fragment');
  const authority = SHAPE.exec(text)?.[2];
  const url = authority === undefined ? null : URL.parse(text);
  if (authority === undefined || url === null) return refused(hasOtherScheme(text) ? 'not_https' : 'invalid_url');
  if (url.port === '0') return refused('invalid_url');
  if (authority.includes('@')) return refused('credentials');
  const host = hostOf(url);
  if (host.endsWith('.') || /\.(:\d*)?$/.test(authority)) return refused('trailing_dot');
  if (isIP(host) === 0 && !DNS_NAME.test(host)) return refused('invalid_url');
  return judgeHost(url, host, policy);
}

/**
 * The addresses that may be connected to, all of them judged: one bad address among them blocks the destination. The
 * caller connects to these and to nothing else, so that a name whose answer changes in between gains nothing.
 *
 * @param signal ends the wait for DNS; the result is then `timeout`
 */
export async function resolveDestination(
  checked: CheckedUrl,
  policy: DestinationPolicy,
  resolver: Resolver,
  signal: AbortSignal,
): Promise<Destination> {
  const host = hostOf(checked.url);
  const addresses = await addressesOf(host, policy, resolver, signal);
  if (addresses === null) return { ok: false, error: signal.aborted ? 'timeout' : 'dns_error' };
  const mayConnect = (address: string) =>
    policy.allowedNetworks.has(address) || (checked.onlyIfAllowed === null && isPublicAddress(address));
  if (addresses.length === 0) return { ok: false, error: 'dns_error' };
  return addresses.every(mayConnect) ? { ok: true, addresses } : { ok: false, error: 'blocked_address' };
}

/**
 * The check for a URL that a client hands in: the rules of checkUrl, and a host that resolves to any non-public address
 * is refused. A public name that does not resolve (yet), or not within `timeoutMs`, is accepted: the check before every
 * attempt is the one that protects. Asks DNS, so keep it out of transactions.
 */
export async function checkNewUrl(
  text: string,
  policy: DestinationPolicy,
  resolver: Resolver,
  timeoutMs: number,
): Promise<UrlCheck> {
  const checked = checkUrl(text, policy);
  if (!checked.ok) return checked;
  const deadline = startDeadline(timeoutMs);
  const destination = await resolveDestination(checked, policy, resolver, deadline.signal);
  deadline.clear();
  if (destination.ok) return checked;
  // An exemption holds for addresses inside the allowed networks, and there are none to show.
  if (checked.onlyIfAllowed !== null) return { ok: false, ...checked.onlyIfAllowed };
  return destination.error === 'blocked_address' ? refused('not_public') : checked;
}

/** The host of a URL as the resolver and the socket want it: IPv6 without brackets. */
export function hostOf(url: URL): string {
  return url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname;
}

function judgeHost(url: URL, host: string, policy: DestinationPolicy): UrlCheck {
  if (isIP(host) !== 0) {
    if (policy.allowedNetworks.has(host)) return { ok: true, url, onlyIfAllowed: null };
    if (!isPublicAddress(host)) return refused('not_public');
    return url.protocol === 'https:' ? { ok: true, url, onlyIfAllowed: null } : refused('not_https');
  }
  const broken = brokenNameRule(url, host);
  if (broken === null) return { ok: true, url, onlyIfAllowed: null };
  if (policy.allowedNetworks.isEmpty) return refused(broken);
  return { ok: true, url, onlyIfAllowed: problem(broken) };
}

function brokenNameRule(url: URL, host: string): UrlReason | null {
  if (url.protocol !== 'https:') return 'not_https';
  if (INTERNAL_NAMES.some((name) => isNameOrBelow(host, name))) return 'internal_name';
  return host.includes('.') ? null : 'bare_host';
}

/** Null when there was no answer: the resolver failed, or the signal came first. */
async function addressesOf(
  host: string,
  policy: DestinationPolicy,
  resolver: Resolver,
  signal: AbortSignal,
): Promise<readonly string[] | null> {
  if (isIP(host) !== 0) return [host];
  if (isNameOrBelow(host, 'localhost')) {
    // Loopback by definition (RFC 6761), so DNS is not asked, and whoever allows one of the two addresses means it.
    const allowed = LOOPBACK.filter((address) => policy.allowedNetworks.has(address));
    return allowed.length > 0 ? allowed : LOOPBACK;
  }
  try {
    return await unlessAborted(resolver.resolve(host, signal), signal);
  } catch {
    return null;
  }
}

function isNameOrBelow(host: string, name: string): boolean {
  return host === name || host.endsWith(`.${name}`);
}

function hasOtherScheme(text: string): boolean {
  return /^[a-z][a-z0-9+.-]*:/i.test(text) && !/^https:/i.test(text);
}

function problem(reason: UrlReason): UrlProblem {
  return { reason, message: PROBLEMS[reason] };
}

function refused(reason: UrlReason): UrlCheck {
  return { ok: false, ...problem(reason) };
}
