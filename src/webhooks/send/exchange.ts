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

type ReplyHeaders = Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>[2];

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
  const handler = new Exchange(connection, request.mayWrite, signal, keep);
  const { path, headers, body } = request;
  connection.client.dispatch({ method: 'POST', path, headers, body }, handler);
  return handler.reply;
}

/** One request and its reply, as undici tells of them; methods are in the order in which they are called. */
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
      // A guard that throws is a fault of ours; undici would pass it off as one of the connection.
      this.settled.reject(error);
      this.abandon({ kind: 'not_sent' });
    }
  }

  onResponseStarted(): void {
    this.replyBegan = true;
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: ReplyHeaders): void {
    if (status >= 200) {
      const retryAfterSeconds = PATIENCE.has(status) ? parseRetryAfter(headers['retry-after'], Date.now()) : null;
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
