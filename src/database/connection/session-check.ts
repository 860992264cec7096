import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type PeerCertificate, type TLSSocket, connect as tlsConnect } from 'node:tls';
import { Client, type ClientBase, type ClientConfig } from 'pg';
import { sqlState } from '../../base/sql-state.ts';
import type { Connection } from './connection.ts';
import { applySettings } from './pool.ts';
import { UnreachableDatabase, UnsafeSession, UnusableDatabase, unusableBy } from './unusable-database.ts';

/**
 * PostgreSQL's `protocol_violation`. The server never reports it to `pg`. PgBouncer reports it for settings that it refuses, and for
 * passing conditions: no free session, a server that starts.
 */
const PROTOCOL_VIOLATION = '08P01';

/** PostgreSQL's class of errors for a login that it refuses: a wrong password, no line for it in `pg_hba.conf`. */
const INVALID_AUTHORIZATION = '28';

/** Timeout of connecting and of a query. A pooler without a free session lets its clients wait. */
const ANSWER_MS = 5_000;

/** Number of comparisons. A busy pooler may give one client the same session once, but not three times in a row. */
const ROUNDS = 3;

const REMEDY =
  'Let DATABASE_URL lead to PostgreSQL itself, or to a pooler in session mode (PgBouncer: pool_mode = session).';

/**
 * Checks that each connection is a separate session with the requested settings. A pooler that shares sessions would apply
 * timeouts, locks and notifications to other clients.
 *
 * @throws UnusableDatabase for a server that cannot be verified or refuses the login, and for a database that does not exist
 * @throws UnusableDatabase for a pooler that refuses `options`
 * @throws UnsafeSession for a pooler that shares sessions or drops settings
 * @throws UnreachableDatabase otherwise
 */
export async function checkSession(connection: Connection): Promise<void> {
  try {
    // First, because it changes nothing. Settings made through a sharing pooler would affect its other clients.
    await checkOwnSession(connection);
    await checkSettings(connection);
  } catch (error) {
    if (error instanceof UnusableDatabase) throw error;
    const state = sqlState(error);
    if (state === PROTOCOL_VIOLATION && (await refusesOptions(connection))) throw refusedByPooler(error);
    if (state?.startsWith(INVALID_AUTHORIZATION)) throw refusedLogin(connection, state, error);
    // An error that the server itself reported came after the handshake.
    const obstacle = state === null ? await tlsObstacle(connection) : unusableBy(error);
    throw obstacle ?? (error instanceof Error ? new UnreachableDatabase(error) : error);
  }
}

function newClient(config: ClientConfig): Client {
  const client = new Client({ ...config, connectionTimeoutMillis: ANSWER_MS, query_timeout: ANSWER_MS });
  // The error also rejects what waits for the client.
  client.on('error', () => undefined);
  return client;
}

async function checkOwnSession(connection: Connection): Promise<void> {
  const [one, other] = [newClient(connection), newClient(connection)];
  try {
    await one.connect();
    await other.connect();
    const own = await processOf(one);
    for (let round = 0; round < ROUNDS; round += 1) {
      // A sharing pooler gives the transaction the session that was used last.
      await other.query('begin');
      const others = await processOf(other);
      if (own === others || own !== (await processOf(one))) throw sharedSession();
      await other.query('rollback');
    }
  } finally {
    await Promise.all([one.end(), other.end()]);
  }
}

async function processOf(client: ClientBase): Promise<number | undefined> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]?.pid;
}

async function checkSettings(connection: Connection): Promise<void> {
  const { requested } = connection;
  const client = newClient(connection);
  try {
    await client.connect();
    await applySettings(client, connection.settings);
    const values = [Object.keys(requested), Object.values(requested)];
    const { rows: found } = await client.query<{ value: string | null }>(FOUND, values);
    const { rows: wanted } = await client.query<{ name: string; value: string }>(WANTED, values);
    const lost = wanted.filter(({ value }, at) => found[at]?.value !== value);
    if (lost.length > 0) throw lostSettings(lost.map(({ name }) => name));
  } finally {
    await client.end();
  }
}

/** Returns true if connections without the address's `options` are accepted, and those with them are not. */
async function refusesOptions(connection: Connection): Promise<boolean> {
  const { options, ...plain } = connection;
  if (options === undefined || (await stateOfConnecting(plain)) !== null) return false;
  return (await stateOfConnecting(connection)) === PROTOCOL_VIOLATION;
}

/** Connects once. Returns null if that worked, the SQLSTATE of the refusal, or `none` for an error without one. */
async function stateOfConnecting(config: ClientConfig): Promise<string | null> {
  const client = newClient(config);
  try {
    await client.connect();
    return null;
  } catch (error) {
    return sqlState(error) ?? 'none';
  } finally {
    await client.end();
  }
}

const FOUND = `
  select current_setting(requested.name, true) as value
  from unnest($1::text[], $2::text[]) with ordinality as requested (name, value, at) order by requested.at`;

/** Selects the requested values as the server writes them: `5s` for `5000`. Values set at the start stay unchanged. */
const WANTED = `
  select requested.name, case
      when setting.context = 'user' then set_config(requested.name, requested.value, true)
      else coalesce(current_setting(requested.name, true), requested.value)
    end as value
  from unnest($1::text[], $2::text[]) with ordinality as requested (name, value, at)
    left join pg_settings as setting on lower(setting.name) = requested.name
  order by requested.at`;

function refusedLogin({ ssl }: Connection, state: string, cause: unknown): UnusableDatabase {
  const isUnencrypted = ssl === undefined || ssl === false;
  return new UnusableDatabase(
    `The database refuses the login of DATABASE_URL (SQLSTATE ${state}).`,
    isUnencrypted
      ? 'Check its user and password. Where the server takes encrypted connections only (hostssl), add sslmode=verify-full.'
      : 'Check its user, its password, the client certificate (sslcert, sslkey), and the lines of pg_hba.conf.',
    { cause },
  );
}

function sharedSession(): UnsafeSession {
  return new UnsafeSession(
    'DATABASE_URL leads through a connection pooler that shares sessions (PgBouncer in transaction or statement mode).',
    REMEDY,
  );
}

function lostSettings(names: string[]): UnsafeSession {
  return new UnsafeSession(
    `The session lacks settings that the service requested (${names.join(', ')}): a connection pooler such as PgBouncer drops them.`,
    `${REMEDY} It must not drop them either (PgBouncer: ignore_startup_parameters without options).`,
  );
}

function refusedByPooler(cause: unknown): UnusableDatabase {
  return new UnusableDatabase(
    'DATABASE_URL leads to a connection pooler such as PgBouncer, which refuses its options.',
    `${REMEDY} Behind a pooler, leave options out of DATABASE_URL.`,
    { cause },
  );
}

/** PostgreSQL's SSLRequest message: its length and its code. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);
const ACCEPTED = 'S'.charCodeAt(0);
const DECLINED = 'N'.charCodeAt(0);

const VERIFY = 'The service sends no data to a server that it cannot verify.';

/**
 * Returns the reason why a TLS connection fails: the server's certificate, a server without TLS, or a missing client
 * certificate. Returns null for other reasons or an unreachable server. It stops after the handshake and sends no data.
 */
async function tlsObstacle(connection: Connection): Promise<UnusableDatabase | null> {
  if (connection.ssl === undefined || connection.ssl === false) return null;
  const socket = connection.host.startsWith('/')
    ? connect(`${connection.host}/.s.PGSQL.${connection.port}`)
    : connect(connection.port ?? 5432, connection.host || 'localhost');
  const signal = AbortSignal.timeout(ANSWER_MS);
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
