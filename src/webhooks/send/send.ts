import tls from 'node:tls';
import { observe } from '../../platform/base/diagnostics.ts';
import { createIdleConnections, openConnection } from './connections.ts';
import { checkUrl, resolveDestination } from './destination.ts';
import { exchange, failedReply, type OutgoingRequest, type Reply, type SendError } from './exchange.ts';
import type { NetworkSet } from './networks.ts';
import type { Resolver } from './resolver.ts';

/* The only module that sends webhooks, over HTTP/1.1. Faults of others are values; our own throw. */

interface SendResult extends Reply {
  /** `not_sent` means that no byte left, so there is no attempt to record. */
  readonly error: SendError | 'not_sent' | null;
  /** Whole milliseconds until the connection was free again; at most about the deadline. */
  readonly durationMs: number;
}

export interface SendRequest extends Omit<OutgoingRequest, 'path'> {
  /**
   * A connection is reused for the same endpoint only. A receiver may send a reply before it is asked, which is taken
   * for the answer to the next request (docs/decisions/0006-sending-webhooks.md).
   */
  readonly endpointId: string;
  readonly url: string;
}

export type Sender = ReturnType<typeof createSender>;

interface SenderOptions {
  readonly allowedNetworks: NetworkSet;
  readonly resolver: Resolver;
  /** Deadline over DNS, connect, TLS and headers (WEBHOOK_TIMEOUT_MS). */
  readonly timeoutMs: number;
}

export function createSender({ allowedNetworks, resolver, timeoutMs }: SenderOptions) {
  // One context for all connections: building one parses every certificate anew.
  const trust = tls.createSecureContext();
  const idle = createIdleConnections();

  const attempt = async (request: SendRequest, signal: AbortSignal): Promise<Reply> => {
    const check = checkUrl(request.url, allowedNetworks);
    if (!check.ok) return failedReply('blocked_address');
    const addresses = await resolveDestination(check, allowedNetworks, resolver, signal);
    if (typeof addresses === 'string') return failedReply(addresses);
    const { url } = check;
    const { endpointId, headers, body, mayWrite } = request;
    const pool = `${endpointId} ${url.origin}`;
    const outgoing = { path: url.pathname + url.search, headers, body, mayWrite };
    const connection = idle.take(pool, addresses);
    const reply = connection && (await exchange(connection, outgoing, signal, idle.give));
    if (reply !== undefined && reply.error !== 'stale') return reply;
    const opened = await openConnection(pool, url, addresses, trust, signal);
    return typeof opened === 'string' ? failedReply(opened) : exchange(opened, outgoing, signal, idle.give);
  };

  const sendInTime = async (request: SendRequest): Promise<SendResult> => {
    const startedMs = performance.now();
    const late = new AbortController();
    // Not AbortSignal.timeout: at a thousand sends a second, ten thousand timers would run.
    const timer = setTimeout(() => late.abort(), timeoutMs);
    try {
      return toResult(await attempt(request, late.signal), startedMs);
    } catch (error) {
      // The deadline is the only rejection that is not our own fault.
      if (error !== late.signal.reason) throw error;
      return toResult(failedReply('timeout'), startedMs);
    } finally {
      clearTimeout(timer);
    }
  };

  return {
    /** @throws Error for headers that HTTP cannot carry */
    send: (request: SendRequest): Promise<SendResult> =>
      observe(
        () => ({ kind: 'webhook_request' }),
        () => sendInTime(request),
      ),
    close: () => idle.destroyAll(),
  };
}

function toResult({ error, ...reply }: Reply, startedMs: number): SendResult {
  return {
    ...reply,
    // A new connection that closed before the request is a failure, too.
    error: error === 'stale' ? 'connection_error' : error,
    durationMs: Math.round(performance.now() - startedMs),
  };
}
