import net from 'node:net';
import tls from 'node:tls';
import { Client } from 'undici';
import { readHost } from './destination.ts';
import { canonicalAddress } from './networks.ts';
import { errorCode, unlessAborted } from './node.ts';

/** A connection to a checked address of a receiver. It serves one request at a time. */
export interface Connection {
  /** Endpoint and origin for which the connection may be reused; see SendRequest. */
  readonly pool: string;
  /** As the operating system spells it. */
  readonly address: string;
  readonly socket: net.Socket;
  readonly client: Client;
}

type ConnectError = 'connection_error' | 'tls_error' | 'blocked_address';

/** Below 2 s, the shortest common server default (gunicorn), so that receivers rarely close a connection in use. */
const IDLE_MS = 1_500;

/** Time until the next of several addresses is tried. RFC 8305 suggests 250 ms; this is slower. */
const ADDRESS_ATTEMPT_MS = 1_000;

/** Node's own default, so that a process flag cannot widen it. */
const MAX_HEADER_BYTES = 16_384;

/** One each for a thousand busy receivers, and far below the file descriptors. */
const MAX_IDLE = 1_024;

/** During the handshake they are connection errors, not TLS errors. */
const BROKEN = new Set(['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'ECONNABORTED']);

/**
 * Connects to one of the checked addresses, never to the host name, and compares the peer's address before the first
 * byte leaves. Over TLS the certificate must be valid for the URL's host. Rejects when the signal aborts.
 */
export async function openConnection(
  pool: string,
  url: URL,
  addresses: readonly string[],
  trust: tls.SecureContext,
  signal: AbortSignal,
): Promise<Connection | ConnectError> {
  const plain = net.connect(connectOptions(url, addresses));
  if ((await waitForEvent(plain, 'connect', signal)) !== null) return 'connection_error';
  const address = canonicalAddress(plain.remoteAddress ?? '');
  if (!addresses.some((checked) => canonicalAddress(checked) === address)) {
    plain.destroy();
    // An empty address means that the peer has closed; another address is not one that was checked.
    return address === '' ? 'connection_error' : 'blocked_address';
  }
  if (url.protocol === 'http:') return createConnection(pool, url, address, plain);

  const secure = tls.connect({
    socket: plain,
    host: readHost(url),
    // An IP address is no server name (RFC 6066); the certificate is then compared with `host`.
    servername: net.isIP(readHost(url)) === 0 ? readHost(url) : '',
    secureContext: trust,
    // Explicit, because NODE_TLS_REJECT_UNAUTHORIZED=0 in the environment would switch the check off.
    rejectUnauthorized: true,
    ALPNProtocols: ['http/1.1'],
  });
  const failure = await waitForEvent(secure, 'secureConnect', signal);
  if (failure !== null) return BROKEN.has(errorCode(failure)) ? 'connection_error' : 'tls_error';
  return createConnection(pool, url, address, secure);
}

/** Keeps one connection for each endpoint and origin. The client inside closes itself after IDLE_MS. */
export function createIdleConnections() {
  const connections = new Map<string, Connection>();
  return {
    /** The caller owns the connection. It leads to one of these addresses. */
    take(pool: string, addresses: readonly string[]): Connection | undefined {
      const connection = connections.get(pool);
      connections.delete(pool);
      if (connection === undefined || connection.socket.destroyed) return undefined;
      if (addresses.some((checked) => canonicalAddress(checked) === connection.address)) return connection;
      dropConnection(connection);
      return undefined;
    },
    give(connection: Connection): void {
      if (connection.socket.destroyed) return;
      // Connections that have ended stay until their places are needed.
      if (connections.size >= MAX_IDLE) {
        for (const [pool, { socket }] of connections) if (socket.destroyed) connections.delete(pool);
      }
      if (connections.has(connection.pool) || connections.size >= MAX_IDLE) dropConnection(connection);
      else connections.set(connection.pool, connection);
    },
    destroyAll(): void {
      for (const connection of connections.values()) dropConnection(connection);
    },
  };
}

export function dropConnection({ client, socket }: Connection): void {
  client.destroy().catch(() => undefined);
  socket.destroy();
}

function connectOptions(url: URL, addresses: readonly string[]): net.TcpNetConnectOpts {
  const candidates = addresses.map((address) => ({ address, family: net.isIP(address) }));
  return {
    host: readHost(url),
    port: Number(url.port) || (url.protocol === 'https:' ? 443 : 80),
    noDelay: true,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ADDRESS_ATTEMPT_MS,
    // Node does not call this for IP literals; there the host is the checked address itself.
    lookup: (_host, options, callback) => {
      if (options.all) return callback(null, candidates);
      const first = candidates[0];
      callback(null, first?.address ?? '', first?.family);
    },
  };
}

/** Resolves with null at the event, or with the error that came first. Rejects when the signal aborts. */
async function waitForEvent(socket: net.Socket, event: string, signal: AbortSignal): Promise<Error | null> {
  const outcome = new Promise<Error | null>((resolve) => {
    socket.once(event, () => resolve(null));
    // Stays for the socket's whole life, because an unhandled error event would end the process.
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

function createConnection(pool: string, url: URL, address: string, socket: net.Socket): Connection {
  // A TLS socket that receives invalid data reports an error but stays open until the deadline.
  socket.on('error', () => socket.destroy());
  let isTaken = false;
  const client = new Client(url.origin, {
    connect: (_options, callback) => {
      // undici reconnects by itself, but a new connection needs a new address check first.
      const answer = isTaken
        ? () => callback(new Error('the connection is closed'), null)
        : () => callback(null, socket);
      isTaken = true;
      // undici ignores a connection that is handed over before its call returns.
      queueMicrotask(answer);
    },
    allowH2: false,
    maxHeaderSize: MAX_HEADER_BYTES,
    // The sender's deadline covers both; these two limits would miss slow and endless replies.
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: IDLE_MS,
    keepAliveMaxTimeout: IDLE_MS,
  });
  return { pool, address, socket, client };
}
