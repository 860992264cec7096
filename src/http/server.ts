import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type Koa from 'koa';
import { ERRORS, type ErrorCode, OperatorError } from '../platform/base/errors.ts';
import { randomText } from '../platform/base/random-text.ts';
import type { RequestState } from './context.ts';
import { errorBody } from './errors.ts';

/** Timeouts for slow clients. A late request gets a 408. With Node's defaults, it can occupy a socket for five minutes. */
const CLIENT_TIMEOUTS = {
  headersMs: 10_000,
  requestMs: 30_000,
  /** Interval between two checks for late requests. */
  checkMs: 2_000,
  /** Time after which a connection without traffic is closed. It is longer than any request, and than the keep-alive timeout. */
  silenceMs: 70_000,
  /** Time from `close` until all connections are ended. Requests that began before are answered by then. */
  closeMs: 17_000,
};

export type ClientTimeouts = typeof CLIENT_TIMEOUTS;

/** Shortest time from the end of the drain until all connections are ended. It is longer than `DRAINING_BUDGET`. */
const AFTER_DRAIN_MS = 13_500;

/** Interval in which idle connections are closed while the server closes. */
const CLOSE_SWEEP_MS = 20;

/** Time that a client has to read an error before its connection is closed. */
const UNREAD_TIMEOUT_MS = 2_000;

/** Time budget of a request that begins while the server drains, so that the process ends in time. */
export const DRAINING_BUDGET = { totalMs: 13_000, callsMs: 10_000 };

export interface RunningServer {
  /** The real port, also if port 0 was requested. */
  port: number;
  /**
   * Drains, then accepts no new connections, and resolves when all requests in progress are answered. While the server drains,
   * it serves requests with `Connection: close`, because load balancers need some checks to find out that it stops.
   */
  close(drainMs?: number): Promise<void>;
}

const states = new WeakMap<IncomingMessage, { server: Server; isDraining: boolean }>();

/** Returns true if the server of the request accepts no further requests, so that an operation must not wait. */
export function isClosing(request: IncomingMessage): boolean {
  return states.get(request)?.server.listening === false;
}

/** Returns true as soon as `close` was called on the server of the request. */
export function isStopping(request: IncomingMessage): boolean {
  return states.get(request)?.isDraining === true || isClosing(request);
}

/** Starts the server. @throws OperatorError if the port is in use, or Node's error if it cannot listen on the address */
export async function listen(
  app: Koa<RequestState>,
  port: number,
  host: string,
  timeouts: Partial<ClientTimeouts> = {},
): Promise<RunningServer> {
  const { headersMs, requestMs, checkMs, silenceMs, closeMs } = { ...CLIENT_TIMEOUTS, ...timeouts };
  const server = createServer({
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    connectionsCheckingInterval: checkMs,
    // Longer than the idle timeout of usual load balancers, so that they close idle connections first.
    keepAliveTimeout: 65_000,
    // Node would answer a missing Host header without the envelope. The app checks the header.
    requireHostHeader: false,
  });
  server.setTimeout(silenceMs);
  const handle = app.callback();
  const underWay = new WeakMap<Duplex, IncomingMessage>();
  const running = new Set<Promise<void>>();
  const state = { server, isDraining: false };
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    underWay.set(request.socket, request);
    states.set(request, state);
    response.once('close', () => underWay.delete(request.socket));
    // While the server stops, clients must open new connections for further requests.
    if (isStopping(request)) response.setHeader('Connection', 'close');
    const run: Promise<void> = handle(request, response).finally(() => running.delete(run));
    running.add(run);
  };
  server.on('request', answer);
  // The server ignores expectations other than 100-continue, as RFC 9110, section 10.1.1, allows.
  server.on('checkExpectation', answer);
  // If the last request arrived completely, its answer is in progress. Otherwise the error is in that request.
  server.on('clientError', (error, socket) => refuseUnreadable(error, socket, underWay.get(socket)?.complete === true));
  server.on('connect', refuseTunnel);
  await bind(server, port, host);
  // Errors such as a lack of file descriptors are logged and do not end the process.
  server.on('error', (error) => app.emit('error', error));
  return {
    // A listening TCP server has an address of this type. Only a Unix socket has a string.
    port: (server.address() as AddressInfo).port,
    async close(drainMs = 0) {
      state.isDraining = true;
      if (drainMs > 0) await pause(drainMs);
      await close(server, drainMs > 0 ? Math.max(closeMs - drainMs, AFTER_DRAIN_MS) : closeMs, running);
    },
  };
}

async function bind(server: Server, port: number, host: string): Promise<void> {
  server.listen(port, host);
  await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE') throw error;
    throw new OperatorError(
      `Port ${port} is in use.`,
      'End the program that listens there, or set PORT (for metrics METRICS_PORT) to another port.',
      { cause: error },
    );
  });
}

/** Answers a request that Node's parser refused. On a socket that is busy with an earlier request, the error would overtake its answer. */
function refuseUnreadable(error: NodeJS.ErrnoException, socket: Duplex, isBusy: boolean): void {
  if (!socket.writable || isBusy || error.code === 'ECONNRESET') return void socket.destroy();
  const codes: Readonly<Record<string, ErrorCode>> = {
    HPE_HEADER_OVERFLOW: 'headers_too_large',
    ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
  };
  const code = codes[error.code ?? ''] ?? 'validation_error';
  refuse(socket, code, code === 'validation_error' ? 'The request is not valid HTTP.' : ERRORS[code].message);
}

/** Refuses CONNECT requests. Node leaves the handling of such a socket's errors to this function. */
function refuseTunnel(_: IncomingMessage, socket: Duplex): void {
  socket.on('error', () => socket.destroy());
  refuse(socket, 'not_found', ERRORS.not_found.message);
}

/** Answers on the socket and closes it in both directions, because a client that never closes its side would keep the file descriptor. */
function refuse(socket: Duplex, code: ErrorCode, message: string): void {
  const { status } = ERRORS[code];
  const requestId = `req_${randomText(16)}`;
  const body = errorBody(code, message, null, requestId);
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      'Connection: close',
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `Request-Id: ${requestId}`,
      '',
      body,
    ].join('\r\n'),
    () => socket.destroy(),
  );
  setTimeout(() => socket.destroy(), UNREAD_TIMEOUT_MS).unref();
}

/** Closes connections as they become idle. Then waits for requests whose client has left, because they still use the database. */
async function close(server: Server, timeoutMs: number, running: Set<Promise<void>>): Promise<void> {
  const closing = new Promise<void>((resolve) => server.close(() => resolve()));
  const sweep = setInterval(() => server.closeIdleConnections(), CLOSE_SWEEP_MS);
  const timeout = pause(timeoutMs, undefined, { ref: false }).then(() => server.closeAllConnections());
  await closing;
  clearInterval(sweep);
  await Promise.race([Promise.all(running), timeout]);
}
