import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type PeerCertificate, type TLSSocket, connect as tlsConnect } from 'node:tls';
import type { Connection } from './connection.ts';
import { UnusableDatabase } from './unusable-database.ts';

/** PostgreSQL's SSLRequest message: its length and its code. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);
const ACCEPTED = 'S'.charCodeAt(0);
const DECLINED = 'N'.charCodeAt(0);

/** Timeout of the handshake. The start of the process waits for it. */
const DEADLINE_MS = 5_000;

const VERIFY = 'The service sends no data to a server that it cannot verify.';

/**
 * Returns the reason why a TLS connection fails: the server's certificate, a server without TLS, or a missing client
 * certificate. Returns null for other reasons or an unreachable server. It stops after the handshake and sends no data.
 */
export async function tlsObstacle(connection: Connection): Promise<UnusableDatabase | null> {
  if (connection.ssl === undefined || connection.ssl === false) return null;
  const socket = connection.host.startsWith('/')
    ? connect(`${connection.host}/.s.PGSQL.${connection.port}`)
    : connect(connection.port ?? 5432, connection.host || 'localhost');
  const signal = AbortSignal.timeout(DEADLINE_MS);
  const close = () => socket.destroy();
  signal.addEventListener('abort', close);
  try {
    await once(socket, 'connect', { signal });
    if (connection.sslnegotiation !== 'direct' && !(await offersTls(socket, signal))) return withoutTls(connection);
    return await inspect(socket, connection, connection.ssl.rejectUnauthorized !== false, signal);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? `${error.code}` : '';
    return code.startsWith('ERR_SSL_') ? refusedHandshake(code) : null;
  } finally {
    signal.removeEventListener('abort', close);
    socket.destroy();
  }
}

/** Returns true if the server offers TLS. Rejects if it gives no answer of PostgreSQL. */
async function offersTls(socket: Socket, signal: AbortSignal): Promise<boolean> {
  socket.write(SSL_REQUEST);
  const [answer] = (await once(socket, 'data', { signal })) as [Buffer];
  if (answer[0] === ACCEPTED) return true;
  if (answer[0] === DECLINED) return false;
  throw new Error('the server answers neither yes nor no to the request for TLS');
}

async function inspect(
  socket: Socket,
  { ssl, host, sslnegotiation }: Connection,
  verified: boolean,
  signal: AbortSignal,
): Promise<UnusableDatabase | null> {
  const secured = tlsConnect({
    ...ssl,
    socket,
    // Allows reading a certificate that is not accepted. Nothing is sent on this connection.
    rejectUnauthorized: false,
    ...(sslnegotiation === 'direct' ? { ALPNProtocols: ['postgresql'] } : {}),
    ...(ssl && ssl.host !== undefined ? {} : { servername: host }),
  });
  try {
    await once(secured, 'secureConnect', { signal });
    if (secured.authorized || !verified) return null;
    return unverifiable(secured, host);
  } finally {
    secured.destroy();
  }
}

function unverifiable(secured: TLSSocket, host: string): UnusableDatabase {
  // Node sets a code here, although the type is Error.
  const reason = `${secured.authorizationError}`;
  const certificate = secured.getPeerCertificate();
  const shown = describe(certificate);
  if (reason === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return new UnusableDatabase(
      `The database's certificate is not for the host ${quote(host)} of DATABASE_URL: ${shown}.`,
      `${VERIFY} Put a name of the certificate into DATABASE_URL, or install a certificate for ${quote(host)}.`,
    );
  }
  if (reason === 'CERT_HAS_EXPIRED' || reason === 'CERT_NOT_YET_VALID') {
    return new UnusableDatabase(
      `The database's certificate is not valid now (${reason}): ${shown}.`,
      `${VERIFY} Renew the certificate, or set this machine's clock.`,
    );
  }
  return new UnusableDatabase(
    `The database's certificate can't be verified (${reason}): ${shown}.`,
    `${VERIFY} Name the file with the certificate of its CA (PEM) in DATABASE_URL: sslrootcert=<file>.`,
  );
}

function withoutTls({ host }: Connection): UnusableDatabase {
  return new UnusableDatabase(
    `DATABASE_URL asks for TLS, and the database at ${quote(host)} offers no certificate: it has TLS switched off.`,
    'Switch it on there (ssl = on, with ssl_cert_file and ssl_key_file). On a Unix socket, leave TLS out (sslmode=disable).',
  );
}

function refusedHandshake(code: string): UnusableDatabase {
  return new UnusableDatabase(
    `The TLS handshake with the database failed (${code}).`,
    'Look at the certificates that DATABASE_URL names (sslcert, sslkey), and at the protocol versions that the server allows.',
  );
}

/** Describes a certificate: subject, issuer, names, end of validity and fingerprint. */
function describe({ subject, issuer, subjectaltname, valid_to, fingerprint256 }: PeerCertificate): string {
  const names = subjectaltname === undefined ? '' : `, for ${quote(subjectaltname)}`;
  return `subject ${name(subject)}, issued by ${name(issuer)}${names}, valid to ${quote(valid_to)}, SHA-256 ${quote(fingerprint256)}`;
}

function name(whom: PeerCertificate['subject'] | undefined): string {
  return quote(whom?.CN ?? whom?.O ?? 'unknown');
}

/** Replaces control characters. The text may come from an attacker and is printed to a terminal. */
function quote(text: string | string[] | undefined): string {
  return `${text ?? 'unknown'}`.replace(/[^\x20-\x7e\u00a0-\uffff]/g, '?').slice(0, 300);
}
