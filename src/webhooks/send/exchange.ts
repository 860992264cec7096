import { type Dispatcher, errors } from 'undici';
import type { WebhookAttemptError } from '../../contract/operations-type.ts';
import { type Connection, dropConnection } from './connections.ts';
import { skipInterimReplies } from './interim-replies.ts';
import { errorCode } from './node.ts';

/** Host, Content-Length and Connection are added. */
export interface OutgoingRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent as UTF-8, byte for byte. */
  readonly body: string;
  /** Called once, right before the first byte leaves; false stops the request. Must not throw. */
  readonly mayWrite: () => boolean;
}

export type SendError = Exclude<WebhookAttemptError, 'interrupted'>;

/** Result of one request over an open connection. */
export interface Reply {
  /** Null when no status line came in time. */
  readonly responseStatus: number | null;
  /**
   * Null for a 2xx only. `not_sent`: `mayWrite` returned false. `stale`: the receiver had closed before anything was
   * written, so another connection may be tried.
   */
  readonly error: SendError | 'not_sent' | 'stale' | null;
  /** Whole seconds, from a Retry-After on a 429 or 503; else null. */
  readonly retryAfterSeconds: number | null;
}

/** Size that is enough for any status page, which is read and dropped. */
const MAX_BODY_BYTES = 16_384;

/** Errors of undici for a reply that is not HTTP/1.1. Compared by class, because 8.12 omits the codes. */
const MALFORMED = [errors.HTTPParserError, errors.HeadersOverflowError, errors.ResponseContentLengthMismatchError];

/** Statuses on which `Retry-After` counts (RFC 6585, RFC 9110). */
const POSTPONING_STATUSES = new Set([429, 503]);

export function failedReply(error: Reply['error']): Reply {
  return { responseStatus: null, error, retryAfterSeconds: null };
}

/**
 * Sends the request and waits until the reply ends, 16 KiB of body were read, or the signal aborts. Status line and
 * headers are the result, even if the body fails. Only a connection whose reply ended cleanly is kept.
 * @param keep stores the connection for the next request
 * @throws errors of undici that are our own fault, such as an illegal header
 */
export function exchange(
  connection: Connection,
  { path, headers, body, mayWrite }: OutgoingRequest,
  signal: AbortSignal,
  keep: (connection: Connection) => void,
): Promise<Reply> {
  const { promise, resolve, reject } = Promise.withResolvers<Reply>();
  let controller: Dispatcher.DispatchController | null = null;
  let answer: Reply | null = null;
  let isSettled = false;
  let replyBegan = false;
  let bodyBytes = 0;
  const settle = (reply: Reply): void => {
    isSettled = true;
    endSkipping();
    signal.removeEventListener('abort', onAbort);
    resolve(reply);
  };
  const abandon = (reply: Reply): void => {
    settle(reply);
    controller?.abort(new Error('abandoned'));
    dropConnection(connection);
  };
  const onAbort = () => abandon(answer ?? failedReply('timeout'));
  const onBegin = () => {
    replyBegan = true;
  };
  const endSkipping = skipInterimReplies(connection.socket, onBegin, () => abandon(failedReply('invalid_response')));
  signal.addEventListener('abort', onAbort, { once: true });
  // In the order in which undici calls them.
  const handler: Dispatcher.DispatchHandler = {
    onRequestStart(ofRequest) {
      controller = ofRequest;
      if (signal.aborted) onAbort();
      else if (!mayWrite()) abandon(failedReply('not_sent'));
    },
    onResponseStart(_controller, status, replyHeaders) {
      // Behind a line break, an interim reply comes this far.
      if (status >= 200) answer = toReply(status, replyHeaders['retry-after']);
    },
    onResponseData(_controller, chunk) {
      bodyBytes += chunk.length;
      if (bodyBytes > MAX_BODY_BYTES && answer) abandon(answer);
    },
    onResponseEnd() {
      if (isSettled || !answer) return;
      settle(answer);
      keep(connection);
    },
    onResponseError(_controller, error) {
      if (isSettled) return;
      // If undici refused the request itself, that is our fault, not the receiver's.
      if (error instanceof errors.InvalidArgumentError || error instanceof errors.NotSupportedError) reject(error);
      abandon(answer ?? failedReply(controller === null ? 'stale' : exchangeError(error, replyBegan)));
    },
  };
  connection.client.dispatch({ method: 'POST', path, headers, body }, handler);
  return promise;
}

function toReply(responseStatus: number, retryAfter: string | string[] | undefined): Reply {
  const isPostponing = POSTPONING_STATUSES.has(responseStatus);
  return {
    responseStatus,
    error: responseStatus < 300 ? null : 'http_status',
    retryAfterSeconds: isPostponing ? parseRetryAfter(retryAfter, Date.now()) : null,
  };
}

function exchangeError(error: Error, replyBegan: boolean): SendError {
  // After the handshake: a TLS alert, or bytes that are not TLS.
  if (/^ERR_(SSL|TLS)_/.test(errorCode(error))) return 'tls_error';
  if (MALFORMED.some((kind) => error instanceof kind)) return 'invalid_response';
  // The receiver closed within the headers, or sent a status that HTTP does not allow here (101).
  return error instanceof errors.SocketError && replyBegan ? 'invalid_response' : 'connection_error';
}

/** The largest integer of the database's column. The retry schedule limits the wait far below it. */
const MAX_RETRY_AFTER_SECONDS = 2_147_483_647;

const DELTA_SECONDS = /^\d+$/;

/** The three shapes of a date in HTTP, all of them in GMT (RFC 9110, section 5.6.7). */
const HTTP_DATES: readonly RegExp[] = [
  /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/,
  /^(Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/,
  /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/,
];

/**
 * The wait in whole seconds from `nowMs`, rounded up; zero for a date in the past. Null when the header is missing,
 * repeated, or neither seconds nor an HTTP date (RFC 9110, section 10.2.3).
 */
export function parseRetryAfter(value: string | readonly string[] | undefined, nowMs: number): number | null {
  if (typeof value !== 'string') return null;
  const text = value.trim();
  if (DELTA_SECONDS.test(text)) return Math.min(Number(text), MAX_RETRY_AFTER_SECONDS);
  if (!HTTP_DATES.some((shape) => shape.test(text))) return null;
  // The asctime shape has no zone, and Date.parse would read it as local time.
  const dateMs = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
  if (Number.isNaN(dateMs)) return null;
  return Math.min(Math.max(Math.ceil((dateMs - nowMs) / 1_000), 0), MAX_RETRY_AFTER_SECONDS);
}
