import dns from 'node:dns/promises';
import { errorCode, unlessAborted } from './node.ts';

export interface Resolver {
  /** An empty list for a name without addresses. Rejects without a usable answer, or when the signal aborts. */
  resolve(host: string, signal: AbortSignal): Promise<string[]>;
}

/** One lost datagram is repeated. c-ares doubles the timeout, so a question ends after about 6 s. */
const QUERY_TIMEOUT_MS = 2_000;
const QUERY_TRIES = 2;

/** A burst of deliveries to one host asks once. Short, because receivers move. */
const CACHE_MS = 1_000;

const CACHE_ENTRIES = 1_000;

const NO_ADDRESS = new Set(['ENOTFOUND', 'ENODATA']);

/**
 * Creates a resolver over c-ares, which unlike getaddrinfo blocks no thread of Node's pool while a name server is
 * silent. With `useSystemNames`, getaddrinfo is asked for names that DNS does not know.
 */
export function createResolver({ useSystemNames }: { useSystemNames: boolean }): Resolver {
  const cache = new Map<string, Promise<string[]>>();

  function ask(host: string): Promise<string[]> {
    const cached = cache.get(host);
    if (cached) return cached;
    const answer = queryNameServers(host, useSystemNames);
    if (cache.size < CACHE_ENTRIES) {
      cache.set(host, answer);
      const forget = () => cache.delete(host);
      // Unreferenced, so that a cached answer does not keep the process alive.
      answer.then(() => setTimeout(forget, CACHE_MS).unref(), forget);
    }
    return answer;
  }

  return { resolve: (host, signal) => unlessAborted(ask(host), signal) };
}

async function queryNameServers(host: string, useSystemNames: boolean): Promise<string[]> {
  const resolver = new dns.Resolver({ timeout: QUERY_TIMEOUT_MS, tries: QUERY_TRIES });
  const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  // One family is enough, because many name servers fail on AAAA alone.
  const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  if (addresses.length > 0) return addresses;
  if (useSystemNames) {
    const systemAddresses = await dns.lookup(host, { all: true }).catch(() => []);
    return systemAddresses.map(({ address }) => address);
  }
  const failure = answers.find((answer) => answer.status === 'rejected' && !NO_ADDRESS.has(errorCode(answer.reason)));
  if (failure?.status === 'rejected') throw failure.reason;
  return [];
}
