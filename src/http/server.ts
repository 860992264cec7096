import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type Koa from 'koa';
import { ERRORS, type ErrorCode } from '../base/errors.ts';
import type { RequestState } from './context.ts';
import { envelope } from './errors.ts';

/** Time-outs against clients that send slowly, after which a request is answered 408. */
export interface Patience {
  headersMs: number;
  /** Headers and body together. */
  requestMs: number;
  /** How often it is looked who is late. */
  checkMs: number;
}

/** Node's own would let one client hold a socket for five minutes. */
const PATIENCE: Patience = { headersMs: 10_000, requestMs: 30_000, checkMs: 2_000 };

/** How often connections that fell idle are looked for while closing. */
const CLOSE_SWEEP_MS = 20;

/** Requests that have arrived are answered by then; whoever still holds a connection is slow to send, or to read. */
const CLOSE_TIMEOUT_MS = 17_000;

/** How long a client that was refused may take to read why. */
const UNREAD_TIMEOUT_MS = 2_000;

/** Longer than the idle time of usual load balancers, so that they, not we, close idle connections. */
const KEEP_ALIVE_TIMEOUT_MS = 65_000;

/** Longer than any request takes, and than the idle time of kept connections. */
const SOCKET_TIMEOUT_MS = 70_000;

export interface RunningServer {
  /** The port it listens on, also when any was asked for. */
  port: number;
  /** Takes no new connections and resolves when the requests under way are answered. */
  close(): Promise<void>;
}

/** Listens. @throws Node's error when the address can't be had, e.g. EADDRINUSE */
export async function listen(
  app: Koa<RequestState>,
  port: number,
  host: string,
  { headersMs, requestMs, checkMs }: Patience = PATIENCE,
): Promise<RunningServer> {
  const server = createServer({
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    connectionsCheckingInterval: checkMs,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    // Node would answer a missing Host without the envelope; the application sees to it.
    requireHostHeader: false,
  });
  // Ends a connection on which nothing moves, such as that of a client that does not read its answer.
  server.setTimeout(SOCKET_TIMEOUT_MS);
  const handle = app.callback();
  const underWay = new WeakMap<Duplex, IncomingMessage>();
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    underWay.set(request.socket, request);
    response.once('close', () => underWay.delete(request.socket));
    // A client that asks on and on must notice that we are leaving.
    if (!server.listening) response.setHeader('Connection', 'close');
    return handle(request, response);
  };
  server.on('request', answer);
  // An expectation other than 100-continue is no reason to refuse (RFC 9110, section 10.1.1, allows to ignore it).
  server.on('checkExpectation', answer);
  // A request that arrived whole is being answered; one that breaks off in the middle is what the error is about.
  server.on('clientError', (error, socket) => refuseUnreadable(error, socket, underWay.get(socket)?.complete === true));
  server.on('connect', refuseTunnel);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  // Such as running out of file descriptors: a matter for the log, not the end of the process.
  server.on('error', (error) => app.emit('error', error));
  return { port: portOf(server), close: () => close(server) };
}

/**
 * What Node's parser refuses is answered in the envelope as well, where the socket still takes an answer: not while an
 * earlier request on it is being answered, whose answer this one would overtake.
 */
function refuseUnreadable(error: NodeJS.ErrnoException, socket: Duplex, isBusy: boolean): void {
  if (!socket.writable || isBusy || error.code === 'ECONNRESET') return void socket.destroy();
  const [status, message] = statusOf(error.code);
  refuse(socket, status, 'validation_error', message);
}

/** Nobody is tunnelled anywhere. Node hands such a socket over, and with it the care for its errors. */
function refuseTunnel(_: IncomingMessage, socket: Duplex): void {
  socket.on('error', () => socket.destroy());
  refuse(socket, '404 Not Found', 'not_found', ERRORS.not_found.message);
}

/**
 * Answers past the application, and closes: both directions, or a client that never closes its own would keep the
 * descriptor for ever.
 */
function refuse(socket: Duplex, status: string, code: ErrorCode, message: string): void {
  const requestId = `req_${randomBytes(12).toString('base64url')}`;
  const body = envelope(code, message, null, requestId);
  socket.end(
    [
      `HTTP/1.1 ${status}`,
      'Connection: close',
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `Request-Id: ${requestId}`,
      '',
      body,
    ].join('\r\n'),
    () => socket.destroy(),
  );
  // A client that doesn't even read its answer.
  setTimeout(() => socket.destroy(), UNREAD_TIMEOUT_MS).unref();
}

function statusOf(code: string | undefined): [status: string, message: string] {
  if (code === 'HPE_HEADER_OVERFLOW') return ['431 Request Header Fields Too Large', 'The headers are too large.'];
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return ['408 Request Timeout', 'The request took too long to arrive.'];
  return ['400 Bad Request', 'The request is not valid HTTP.'];
}

function portOf(server: Server): number {
  // A listening TCP server has an address of this shape; a string is a Unix socket's.
  return (server.address() as AddressInfo).port;
}

/** Connections between two requests are closed at once and again; those with a request under way end with its answer. */
async function close(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const sweep = setInterval(() => server.closeIdleConnections(), CLOSE_SWEEP_MS);
  const giveUp = setTimeout(() => server.closeAllConnections(), CLOSE_TIMEOUT_MS);
  await closed;
  clearInterval(sweep);
  clearTimeout(giveUp);
}
