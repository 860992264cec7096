import type { PeerCertificate } from 'node:tls';
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
 * Checks that each connection is a session of its own with the requested settings. Behind a pooler that shares
 * sessions, timeouts, locks and notifications would affect other clients.
 *
 * @throws UnusableDatabase for a server that cannot be verified or refuses the login, and for a missing database
 * @throws UnsafeSession for a pooler that shares sessions or drops settings
 * @throws UnreachableDatabase otherwise
 */
export async function checkSession(connection: ConnectionConfig): Promise<void> {
  const fault = await findSessionFault(connection).catch((error: Error) => explain(error, connection));
  if (fault !== null) throw fault;
}

function explain(error: Error, connection: ConnectionConfig): Error {
  const state = sqlState(error);
  if (state?.startsWith(INVALID_AUTHORIZATION)) return refusedLogin(connection, state, error);
  return explainUnusable(error) ?? explainTls(error, connection) ?? new UnreachableDatabase(error);
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

/** Codes of Node for a certificate that it does not accept, and others for a chain that it cannot verify (OpenSSL). */
const WRONG_HOST = 'ERR_TLS_CERT_ALTNAME_INVALID';
const WRONG_TIME = ['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID'];
const UNVERIFIABLE = /^(?:SELF_SIGNED|DEPTH_ZERO|UNABLE_TO|CERT_|INVALID_|PATH_LENGTH|ERROR_IN_CERT|UNSPECIFIED$)/;

/** Error of pg for a server that declines TLS. */
const PG_WITHOUT_TLS = 'The server does not support SSL connections';

function explainTls(error: Error, { host }: ConnectionConfig): UnusableDatabase | null {
  if (error.message === PG_WITHOUT_TLS) {
    return new UnusableDatabase(
      `DATABASE_URL asks for TLS, and the database at ${quote(host)} offers no certificate: it has TLS switched off.`,
      'Switch it on there (ssl = on, with ssl_cert_file and ssl_key_file). On a Unix socket, leave TLS out (sslmode=disable).',
    );
  }
  const code = 'code' in error ? `${error.code}` : '';
  if (code === WRONG_HOST) {
    // Node adds the certificate to this error.
    const { cert } = error as Error & { cert?: PeerCertificate };
    return new UnusableDatabase(
      `The database's certificate is not for the host ${quote(host)} of DATABASE_URL, but for ${quote(cert?.subjectaltname)}.`,
      `${VERIFY} Put a name of the certificate into DATABASE_URL, or install a certificate for ${quote(host)}.`,
    );
  }
  if (WRONG_TIME.includes(code)) {
    return new UnusableDatabase(
      `The database's certificate is not valid now (${code}).`,
      `${VERIFY} Renew the certificate, or set this machine's clock.`,
    );
  }
  if (UNVERIFIABLE.test(code)) {
    return new UnusableDatabase(
      `The database's certificate can't be verified (${code}: ${quote(error.message)}).`,
      `${VERIFY} Name the file with the certificate of its CA (PEM) in DATABASE_URL: sslrootcert=<file>.`,
    );
  }
  if (!code.startsWith('ERR_SSL_')) return null;
  return new UnusableDatabase(
    `The TLS handshake with the database failed (${code}).`,
    'Look at the certificates that DATABASE_URL names (sslcert, sslkey), and at the protocol versions that the server allows.',
  );
}

/** Replaces control characters. The text may come from an attacker and is printed to a terminal. */
function quote(text = 'no host'): string {
  return text.replace(/[^\x20-\x7e\u00a0-\uffff]/g, '?').slice(0, 300);
}
