import dns from 'node:dns/promises';
import { unlessAborted } from './deadline.ts';
import { codeOf } from './error-code.ts';

/** The port through which webhooks learn the addresses of a host name; tests script it. */
export interface Resolver {
  /**
   * All IPv4 and IPv6 addresses of the name; an empty list when it has none. Rejects when nobody answered usably, or
   * when the signal aborts.
   */
  resolve(host: string, signal: AbortSignal): Promise<string[]>;
}

/** One lost datagram is asked again; with c-ares' doubling the question is given up after about 6 s. */
const QUERY_TIMEOUT_MS = 2_000;
const QUERY_TRIES = 2;

/**
 * A burst of deliveries to one host asks once. Short, since a receiver that moves expects to be followed; and harmless
 * to safety, since addresses are judged and pinned at every send, wherever they came from.
 */
const CACHE_MS = 1_000;

/** Bounds the memory that a thousand distinct hosts take. */
const CACHE_ENTRIES = 1_000;

/** Codes by which DNS says: the question was understood, and there is no such address. */
const NO_ADDRESS = new Set(['ENOTFOUND', 'ENODATA']);

export interface ResolverOptions {
  readonly useSystemNames: boolean;
  /** Name servers as `address[:port]`; without them those of the system. For tests. */
  readonly servers?: readonly string[];
}

/**
 * A resolver over c-ares, which unlike getaddrinfo does not block one of the four threads of Node's pool while a name
 * server is silent. It ignores the hosts file and search domains; `useSystemNames` asks getaddrinfo as well for names
 * that DNS does not know, which development wants (container names, the hosts file) and production must not depend on.
 */
export function createResolver(options: ResolverOptions): Resolver {
  const cache = new Map<string, Promise<string[]>>();

  function ask(host: string): Promise<string[]> {
    const cached = cache.get(host);
    if (cached) return cached;
    const answer = query(host, options);
    if (cache.size < CACHE_ENTRIES) {
      cache.set(host, answer);
      const forget = () => cache.delete(host);
      // Unreferenced: an answer that is still good must not keep a process alive.
      answer.then(() => setTimeout(forget, CACHE_MS).unref(), forget);
    }
    return answer;
  }

  return {
    resolve: (host, signal) => unlessAborted(ask(host), signal),
  };
}

async function query(host: string, options: ResolverOptions): Promise<string[]> {
  const resolver = new dns.Resolver({ timeout: QUERY_TIMEOUT_MS, tries: QUERY_TRIES });
  if (options.servers) resolver.setServers(options.servers);
  const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  // One family is enough: a name server that fails on AAAA alone is common, and only judged addresses are connected to.
  const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  if (addresses.length > 0) return addresses;
  if (options.useSystemNames) return systemAddresses(host);
  const failure = answers.find((answer) => answer.status === 'rejected' && !NO_ADDRESS.has(codeOf(answer.reason)));
  if (failure?.status === 'rejected') throw failure.reason;
  return [];
}

async function systemAddresses(host: string): Promise<string[]> {
  const found = await dns.lookup(host, { all: true }).catch(() => []);
  return found.map(({ address }) => address);
}
