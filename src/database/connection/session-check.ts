import { Client, type ClientBase } from 'pg';
import { sqlState } from '../../base/sql-state.ts';
import type { Connection } from './connection.ts';
import { tlsObstacle } from './server-certificate.ts';
import { SessionClient } from './session-client.ts';
import { UnusableDatabase } from './unusable-database.ts';

/** PostgreSQL's `protocol_violation`. The server never has it for what `pg` sends; poolers have it for what they can't do. */
const PROTOCOL_VIOLATION = '08P01';

/** PostgreSQL's class of errors for a login that it refuses: a wrong password, no line for it in `pg_hba.conf`. */
const INVALID_AUTHORIZATION = '28';

/** Of a start that waits; a pooler without a free session keeps its clients waiting, too. */
const ANSWER_MS = 5_000;

/** A pooler that is busy gives a session to one client by luck; thrice in a row it does not. */
const ROUNDS = 3;

const WHAT_WORKS =
  'Let DATABASE_URL lead to PostgreSQL itself, or to a pooler in session mode (PgBouncer: pool_mode = session).';

/**
 * Checks that connections come about and that each is a session of its own with the settings that were asked for. Behind a
 * pooler that shares sessions, time limits, locks and notifications would be somebody else's.
 *
 * @throws UnusableDatabase for what does not pass by itself: a server that can't be verified or refuses the login, a
 *   pooler that shares sessions, refuses or drops settings
 * @throws the driver's error when the database is out of reach
 */
export async function checkSession(connection: Connection): Promise<void> {
  try {
    // First, because it changes nothing: settings made through such a pooler would stay with its other clients.
    await checkOwnSession(connection);
    await checkSettings(connection);
  } catch (error) {
    if (error instanceof UnusableDatabase) throw error;
    const state = sqlState(error);
    if (state === PROTOCOL_VIOLATION) throw refusedByPooler(connection, error);
    if (state?.startsWith(INVALID_AUTHORIZATION)) throw refusedLogin(connection, state, error);
    // An error that the server itself reported came after the handshake.
    throw (state === null ? await tlsObstacle(connection) : null) ?? error;
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
      // A transaction takes the session that was used last, if that is anybody's.
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
  const { asked } = connection;
  const client = new SessionClient({ ...connection, connectionTimeoutMillis: ANSWER_MS, query_timeout: ANSWER_MS });
  try {
    await client.connect();
    const values = [Object.keys(asked), Object.values(asked)];
    const { rows: found } = await client.query<{ value: string | null }>(FOUND, values);
    const { rows: wanted } = await client.query<{ name: string; value: string }>(WANTED, values);
    const lost = wanted.filter(({ value }, at) => found[at]?.value !== value);
    if (lost.length > 0) throw lostSettings(lost.map(({ name }) => name));
  } finally {
    await client.end();
  }
}

const FOUND = `
  select current_setting(asked.name, true) as value
  from unnest($1::text[], $2::text[]) with ordinality as asked (name, value, at) order by asked.at`;

/** As the server spells what was asked for: `5s` for `5000`. What only a start of a session can set is taken as it is. */
const WANTED = `
  select asked.name, case
      when setting.context = 'user' then set_config(asked.name, asked.value, true)
      else coalesce(current_setting(asked.name, true), asked.value)
    end as value
  from unnest($1::text[], $2::text[]) with ordinality as asked (name, value, at)
    left join pg_settings as setting on lower(setting.name) = asked.name
  order by asked.at`;

function refusedLogin({ ssl }: Connection, state: string, cause: unknown): UnusableDatabase {
  const isClear = ssl === undefined || ssl === false;
  return new UnusableDatabase(
    `The database refuses the login of DATABASE_URL (SQLSTATE ${state}).`,
    isClear
      ? 'Check its user and password. Where the server takes encrypted connections only (hostssl), add sslmode=verify-full.'
      : 'Check its user, its password, the client certificate (sslcert, sslkey), and the lines of pg_hba.conf.',
    { cause },
  );
}

function sharedSession(): UnusableDatabase {
  return new UnusableDatabase(
    'DATABASE_URL leads through a connection pooler that shares sessions (PgBouncer in transaction or statement mode).',
    WHAT_WORKS,
  );
}

function lostSettings(names: string[]): UnusableDatabase {
  return new UnusableDatabase(
    `The session lacks settings that were asked for (${names.join(', ')}): a connection pooler such as PgBouncer drops them.`,
    `${WHAT_WORKS} It must not drop them either (PgBouncer: ignore_startup_parameters without options).`,
  );
}

function refusedByPooler({ options }: Connection, cause: unknown): UnusableDatabase {
  const withoutOptions = options === undefined ? '' : ' Behind a pooler, leave options out of DATABASE_URL.';
  return new UnusableDatabase(
    'DATABASE_URL leads to a connection pooler such as PgBouncer, which refuses what the service asks of a session.',
    `${WHAT_WORKS}${withoutOptions}`,
    { cause },
  );
}
