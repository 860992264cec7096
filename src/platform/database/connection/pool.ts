import { MikroORM, type Options } from '@mikro-orm/postgresql';
import { Client, type ClientBase, Pool, type PoolClient, type PoolConfig } from 'pg';
import type { Logger } from 'pino';
import { isReported, report } from '../../base/diagnostics.ts';
import { sqlState } from '../../base/sql-state.ts';
import { OutOfTime, remainingMs } from '../../base/time/time-budget.ts';
import { isOfStatement, needsNewConnection } from '../query/errors.ts';
import { preparedName } from '../query/plan-hints.ts';
import type { AnswerTimeoutConfig, ConnectionConfig } from './connection.ts';
import { NO_SUCH_DATABASE } from './unusable-database.ts';

/*
 * Connections whose statements are answered in time. The `query_timeout` of pg only rejects the query: the connection
 * returns to its pool, and later queries wait behind the dead one. So a connection without an answer is closed.
 *
 * The statement is not cancelled: a cancelled COMMIT that waits for a standby would be reported as done. The server
 * detects the close by `client_connection_check_interval`, and ends the statement or completes the COMMIT.
 */

/** Such as a COMMIT that waits for a standby. With more, the server would run out of connections. */
const MAX_UNFINISHED_STATEMENTS = 20;

/** Interval of asking about the sessions of closed connections, and timeout of the answer. */
const POLL_MS = 1_000;

const RETRY_MS = 250;

/** Sets all settings in one round trip, after connecting: PgBouncer refuses settings in the startup message. */
const APPLY = 'select set_config(name, value, false) from unnest($1::text[], $2::text[]) as setting (name, value)';

/** Leaves out what `options` of the address have set. */
const APPLY_BESIDE_OPTIONS = `${APPLY} where not exists (
  select from pg_settings s where lower(s.name) = setting.name and s.source = 'client')`;

/** Creates a pool for the job queue. The caller ends it by `end()`. */
export function createPool(connection: ConnectionConfig, max: number, log: Logger): Pool {
  const pool = new Pool({ ...poolOptions(connection), max });
  const applicationName = connection.application_name;
  // Broken connections emit an error event, which would end the process without these handlers.
  pool.on('error', (err) => log.debug({ err, applicationName }, 'an idle database connection broke'));
  pool.on('connect', (client) => {
    client.on('error', (err) => log.debug({ err, applicationName }, 'a database connection broke'));
  });
  return pool;
}

/** Passes the whole connection to the driver, because MikroORM reads only host and login. */
export function createOrmFor(
  connection: ConnectionConfig,
  log: Logger,
  pool: PoolConfig,
  entities: NonNullable<Options['entities']>,
): MikroORM {
  return new MikroORM({
    entities,
    dbName: connection.database,
    driverOptions: { ...poolOptions(connection), ...pool },
    // Otherwise a schema diff would drop the tables of the job queue and of the sandbox.
    schemaGenerator: { ignoreSchema: ['graphile_worker', 'sandbox'] },
    discovery: { warnWhenNoEntities: false },
    logger: (message) => log.debug(message),
    ensureDatabase: false,
  });
}

/** The connections get their settings before their first use. */
function poolOptions(connection: ConnectionConfig): PoolConfig {
  const onConnect = (client: ClientBase) => applySettings(client, connection);
  return { ...connection, Client: AnswerTimeoutClient, onConnect };
}

export async function applySettings(
  client: Pick<ClientBase, 'query'>,
  { settings, options }: Pick<ConnectionConfig, 'settings' | 'options'>,
): Promise<void> {
  const statement = options === undefined ? APPLY : APPLY_BESIDE_OPTIONS;
  await client.query(statement, [Object.keys(settings), Object.values(settings)]);
}

/**
 * Runs statements on one connection. `pool.query` passes a callback and so has no answer timeout. A connection on which
 * a statement failed is closed; an open transaction is rolled back.
 */
export async function onConnection<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let hasFailed = true;
  try {
    const result = await work(client);
    hasFailed = false;
    return result;
  } finally {
    client.release(hasFailed);
  }
}

/** Closes itself if the server leaves a query unanswered, or if the caller has no time left. */
class AnswerTimeoutClient extends Client {
  readonly #config: AnswerTimeoutConfig;

  constructor(config: AnswerTimeoutConfig = {}) {
    super(config);
    this.#config = config;
    // A connection that breaks also rejects its query. The event would end the process while no pool listens yet.
    this.on('error', () => undefined);
    this.once('end', () => idleClients.delete(this));
  }

  override query(...args: never[]): never;
  override query(...args: unknown[]): unknown {
    return queryInTime(this, this.#config, (prepared) => Reflect.apply(super.query, this, prepared), args);
  }
}

function queryInTime(
  client: Client,
  config: AnswerTimeoutConfig,
  query: (args: unknown[]) => unknown,
  args: unknown[],
): unknown {
  const leftMs = remainingMs();
  // The caller has already been answered, so the statement must not change anything.
  if (leftMs <= 0 && givesPromise(args)) return Promise.reject(new OutOfTime());
  idleClients.delete(client);
  const sent = query(prepareArguments(args));
  if (!(sent instanceof Promise)) return sent;
  const result = sent.catch((error: unknown) => rejectWhenReady(client, error));
  if (isReported('statement')) reportStatement(args, result);
  const waitMs = Math.min(leftMs, config.answerTimeoutMillis ?? Number.POSITIVE_INFINITY);
  const stopTimer = Number.isFinite(waitMs) ? closeAfter(waitMs, client, config) : () => undefined;
  result.then(
    () => {
      stopTimer();
      idleClients.add(client);
    },
    (error: unknown) => {
      stopTimer();
      if (!needsNewConnection(error)) return;
      // Marks the connection, so that the pool lends it to nobody before its end is noticed.
      void client.end();
      close(client);
    },
  );
  return result;
}

/** The server reports an error before it ends the transaction. Until then, the locks of the statement would stop its own repetition. */
async function rejectWhenReady(client: Client, error: unknown): Promise<never> {
  if (isOfStatement(error) && !needsNewConnection(error) && Reflect.get(client, 'readyForQuery') !== true) {
    const { promise, resolve } = Promise.withResolvers<void>();
    client.on('drain', resolve).on('end', resolve);
    await promise;
    client.off('drain', resolve).off('end', resolve);
  }
  throw error;
}

function prepareArguments(args: unknown[]): unknown[] {
  const [text, values] = args;
  const name = typeof text === 'string' && Array.isArray(values) ? preparedName(text) : undefined;
  return name === undefined ? args : [{ name, text, values }];
}

function closeAfter(waitMs: number, client: Client, config: AnswerTimeoutConfig): () => void {
  const tryToClose = () => {
    if (!closeUnanswered(client, config)) timer = setTimeout(tryToClose, RETRY_MS).unref();
  };
  let timer = setTimeout(tryToClose, waitMs).unref();
  return () => clearTimeout(timer);
}

/** Connections of this process whose last statement has been answered. */
const idleClients = new Set<Client>();

/**
 * Process ids of sessions that the server may still run, although their connections are closed. By host, port and database, so that
 * a database that does not answer keeps no connection to another one open.
 */
const unfinishedByDatabase = new Map<string, Set<number>>();

/** Returns false if the server runs too many statements of closed connections. */
function closeUnanswered(client: Client, config: AnswerTimeoutConfig): boolean {
  const id: unknown = Reflect.get(client, 'processID');
  const database = `${client.host}:${client.port}/${client.database}`;
  const unfinished = unfinishedByDatabase.get(database) ?? beginPolling(database, config);
  if (unfinished.size >= MAX_UNFINISHED_STATEMENTS) return false;
  if (typeof id === 'number') unfinished.add(id);
  close(client);
  // A failover leaves many dead connections at once. Closing idle ones loses nothing, and the pool opens others.
  for (const other of idleClients) close(other);
  idleClients.clear();
  return true;
}

function beginPolling(database: string, config: AnswerTimeoutConfig): Set<number> {
  const ids = new Set<number>();
  const polling = setInterval(async () => {
    await forgetEnded(ids, config);
    if (ids.size > 0) return;
    clearInterval(polling);
    unfinishedByDatabase.delete(database);
  }, POLL_MS).unref();
  unfinishedByDatabase.set(database, ids);
  return ids;
}

/**
 * Forgets the sessions that have ended. Forgets all behind a pooler, whose ids the server does not know, and all of a
 * database that no longer exists.
 */
async function forgetEnded(ids: Set<number>, config: AnswerTimeoutConfig): Promise<void> {
  // The config is no copy: pg hides the password and the private key in the object that it gets, and a copy lacks them.
  const poller = new Client(config);
  poller.on('error', () => undefined);
  const timer = setTimeout(() => close(poller), POLL_MS).unref();
  try {
    await poller.connect();
    const { rows } = await poller.query<{ id: number }>(
      `select pid as id from pg_stat_activity where pid = any ($1) and state = 'active'`,
      [[...ids]],
    );
    const active = new Set(rows.map(({ id }) => id));
    for (const id of ids) if (!active.has(id)) ids.delete(id);
  } catch (error) {
    // After any other error, the next poll asks again.
    if (sqlState(error) === NO_SUCH_DATABASE) ids.clear();
  } finally {
    clearTimeout(timer);
    close(poller);
  }
}

/** Closes it as pg-pool does: waiting queries reject, and the place in the pool becomes free. */
function close(client: Client): void {
  client.connection.stream.destroy();
}

/** The caller of the statement calls it, so that traces show it as a part of that work. */
function reportStatement([statement]: unknown[], result: Promise<unknown>): void {
  const startedMs = performance.now();
  const text = readText(statement);
  const reportEnd = (state: string | null) =>
    report('statement', () => ({ text, sqlState: state, seconds: (performance.now() - startedMs) / 1_000 }));
  result.then(
    () => reportEnd(null),
    (error: unknown) => reportEnd(sqlState(error) ?? 'unavailable'),
  );
}

function readText(statement: unknown): string {
  if (typeof statement === 'string') return statement;
  const hasText = typeof statement === 'object' && statement !== null && 'text' in statement;
  return hasText && typeof statement.text === 'string' ? statement.text : '';
}

/** Returns true without a callback or a submittable object. */
function givesPromise(args: unknown[]): boolean {
  const [first] = args;
  const submits = typeof first === 'object' && first !== null && 'submit' in first;
  return !submits && typeof args.at(-1) !== 'function';
}
