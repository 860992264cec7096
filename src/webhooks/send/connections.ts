import net from 'node:net';
import tls from 'node:tls';
import { Client } from 'undici';
import { unlessAborted } from './deadline.ts';
import { hostOf } from './destination.ts';
import { codeOf } from './error-code.ts';
import { canonicalAddress } from './networks.ts';

/** One connection to a receiver, made to an address that was judged. It serves one request at a time. */
export interface Connection {
  /** Who may use it again, and for which origin: see SendRequest. */
  readonly pool: string;
  /** The socket's remote address as the operating system spells it. */
  readonly address: string;
  readonly socket: net.Socket;
  readonly client: Client;
}

export type ConnectError = 'connection_error' | 'tls_error' | 'blocked_address';
export type Opened =
  | { readonly ok: true; readonly connection: Connection }
  | { readonly ok: false; readonly error: ConnectError };

/**
 * Below the 2 s of the shortest common server default (gunicorn), so that the receiver seldom closes a connection in
 * the very moment in which it is used again.
 */
const IDLE_MS = 1_500;

/** How long one address of several may take before the next is tried (RFC 8305 races them; this is the slow side). */
const ADDRESS_ATTEMPT_MS = 1_000;

/** Node's own default, fixed here so that a process flag can't widen it. */
const MAX_HEADER_BYTES = 16_384;

/** Idle sockets kept over all receivers: one each for a thousand busy ones, and far below the file descriptors. */
const MAX_IDLE = 1_024;

/** Codes of a connection that broke, at whatever stage: the same fault during the handshake is no fault of TLS. */
const BROKEN = new Set(['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'ECONNABORTED']);

/**
 * Connects to one of the judged addresses, never to the host name, and looks at the peer's address before the first
 * byte leaves. Over TLS the certificate must be valid for the URL's host. When the signal aborts, the socket is gone,
 * and the promise rejects with the signal's reason.
 */
export async function openConnection(
  pool: string,
  url: URL,
  addresses: readonly string[],
  trust: tls.SecureContext,
  signal: AbortSignal,
): Promise<Opened> {
  const plain = net.connect(connectOptions(url, addresses));
  const tcp = await settled(plain, 'connect', signal);
  if (tcp !== null) return { ok: false, error: 'connection_error' };
  const address = canonicalAddress(plain.remoteAddress ?? '');
  if (!addresses.some((judged) => canonicalAddress(judged) === address)) {
    plain.destroy();
    // Without an address the peer has gone already; with another one the connection is not the one that was judged.
    return { ok: false, error: address === '' ? 'connection_error' : 'blocked_address' };
  }
  if (url.protocol === 'http:') return { ok: true, connection: connection(pool, url, address, plain) };

  const secure = tls.connect({
    socket: plain,
    host: hostOf(url),
    // An IP address is no server name (RFC 6066); the certificate is then compared with `host`.
    servername: net.isIP(hostOf(url)) === 0 ? hostOf(url) : '',
    secureContext: trust,
    // Explicit, or NODE_TLS_REJECT_UNAUTHORIZED=0 in the environment would switch the check off.
    rejectUnauthorized: true,
    ALPNProtocols: ['http/1.1'],
  });
  const failure = await settled(secure, 'secureConnect', signal);
  if (failure !== null) return { ok: false, error: BROKEN.has(codeOf(failure)) ? 'connection_error' : 'tls_error' };
  return { ok: true, connection: connection(pool, url, address, secure) };
}

/** The connections that wait for the next request of the same sender to the same origin. */
export interface IdleConnections {
  /** One that was made to one of these addresses, or undefined. The taker owns it. */
  take(pool: string, addresses: readonly string[]): Connection | undefined;
  give(connection: Connection): void;
  destroyAll(): void;
}

/** Keeps at most MAX_IDLE connections, each for at most IDLE_MS; the client inside closes itself after that. */
export function createIdleConnections(): IdleConnections {
  const byPool = new Map<string, Connection[]>();
  const watched = new WeakSet<Connection>();
  let count = 0;

  function remove(connection: Connection): void {
    const waiting = byPool.get(connection.pool);
    const index = waiting?.lastIndexOf(connection) ?? -1;
    if (waiting === undefined || index < 0) return;
    waiting.splice(index, 1);
    count -= 1;
    if (waiting.length === 0) byPool.delete(connection.pool);
  }

  return {
    take(pool, addresses) {
      const judged = new Set(addresses.map(canonicalAddress));
      const usable = ({ address, socket }: Connection) => judged.has(address) && !socket.destroyed;
      // The latest one: it is the least likely to be closed by its receiver about now.
      const found = byPool.get(pool)?.findLast(usable);
      if (found) remove(found);
      return found;
    },
    give(connection) {
      if (connection.socket.destroyed) return;
      if (count >= MAX_IDLE) return dropConnection(connection);
      const waiting = byPool.get(connection.pool);
      if (waiting) waiting.push(connection);
      else byPool.set(connection.pool, [connection]);
      count += 1;
      // Once per connection, not per use, or a busy one would collect listeners.
      if (!watched.has(connection)) connection.socket.once('close', () => remove(connection));
      watched.add(connection);
    },
    destroyAll() {
      for (const connection of [...byPool.values()].flat()) dropConnection(connection);
    },
  };
}

/** Closes the connection at once, with whatever is under way on it. */
export function dropConnection({ client, socket }: Connection): void {
  client.destroy().catch(() => undefined);
  socket.destroy();
}

function connectOptions(url: URL, addresses: readonly string[]): net.TcpNetConnectOpts {
  const found = addresses.map((address) => ({ address, family: net.isIP(address) }));
  return {
    host: hostOf(url),
    port: Number(url.port) || (url.protocol === 'https:' ? 443 : 80),
    noDelay: true,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ADDRESS_ATTEMPT_MS,
    // Not called for IP literals: there the host is itself the judged address.
    lookup: (_host, options, callback) => {
      if (options.all) return callback(null, found);
      const first = found[0];
      callback(null, first?.address ?? '', first?.family);
    },
  };
}

/** Null once the event has come, the error if that came first. Rejects when the signal aborts. */
async function settled(socket: net.Socket, event: string, signal: AbortSignal): Promise<Error | null> {
  const outcome = new Promise<Error | null>((resolve) => {
    socket.once(event, () => resolve(null));
    // Stays for the socket's whole life: an error while nobody else listens would end the process.
    socket.on('error', resolve);
    socket.once('close', () => resolve(new Error('closed')));
  });
  try {
    const error = await unlessAborted(outcome, signal);
    if (error !== null) socket.destroy();
    return error;
  } catch (reason) {
    socket.destroy();
    throw reason;
  }
}

function connection(pool: string, url: URL, address: string, socket: net.Socket): Connection {
  // A TLS socket that receives nonsense reports an error, but stays open and silent until the deadline.
  socket.on('error', () => socket.destroy());
  let isTaken = false;
  const client = new Client(url.origin, {
    connect: (_options, callback) => {
      // undici reconnects by itself; here a new connection needs a new judgement first.
      const answer = isTaken
        ? () => callback(new Error('the connection is closed'), null)
        : () => callback(null, socket);
      isTaken = true;
      // undici takes no notice of a connection that is handed over before its call returns.
      queueMicrotask(answer);
    },
    allowH2: false,
    maxHeaderSize: MAX_HEADER_BYTES,
    // The sender's one deadline covers both, drips and floods included, which these two would not.
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: IDLE_MS,
    keepAliveMaxTimeout: IDLE_MS,
  });
  return { pool, address, socket, client };
}
