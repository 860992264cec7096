import tls from 'node:tls';
import { observe } from '../../base/diagnostics.ts';
import { createIdleConnections, type IdleConnections, openConnection } from './connections.ts';
import { startDeadline } from './deadline.ts';
import { checkUrl, type DestinationPolicy, resolveDestination } from './destination.ts';
import { exchange, type OutgoingRequest, type Reply } from './exchange.ts';
import type { Resolver } from './resolver.ts';

/*
 * The only module that sends webhooks. One send is one attempt. It checks the URL, resolves the host, and checks every
 * address. It connects to one of them or reuses a connection, sends a POST, and reads the status line. Redirects,
 * proxies and decompression are not supported; the protocol is HTTP/1.1. Faults of others are returned as values; our
 * own throw.
 */

/** Faults of a receiver, as an attempt records them (openapi.yaml, schema `WebhookAttemptError`). */
export type SendError =
  | 'timeout'
  | 'dns_error'
  | 'connection_error'
  | 'tls_error'
  | 'blocked_address'
  | 'invalid_response'
  | 'http_status';

export interface SendResult {
  /** Null when no status line came in time. */
  readonly responseStatus: number | null;
  /** Null for a 2xx only. `not_sent` if `beforeWrite` returned false: no byte left, so there is no attempt to record. */
  readonly error: SendError | 'not_sent' | null;
  /** Whole milliseconds until the connection was free again; at most about the deadline. */
  readonly durationMs: number;
  /** Whole seconds, from a Retry-After on a 429 or 503; else null. */
  readonly retryAfterSeconds: number | null;
}

export interface SendRequest {
  /**
   * Endpoint of the request. A connection is reused for the same endpoint only. A receiver that sends an unrequested
   * reply can have it taken for the answer to the next request; that request must be its own
   * (docs/decisions/0006-sending-webhooks.md).
   */
  readonly endpointId?: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent as UTF-8, byte for byte. */
  readonly body: string;
  /**
   * Called right before the first byte leaves. A process that was stopped past its lease returns false here, because
   * another worker may own the delivery by now.
   */
  readonly beforeWrite?: () => boolean;
}

export interface Sender {
  /** Makes one delivery attempt. @throws Error after `close`, and for headers that HTTP cannot carry. */
  send(request: SendRequest): Promise<SendResult>;
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
type ExchangeResult = Reply | { readonly kind: 'failed'; readonly error: Failure };

interface SenderDependencies {
  readonly policy: DestinationPolicy;
  readonly resolver: Resolver;
  readonly trust: tls.SecureContext;
  readonly idle: IdleConnections;
}

/**
 * Creates a sender with its own connections. A connection is reused only for the same endpoint and origin, and only if
 * its address is among the addresses that were just checked.
 */
export function createSender(options: SenderOptions): Sender {
  const { policy, resolver, timeoutMs } = options;
  // One context for all connections: building one parses every certificate anew.
  const trust = tls.createSecureContext(trustOptions(options.extraCa ?? []));
  const idle = createIdleConnections();
  const underWay = new Set<Promise<SendResult>>();
  let isClosed = false;

  return {
    async send(request) {
      if (isClosed) throw new Error('the webhook sender is closed');
      const sending = observe(
        () => ({ kind: 'webhook_request' }),
        () => sendInTime({ policy, resolver, trust, idle }, request, timeoutMs),
      );
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

async function sendInTime(
  dependencies: SenderDependencies,
  request: SendRequest,
  timeoutMs: number,
): Promise<SendResult> {
  const startedMs = performance.now();
  const deadline = startDeadline(timeoutMs);
  const elapsedMs = () => Math.round(performance.now() - startedMs);
  try {
    return resultOf(await attempt(dependencies, request, deadline.signal), elapsedMs());
  } catch (error) {
    // The deadline is the only rejection that is not our own fault.
    if (error !== deadline.signal.reason) throw error;
    return resultOf({ kind: 'failed', error: 'timeout' }, elapsedMs());
  } finally {
    deadline.clear();
  }
}

async function attempt(
  dependencies: SenderDependencies,
  request: SendRequest,
  signal: AbortSignal,
): Promise<ExchangeResult> {
  const { policy, resolver, trust, idle } = dependencies;
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

function resultOf(result: ExchangeResult, durationMs: number): SendResult {
  if (result.kind === 'status') {
    const { status: responseStatus, retryAfterSeconds } = result;
    const isSuccess = responseStatus >= 200 && responseStatus < 300;
    return { responseStatus, error: isSuccess ? null : 'http_status', durationMs, retryAfterSeconds };
  }
  return { responseStatus: null, error: errorOf(result), durationMs, retryAfterSeconds: null };
}

/** Returns the error of an exchange without a status. A new connection that closed before the request is a failure, too. */
function errorOf(result: Exclude<ExchangeResult, { kind: 'status' }>): Failure | 'not_sent' {
  if (result.kind === 'failed') return result.error;
  return result.kind === 'stale' ? 'connection_error' : 'not_sent';
}
