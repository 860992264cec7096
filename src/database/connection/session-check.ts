import { Client, type ClientBase, type ClientConfig } from 'pg';
import { sqlState } from '../../base/sql-state.ts';
import type { Connection } from './connection.ts';
import { applySettings } from './pool.ts';
import { tlsObstacle } from './server-certificate.ts';
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

async function checkOwnSession(connection: Connection): Promise<void> {
  const config = { ...connection, connectionTimeoutMillis: ANSWER_MS, query_timeout: ANSWER_MS };
  const [one, other] = [new Client(config), new Client(config)];
  for (const client of [one, other]) client.on('error', () => undefined);
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
  const client = new Client({ ...connection, connectionTimeoutMillis: ANSWER_MS, query_timeout: ANSWER_MS });
  client.on('error', () => undefined);
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
  const client = new Client({ ...config, connectionTimeoutMillis: ANSWER_MS });
  client.on('error', () => undefined);
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
