import { once } from 'node:events';
import { type PeerCertificate, TLSSocket } from 'node:tls';
import { Client, type ClientBase, type ClientConfig } from 'pg';
import { sqlState } from '../../base/sql-state.ts';
import type { ConnectionConfig } from './connection.ts';
import { applySettings } from './pool.ts';
import { explainUnusable, UnreachableDatabase, UnsafeSession, UnusableDatabase } from './unusable-database.ts';

/** Class of a refused login: a wrong password, no line in `pg_hba.conf`. */
const INVALID_AUTHORIZATION = '28';

/** A pooler without a free session lets its clients wait. */
const ANSWER_MS = 5_000;

/** A busy pooler may give one client the same session once, but not three times in a row. */
const ROUNDS = 3;

const REMEDY =
  'Let DATABASE_URL lead to PostgreSQL itself, or to a pooler in session mode (PgBouncer: pool_mode = session).';

/**
 * Checks that each connection is a separate session with the requested settings. Behind a pooler that shares
 * sessions, timeouts, locks and notifications would affect other clients.
 *
 * @throws UnusableDatabase, UnsafeSession or UnreachableDatabase
 */
export async function checkSession(connection: ConnectionConfig): Promise<void> {
  const fault = await findSessionFault(connection).catch((error: Error) => explain(error, connection));
  if (fault !== null) throw fault;
}

async function explain(error: Error, connection: ConnectionConfig): Promise<Error> {
  const state = sqlState(error);
  if (state?.startsWith(INVALID_AUTHORIZATION)) return refusedLogin(connection, state, error);
  // An error that the server itself reported came after the handshake.
  const fault = state === null ? await findTlsFault(connection) : explainUnusable(error);
  return fault ?? new UnreachableDatabase(error);
}

function newClient(config: ClientConfig): Client {
  const client = new Client({ ...config, connectionTimeoutMillis: ANSWER_MS, query_timeout: ANSWER_MS });
  // The error also rejects what waits for the client.
  client.on('error', () => undefined);
  return client;
}

/** Checks first that the sessions are two: settings would affect other clients of a pooler. */
async function findSessionFault(connection: ConnectionConfig): Promise<UnsafeSession | null> {
  const [one, other] = [newClient(connection), newClient(connection)];
  try {
    await one.connect();
    await other.connect();
    const processId = await readProcessId(one);
    for (let round = 0; round < ROUNDS; round += 1) {
      // A sharing pooler gives the transaction the session that was used last.
      await other.query('begin');
      const otherProcessId = await readProcessId(other);
      if (processId === otherProcessId || processId !== (await readProcessId(one))) {
        return new UnsafeSession(
          'DATABASE_URL leads through a connection pooler that shares sessions (PgBouncer in transaction or statement mode).',
          REMEDY,
        );
      }
      await other.query('rollback');
    }
    return await findLostSettings(one, connection);
  } finally {
    await Promise.all([one.end(), other.end()]);
  }
}

async function readProcessId(client: ClientBase): Promise<number | undefined> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]?.pid;
}

async function findLostSettings(client: ClientBase, connection: ConnectionConfig): Promise<UnsafeSession | null> {
  await applySettings(client, connection);
  const { settings } = connection;
  const { rows: lost } = await client.query<{ name: string }>(LOST, [Object.keys(settings), Object.values(settings)]);
  if (lost.length === 0) return null;
  const names = lost.map(({ name }) => name).join(', ');
  return new UnsafeSession(
    `The session lacks settings that the service requested (${names}): a connection pooler such as PgBouncer drops them.`,
    `${REMEDY} It must not drop them either.`,
  );
}

/** Leaves out what `options` of the address have set. */
const LOST = `
  select wanted.name
  from unnest($1::text[], $2::text[]) as wanted (name, value) join pg_settings s on lower(s.name) = wanted.name
  where s.setting <> wanted.value and s.source <> 'client'`;

function refusedLogin({ ssl }: ConnectionConfig, state: string, cause: unknown): UnusableDatabase {
  const isUnencrypted = ssl === undefined || ssl === false;
  return new UnusableDatabase(
    `The database refuses the login of DATABASE_URL (SQLSTATE ${state}).`,
    isUnencrypted
      ? 'Check its user and password. Where the server takes encrypted connections only (hostssl), add sslmode=verify-full.'
      : 'Check its user, its password, the client certificate (sslcert, sslkey), and the lines of pg_hba.conf.',
    { cause },
  );
}

const VERIFY = 'The service sends no data to a server that it cannot verify.';

/**
 * Returns the reason why a TLS connection fails: the server's certificate, a server without TLS, or a missing client
 * certificate. Returns null for other reasons or an unreachable server. It stops after the handshake and sends no data.
 */
async function findTlsFault(connection: ConnectionConfig): Promise<UnusableDatabase | null> {
  const { ssl, host } = connection;
  if (ssl === undefined || ssl === false) return null;
  // Allows reading a certificate that is not accepted.
  const client = newClient({ ...connection, ssl: { ...ssl, rejectUnauthorized: false } });
  const failed = client.connect();
  // Otherwise pg would begin a session.
  client.connection.removeAllListeners('sslconnect');
  try {
    await Promise.race([once(client.connection, 'sslconnect'), failed]);
    const secured = client.connection.stream;
    if (!(secured instanceof TLSSocket)) return null;
    await Promise.race([once(secured, 'secureConnect'), failed]);
    return secured.authorized || ssl.rejectUnauthorized === false ? null : explainCertificate(secured, host);
  } catch (error) {
    if (!(error instanceof Error)) return null;
    if (error.message === PG_WITHOUT_TLS) {
      return new UnusableDatabase(
        `DATABASE_URL asks for TLS, and the database at ${quote(host)} offers no certificate: it has TLS switched off.`,
        'Switch it on there (ssl = on, with ssl_cert_file and ssl_key_file). On a Unix socket, leave TLS out (sslmode=disable).',
      );
    }
    const code = 'code' in error ? `${error.code}` : '';
    if (!code.startsWith('ERR_SSL_')) return null;
    return new UnusableDatabase(
      `The TLS handshake with the database failed (${code}).`,
      'Look at the certificates that DATABASE_URL names (sslcert, sslkey), and at the protocol versions that the server allows.',
    );
  } finally {
    failed.catch(() => undefined);
    client.connection.stream.destroy();
  }
}

const PG_WITHOUT_TLS = 'The server does not support SSL connections';

function explainCertificate(secured: TLSSocket, host: string): UnusableDatabase {
  // Node sets a code here, although the type is Error.
  const reason = `${secured.authorizationError}`;
  const certificate = describe(secured.getPeerCertificate());
  const unusable = (fault: string, step: string) =>
    new UnusableDatabase(`The database's certificate ${fault}: ${certificate}.`, `${VERIFY} ${step}`);
  if (reason === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    const step = `Put a name of the certificate into DATABASE_URL, or install a certificate for ${quote(host)}.`;
    return unusable(`is not for the host ${quote(host)} of DATABASE_URL`, step);
  }
  if (reason === 'CERT_HAS_EXPIRED' || reason === 'CERT_NOT_YET_VALID') {
    return unusable(`is not valid now (${reason})`, "Renew the certificate, or set this machine's clock.");
  }
  const step = 'Name the file with the certificate of its CA (PEM) in DATABASE_URL: sslrootcert=<file>.';
  return unusable(`can't be verified (${reason})`, step);
}

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
