import tls from 'node:tls';
import { createIdleConnections, type IdleConnections, openConnection } from './connections.ts';
import { startDeadline } from './deadline.ts';
import { checkUrl, type DestinationPolicy, resolveDestination } from './destination.ts';
import { exchange, type OutgoingRequest, type Reply } from './exchange.ts';
import type { Resolver } from './resolver.ts';

/*
 * The only way out for webhooks. One send is one attempt: judge the URL, resolve it, judge the addresses, connect to
 * one of them (or take a kept connection to one of them), POST, look at the status line. No redirects, no proxies, no
 * decompression, HTTP/1.1 only. What goes wrong with others comes back as a value; only our own faults throw.
 */

/** What went wrong with the receiver, as an attempt records it (openapi.yaml, webhook delivery). */
export type SendError =
  | 'timeout'
  | 'dns_error'
  | 'connection_error'
  | 'tls_error'
  | 'blocked_address'
  | 'invalid_response'
  | 'http_status';

/** What became of an attempt. */
export interface AttemptOutcome {
  /** Null when no status line came in time. */
  readonly responseStatus: number | null;
  /** Null for a 2xx, and for nothing else. */
  readonly error: SendError | null;
  /** Whole milliseconds until the outcome was known and the connection free again; at most about the deadline. */
  readonly durationMs: number;
  /** Whole seconds, from a Retry-After on a 429 or 503; else null. */
  readonly retryAfterSeconds: number | null;
}

/** `beforeWrite` said no: not a single byte of the request left, and there is no attempt to record. */
export interface NotSent {
  readonly responseStatus: null;
  readonly error: 'not_sent';
  readonly durationMs: number;
  readonly retryAfterSeconds: null;
}

export type SendOutcome = AttemptOutcome | NotSent;

export interface SendRequest {
  /**
   * Whose request it is. A kept connection is used again for the same endpoint only: what a receiver writes out of turn
   * can be taken for the answer to the next request, and must never be taken for an answer to somebody else's.
   */
  readonly endpointId?: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent as UTF-8, byte for byte. */
  readonly body: string;
  /**
   * Asked right before the first byte leaves on an established connection. A process that was stopped past its lease
   * and goes on notices here that the delivery belongs to somebody else by now.
   */
  readonly beforeWrite?: () => boolean;
}

export interface Sender {
  /** One attempt; see SendOutcome. Throws after close, and for headers that HTTP cannot carry. */
  send(request: SendRequest): Promise<SendOutcome>;
  /** Waits for what is under way, which the deadline bounds, and closes every connection. */
  close(): Promise<void>;
}

export interface SenderOptions {
  readonly policy: DestinationPolicy;
  readonly resolver: Resolver;
  /** The one deadline over DNS, connect, TLS and headers, in milliseconds (WEBHOOK_TIMEOUT_MS). */
  readonly timeoutMs: number;
  /** PEM certificates to trust besides Node's own and those of NODE_EXTRA_CA_CERTS. For tests. */
  readonly extraCa?: readonly string[];
}

type Failure = Exclude<SendError, 'http_status'>;
type Ending = Reply | { readonly kind: 'failed'; readonly error: Failure };

/** What all attempts of one sender share. */
interface Means {
  readonly policy: DestinationPolicy;
  readonly resolver: Resolver;
  readonly trust: tls.SecureContext;
  readonly idle: IdleConnections;
}

/**
 * A sender with its own connections. Kept connections are reused only by requests to the same origin whose freshly
 * judged addresses include the one that the connection was made to.
 */
export function createSender(options: SenderOptions): Sender {
  const { policy, resolver, timeoutMs } = options;
  // One context for all connections: building one parses every certificate anew.
  const trust = tls.createSecureContext(trustOptions(options.extraCa ?? []));
  const idle = createIdleConnections();
  const underWay = new Set<Promise<SendOutcome>>();
  let isClosed = false;

  return {
    async send(request) {
      if (isClosed) throw new Error('the webhook sender is closed');
      const sending = sendInTime({ policy, resolver, trust, idle }, request, timeoutMs);
      underWay.add(sending);
      try {
        return await sending;
      } finally {
        underWay.delete(sending);
      }
    },
    async close() {
      isClosed = true;
      await Promise.allSettled(underWay);
      idle.destroyAll();
    },
  };
}

async function sendInTime(means: Means, request: SendRequest, timeoutMs: number): Promise<SendOutcome> {
  const startedMs = performance.now();
  const deadline = startDeadline(timeoutMs);
  const elapsedMs = () => Math.round(performance.now() - startedMs);
  try {
    return outcomeOf(await attempt(means, request, deadline.signal), elapsedMs());
  } catch (error) {
    // The only rejection that is not our own fault: the time is over.
    if (error !== deadline.signal.reason) throw error;
    return outcomeOf({ kind: 'failed', error: 'timeout' }, elapsedMs());
  } finally {
    deadline.clear();
  }
}

async function attempt(means: Means, request: SendRequest, signal: AbortSignal): Promise<Ending> {
  const { policy, resolver, trust, idle } = means;
  const checked = checkUrl(request.url, policy);
  if (!checked.ok) return { kind: 'failed', error: 'blocked_address' };
  const destination = await resolveDestination(checked, policy, resolver, signal);
  if (!destination.ok) return { kind: 'failed', error: destination.error };
  const { url } = checked;
  const pool = `${request.endpointId ?? ''} ${url.origin}`;
  const outgoing: OutgoingRequest = {
    path: url.pathname + url.search,
    headers: request.headers,
    body: request.body,
    mayWrite: request.beforeWrite ?? (() => true),
  };
  for (;;) {
    const kept = idle.take(pool, destination.addresses);
    if (!kept) break;
    const reply = await exchange(kept, outgoing, signal, idle.give);
    if (reply.kind !== 'stale') return reply;
  }
  const opened = await openConnection(pool, url, destination.addresses, trust, signal);
  if (!opened.ok) return { kind: 'failed', error: opened.error };
  return exchange(opened.connection, outgoing, signal, idle.give);
}

/** Node's default certificates already hold those of NODE_EXTRA_CA_CERTS, but a `ca` option would replace them. */
function trustOptions(extraCa: readonly string[]): tls.SecureContextOptions {
  return extraCa.length === 0 ? {} : { ca: [...tls.getCACertificates('default'), ...extraCa] };
}

function outcomeOf(ending: Ending, durationMs: number): SendOutcome {
  switch (ending.kind) {
    case 'status': {
      const isSuccess = ending.status >= 200 && ending.status < 300;
      const { status: responseStatus, retryAfterSeconds } = ending;
      return { responseStatus, error: isSuccess ? null : 'http_status', durationMs, retryAfterSeconds };
    }
    case 'not_sent':
      return { responseStatus: null, error: 'not_sent', durationMs, retryAfterSeconds: null };
    case 'stale':
      // A connection that was opened a moment ago and closed before the request: nothing kept about it.
      return { responseStatus: null, error: 'connection_error', durationMs, retryAfterSeconds: null };
    case 'failed':
      return { responseStatus: null, error: ending.error, durationMs, retryAfterSeconds: null };
  }
}
