import { type Dispatcher, errors } from 'undici';
import { type Connection, dropConnection } from './connections.ts';
import { codeOf } from './node-error-code.ts';
import { parseRetryAfter } from './retry-after.ts';

/** A POST request; Host, Content-Length and Connection are added. */
export interface OutgoingRequest {
  /** Path and query, beginning with a slash. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Called once, right before the first byte leaves; false stops the request. */
  readonly mayWrite: () => boolean;
}

type ReplyHeaders = Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>[2];

/** Result of one request over an open connection. */
export type Reply =
  | { readonly kind: 'status'; readonly status: number; readonly retryAfterSeconds: number | null }
  | { readonly kind: 'failed'; readonly error: 'timeout' | 'connection_error' | 'tls_error' | 'invalid_response' }
  /** `mayWrite` returned false. */
  | { readonly kind: 'not_sent' }
  /** The receiver had closed the connection before anything was written, so another one may be tried. */
  | { readonly kind: 'stale' };

/** Limit of the body that is read and dropped: enough for any status page. */
const MAX_BODY_BYTES = 16_384;

/** Limit of interim replies. A few are normal (103); an endless series is an attack. */
const MAX_INTERIM_REPLIES = 32;

/** Errors of undici for a reply that is not HTTP/1.1. Compared by class, because 8.12 omits the codes. */
const MALFORMED = [errors.HTTPParserError, errors.HeadersOverflowError, errors.ResponseContentLengthMismatchError];

/** Statuses on which `Retry-After` counts (RFC 6585, RFC 9110). */
const POSTPONING_STATUSES = new Set([429, 503]);

/**
 * Sends the request on this connection and waits until the reply ends, 16 KiB of body were read, or the signal aborts.
 * The status line and headers are the result, even if the body fails. The connection is kept only after a reply that
 * ended cleanly; otherwise it is closed.
 *
 * @param keep stores the connection for the next request
 * @throws errors of `mayWrite`, and errors of undici that are our own fault, such as an illegal header
 */
export function exchange(
  connection: Connection,
  request: OutgoingRequest,
  signal: AbortSignal,
  keep: (connection: Connection) => void,
): Promise<Reply> {
  const handler = new Exchange(connection, request.mayWrite, signal, keep);
  const { path, headers, body } = request;
  connection.client.dispatch({ method: 'POST', path, headers, body }, handler);
  return handler.reply;
}

/** Handler of one request and its reply. undici calls the methods in the order in which they stand here. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly reply: Promise<Reply>;
  private readonly settled = Promise.withResolvers<Reply>();
  private readonly connection: Connection;
  private readonly mayWrite: () => boolean;
  private readonly signal: AbortSignal;
  private readonly keep: (connection: Connection) => void;
  private controller: Dispatcher.DispatchController | null = null;
  private status: Reply | null = null;
  private isSettled = false;
  private replyBegan = false;
  private interimReplies = 0;
  private bodyBytes = 0;

  constructor(
    connection: Connection,
    mayWrite: () => boolean,
    signal: AbortSignal,
    keep: (connection: Connection) => void,
  ) {
    this.reply = this.settled.promise;
    this.connection = connection;
    this.mayWrite = mayWrite;
    this.signal = signal;
    this.keep = keep;
    signal.addEventListener('abort', this.onAbort, { once: true });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    try {
      if (this.signal.aborted) this.onAbort();
      else if (!this.mayWrite()) this.abandon({ kind: 'not_sent' });
    } catch (error) {
      // An error of `mayWrite` is our own fault; undici would report it as a connection error.
      this.settled.reject(error);
      this.abandon({ kind: 'not_sent' });
    }
  }

  onResponseStarted(): void {
    this.replyBegan = true;
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: ReplyHeaders): void {
    if (status >= 200) {
      const retryAfterSeconds = POSTPONING_STATUSES.has(status)
        ? parseRetryAfter(headers['retry-after'], Date.now())
        : null;
      this.status = { kind: 'status', status, retryAfterSeconds };
      return;
    }
    this.interimReplies += 1;
    if (this.interimReplies > MAX_INTERIM_REPLIES) this.abandon({ kind: 'failed', error: 'invalid_response' });
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.bodyBytes += chunk.length;
    if (this.bodyBytes > MAX_BODY_BYTES && this.status) this.abandon(this.status);
  }

  onResponseEnd(): void {
    if (this.isSettled || !this.status) return;
    this.settle(this.status);
    this.keep(this.connection);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.isSettled) return;
    if (isOwnFault(error)) this.settled.reject(error);
    if (this.status) this.abandon(this.status);
    else if (this.controller === null) this.abandon({ kind: 'stale' });
    else this.abandon({ kind: 'failed', error: exchangeError(error, this.replyBegan) });
  }

  private readonly onAbort = (): void => {
    this.abandon(this.status ?? { kind: 'failed', error: 'timeout' });
  };

  private settle(reply: Reply): void {
    this.isSettled = true;
    this.signal.removeEventListener('abort', this.onAbort);
    this.settled.resolve(reply);
  }

  private abandon(reply: Reply): void {
    this.settle(reply);
    this.controller?.abort(new Error('abandoned'));
    dropConnection(this.connection);
  }
}

/** Returns true if undici refused the request itself. That is our fault, not the receiver's. */
function isOwnFault(error: Error): boolean {
  return error instanceof errors.InvalidArgumentError || error instanceof errors.NotSupportedError;
}

function exchangeError(error: Error, replyBegan: boolean): 'connection_error' | 'tls_error' | 'invalid_response' {
  // After the handshake: a TLS alert, or bytes that are not TLS.
  if (/^ERR_(SSL|TLS)_/.test(codeOf(error))) return 'tls_error';
  if (MALFORMED.some((kind) => error instanceof kind)) return 'invalid_response';
  // The receiver closed within the headers, or sent a status that HTTP does not allow here (100, 101).
  return error instanceof errors.SocketError && replyBegan ? 'invalid_response' : 'connection_error';
}
