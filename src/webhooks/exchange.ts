import { type Dispatcher, errors } from 'undici';
import { type Connection, dropConnection } from './connections.ts';
import { codeOf } from './error-code.ts';
import { parseRetryAfter } from './retry-after.ts';

/** A POST as it goes over the wire; Host, Content-Length and Connection are added. */
export interface OutgoingRequest {
  /** Path and query, beginning with a slash. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Asked once, right before the first byte leaves; false means that nothing may leave any more. */
  readonly mayWrite: () => boolean;
}

export type Reply =
  | { readonly kind: 'status'; readonly status: number; readonly retryAfterSeconds: number | null }
  | { readonly kind: 'failed'; readonly error: 'timeout' | 'connection_error' | 'tls_error' | 'invalid_response' }
  /** The guard said no. */
  | { readonly kind: 'not_sent' }
  /** The receiver had closed a kept connection before anything was written, so another one may be tried. */
  | { readonly kind: 'stale' };

/** Enough for any status page; the rest is nobody's business, and a receiver must not be able to occupy us with it. */
const MAX_BODY_BYTES = 16_384;

/** A few hints before the answer are normal (103); an endless row of them is an attack. */
const MAX_INTERIM_REPLIES = 32;

/** What undici calls a reply that is not HTTP/1.1. By class: the parser's errors come without their codes in 8.12. */
const MALFORMED = [errors.HTTPParserError, errors.HeadersOverflowError, errors.ResponseContentLengthMismatchError];

/** Statuses with which a receiver may ask for patience (RFC 6585, RFC 9110). */
const PATIENCE = new Set([429, 503]);

/**
 * Sends the request on this connection and waits for the end of the reply, or for what ends the waiting: 16 KiB of
 * body, or the signal. Once the status line and headers are there, they are the result, whatever becomes of the body.
 * The connection is kept only when the reply ended cleanly; otherwise it is closed.
 *
 * @param keep takes the connection back for the next request
 * @throws what the guard throws, and what undici says of a request that no receiver can be blamed for, such as an
 *   illegal header
 */
export function exchange(
  connection: Connection,
  request: OutgoingRequest,
  signal: AbortSignal,
  keep: (connection: Connection) => void,
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | null = null;
    let status: Reply | null = null;
    let isSettled = false;
    let replyBegan = false;
    let interimReplies = 0;
    let bodyBytes = 0;

    const onAbort = () => abandon(status ?? { kind: 'failed', error: 'timeout' });
    signal.addEventListener('abort', onAbort, { once: true });

    function settle(reply: Reply): void {
      isSettled = true;
      signal.removeEventListener('abort', onAbort);
      resolve(reply);
    }

    function abandon(reply: Reply): void {
      settle(reply);
      controller?.abort(new Error('abandoned'));
      dropConnection(connection);
    }

    const handler: Dispatcher.DispatchHandler = {
      onRequestStart(started) {
        controller = started;
        try {
          if (signal.aborted) abandon({ kind: 'failed', error: 'timeout' });
          else if (!request.mayWrite()) abandon({ kind: 'not_sent' });
        } catch (error) {
          // A guard that throws is a fault of ours; undici would pass it off as one of the connection.
          reject(error);
          abandon({ kind: 'not_sent' });
        }
      },
      onResponseStarted() {
        replyBegan = true;
      },
      onResponseStart(_controller, statusCode, headers) {
        if (statusCode >= 200) {
          const retryAfter = PATIENCE.has(statusCode) ? parseRetryAfter(headers['retry-after'], Date.now()) : null;
          status = { kind: 'status', status: statusCode, retryAfterSeconds: retryAfter };
          return;
        }
        interimReplies += 1;
        if (interimReplies > MAX_INTERIM_REPLIES) abandon({ kind: 'failed', error: 'invalid_response' });
      },
      onResponseData(_controller, chunk) {
        bodyBytes += chunk.length;
        if (bodyBytes > MAX_BODY_BYTES && status) abandon(status);
      },
      onResponseEnd() {
        if (isSettled || !status) return;
        settle(status);
        keep(connection);
      },
      onResponseError(_controller, error) {
        if (isSettled) return;
        if (isOwnFault(error)) reject(error);
        if (status) abandon(status);
        else if (controller === null) abandon({ kind: 'stale' });
        else abandon({ kind: 'failed', error: exchangeError(error, replyBegan) });
      },
    };

    const { path, headers, body } = request;
    connection.client.dispatch({ method: 'POST', path, headers, body }, handler);
  });
}

/** undici refuses what it was asked to send: no receiver has a part in that. */
function isOwnFault(error: Error): boolean {
  return error instanceof errors.InvalidArgumentError || error instanceof errors.NotSupportedError;
}

function exchangeError(error: Error, replyBegan: boolean): 'connection_error' | 'tls_error' | 'invalid_response' {
  // An alert, or bytes that are no TLS, after the handshake.
  if (/^ERR_(SSL|TLS)_/.test(codeOf(error))) return 'tls_error';
  if (MALFORMED.some((kind) => error instanceof kind)) return 'invalid_response';
  // Closed in the middle of the headers, or an answer that HTTP does not allow here (101, 100).
  return error instanceof errors.SocketError && replyBegan ? 'invalid_response' : 'connection_error';
}
