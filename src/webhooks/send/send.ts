import tls from 'node:tls';
import { observe } from '../../platform/base/diagnostics.ts';
import { createIdleConnections, openConnection } from './connections.ts';
import { checkUrl, resolveDestination } from './destination.ts';
import { exchange, failedReply, type Reply, type SendError } from './exchange.ts';
import type { NetworkSet } from './networks.ts';
import type { Resolver } from './resolver.ts';

/*
 * The only module that sends webhooks. One send is one attempt. It checks the URL, resolves the host, and checks every
 * address. It connects to one of them or reuses a connection, sends a POST, and reads the status line. Redirects,
 * proxies and decompression are not supported; the protocol is HTTP/1.1. Faults of others are returned as values; our
 * own throw.
 */

/** Result of an attempt. If it is `not_sent`, no byte left, so there is no attempt to record. */
export interface SendResult extends Reply {
  readonly error: SendError | 'not_sent' | null;
  /** Whole milliseconds until the connection was free again; at most about the deadline. */
  readonly durationMs: number;
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
  readonly mayWrite?: () => boolean;
}

export interface Sender {
  /** Makes one delivery attempt. @throws Error for headers that HTTP cannot carry. */
  send(request: SendRequest): Promise<SendResult>;
  /** Closes the kept connections. The caller has ended all attempts before. */
  close(): void;
}

export interface SenderOptions {
  readonly allowedNetworks: NetworkSet;
  readonly resolver: Resolver;
  /** The one deadline over DNS, connect, TLS and headers, in milliseconds (WEBHOOK_TIMEOUT_MS). */
  readonly timeoutMs: number;
}

/**
 * Creates a sender with its own connections. A connection is reused only for the same endpoint and origin, and only if
 * its address is among the addresses that were just checked.
 */
export function createSender({ allowedNetworks, resolver, timeoutMs }: SenderOptions): Sender {
  // One context for all connections: building one parses every certificate anew.
  const trust = tls.createSecureContext();
  const idle = createIdleConnections();

  const attempt = async (request: SendRequest, signal: AbortSignal): Promise<Reply> => {
    const checked = checkUrl(request.url, allowedNetworks);
    if (!checked.ok) return failedReply('blocked_address');
    const addresses = await resolveDestination(checked, allowedNetworks, resolver, signal);
    if (typeof addresses === 'string') return failedReply(addresses);
    const { url } = checked;
    const pool = `${request.endpointId ?? ''} ${url.origin}`;
    const { headers, body, mayWrite = () => true } = request;
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
    send: (request) =>
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
