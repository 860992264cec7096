import { rmSync } from 'node:fs';
import { type EmbeddedPostgres, startEmbeddedPostgres } from 'development-postgres';
import pg from 'pg';
import { createLogger } from '../../src/platform/base/log/log.ts';
import { migrate } from '../../src/platform/database/migrate.ts';
import { REPLACEABLE_FILES, SCHEMA } from '../../src/platform/database/schema-files.ts';
import { postgresMajor } from './postgres-major.ts';
import { newScratchFolder, removeLeftFolders } from './scratch.ts';

/** Names the folder of a server that several processes share; without it, a process starts its own. */
const SHARED_SERVER = 'TEST_POSTGRES';

/** Names the migrated database of a shared server; without it, a process makes its own. */
const SHARED_TEMPLATE = 'TEST_POSTGRES_TEMPLATE';

/**
 * Settings of the server. The log that it keeps by default is a gigabyte, all of it in memory. Autovacuum would go round the
 * databases of all tests, and make statistics at a moment that no test knows.
 */
const SETTINGS = { max_wal_size: '256MB', autovacuum: 'off' };

/** SQLSTATE of a database to which something is connected. */
const OBJECT_IN_USE = '55006';

/** The migrated database that every test's own is copied from: 20 ms instead of a migration each. */
let template = process.env[SHARED_TEMPLATE];

/** The names that `migrate` returns for an empty database: the schema, SQL functions, triggers. */
export const MIGRATED_NAMES = [SCHEMA, ...REPLACEABLE_FILES].map(({ name }) => name);

let server: Promise<EmbeddedPostgres> | undefined;
let directory: string | undefined;
let databases = 0;

/** The databases that this process made, and has not dropped. */
const made: string[] = [];

/** The PostgreSQL server of this test run, in a folder of its own, without fsync. */
export function testServer(): Promise<EmbeddedPostgres> {
  server ??= start();
  return server;
}

/** Starts the server for all processes that this one starts from now on, unless another process shares one already. */
export async function shareTestServer(): Promise<void> {
  if (process.env[SHARED_SERVER] === undefined) {
    directory = newScratchFolder('test');
    process.env[SHARED_SERVER] = directory;
  }
  await testServer();
  process.env[SHARED_TEMPLATE] = template;
}

/** A fresh, migrated database. Its server and so it go with the test run. */
export async function createDatabase(): Promise<string> {
  await testServer();
  return createEmptyDatabase(`template ${template} strategy file_copy`);
}

/** A fresh database without our schema. */
export async function createEmptyDatabase(options = ''): Promise<string> {
  const { url } = await testServer();
  const name = `test_${process.pid}_${++databases}`;
  await administer(url, `create database ${name} ${options}`);
  made.push(name);
  return withDatabase(url, name);
}

/** Drops the databases of the test file that ended. @throws if it left a connection to one of them open */
export async function dropDatabases(): Promise<void> {
  if (made.length === 0) return;
  const { url } = await testServer();
  for (const name of made.splice(0)) {
    // PostgreSQL waits five seconds for sessions that are about to end.
    await administer(url, `drop database if exists ${name}`).catch(async (error: { code?: string }) => {
      if (error.code !== OBJECT_IN_USE) throw error;
      const sessions = 'select application_name, state, query from pg_stat_activity where datname = $1';
      const left = await query(url, sessions, [name]);
      throw new Error(`the test file has left connections open: ${JSON.stringify(left)}`);
    });
  }
}

/** Stops the server, if any test wanted one, and removes its data. */
export async function stopTestServer(): Promise<void> {
  await (await server)?.stop();
  if (directory !== undefined) rmSync(directory, { recursive: true, force: true });
}

/** Runs statements on a database, outside of the service. */
export async function query<Row extends pg.QueryResultRow>(url: string, text: string, values: unknown[] = []) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(text, values)).rows;
  } finally {
    await client.end();
  }
}

async function start(): Promise<EmbeddedPostgres> {
  removeLeftFolders();
  let folder = process.env[SHARED_SERVER];
  if (folder === undefined) {
    folder = newScratchFolder('test');
    directory = folder;
  }
  const started = await startEmbeddedPostgres({ directory: folder, isDurable: false, major: postgresMajor });
  if (template === undefined) {
    for (const [name, value] of Object.entries(SETTINGS)) {
      await administer(started.url, `alter system set ${name} = '${value}'`);
    }
    await administer(started.url, 'select pg_reload_conf()');
    if (postgresMajor > 15) await shortenSignIn(started.url);
    // A server that many runs share may have had a process of this number before.
    template = `paylinks_template_${process.pid}_${Date.now()}`;
    await administer(started.url, `create database ${template}`);
    await migrate(withDatabase(started.url, template), createLogger('silent'));
  }
  return started;
}

/** Stores the password with one round of hashing instead of 4,096, which are a fifth of the processor time of a connection. */
async function shortenSignIn(url: string): Promise<void> {
  const password = pg.escapeLiteral(decodeURIComponent(new URL(url).password));
  const change = `set_config('scram_iterations', '1', true); alter role current_user password ${password}`;
  await administer(url, `do $do$ begin perform ${change}; end $do$`);
}

async function administer(url: string, statement: string): Promise<void> {
  await query(withDatabase(url, 'postgres'), statement);
}

function withDatabase(url: string, name: string): string {
  const changed = new URL(url);
  changed.pathname = `/${name}`;
  return changed.href;
}
