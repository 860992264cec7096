import { setTimeout as pause } from 'node:timers/promises';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { PoolClient } from 'pg';
import type { Logger } from 'pino';
import { sqlState } from '../base/sql-state.ts';
import { migratingConnection } from './connection/connection.ts';
import { createOrmFor, createPool, onConnection } from './connection/pool.ts';
import { explainUnusable, UnusableDatabase } from './connection/unusable-database.ts';
import { buildIndexes, withoutIndexes } from './index-builds.ts';
import { isLockConflict } from './query/errors.ts';
import { sql } from './query/sql.ts';
import {
  LAST_OF_2_0_0,
  LOCK_TIMEOUT_MS,
  MIGRATIONS,
  RECORDED_RELEASE,
  RELEASE,
  REPLACEABLE_FILES,
  SCHEMA,
} from './schema-files.ts';

/** Number of an advisory lock. */
const MIGRATION_LOCK = 8_042_577;

const NO_SUCH_TABLE = '42P01';

const TRY_EVERY_MS = 100;

/** About a minute in all, with the waits for locks. */
const LOCK_TRIES = 60;
const PAUSE_MS = 500;

/**
 * Migrates our schema and the job queue's, then replaces the SQL functions and triggers that changed. Several processes
 * may call it at once, and processes of the release before may run. It waits for a lock for half a second at most
 * (docs/decisions/0048-migrations-under-load.md).
 *
 * @returns the names of the applied and the replaced files; empty if the database was up to date
 * @throws UnusableDatabase if a release before 2.0.0 or a later major version made the schema
 * @throws UnusableDatabase if others kept a lock for a minute, a new database is not UTF8, or the account lacks a right
 */
export async function migrate(databaseUrl: string, log: Logger): Promise<string[]> {
  const orm = createOrmFor(migratingConnection(databaseUrl), log, { max: 3 }, []);
  const pool = createPool(migratingConnection(databaseUrl), 3, log);
  const transact = <T>(name: string, work: (em: EntityManager) => Promise<T>) =>
    withinMinute(name, () =>
      orm.em.fork().transactional(async (em) => {
        await sql(em, `select set_config('lock_timeout', $1, true)`, [String(LOCK_TIMEOUT_MS)]);
        return work(em);
      }),
    );
  try {
    return await onConnection(pool, async (client) => {
      await waitUntilAlone(client);
      const em = orm.em.fork();
      const { pendingMigrations, newest } = await readUsableSchema(em);
      if (newest === null) await refuseOtherEncoding(em);
      // The API only asks for pending migrations, and needs nothing else of the job queue's code.
      const { runMigrations } = await import('graphile-worker');
      await runMigrations({ pgPool: pool });
      if (newest === null) await em.transactional(createSchema);
      for (const migration of MIGRATIONS.filter(({ name }) => pendingMigrations.includes(name))) {
        await buildIndexes(pool, migration.text);
        // One transaction for each, so that locks do not last until the end of all migrations.
        await transact(migration.name, (em) => runMigration(em, migration));
      }
      return [...pendingMigrations, ...(await transact('functions and triggers', replaceChangedFiles))];
    });
  } catch (error) {
    throw explainUnusable(error) ?? error;
  } finally {
    await pool.end();
    await orm.close();
  }
}

/**
 * Polls for a session lock. A transaction lock, or one blocking statement, would be an open transaction, for which
 * `create index concurrently` waits.
 */
async function waitUntilAlone(client: PoolClient): Promise<void> {
  const tryLock = () =>
    client.query<{ is_locked: boolean }>('select pg_try_advisory_lock($1) as is_locked', [MIGRATION_LOCK]);
  while ((await tryLock()).rows[0]?.is_locked !== true) await pause(TRY_EVERY_MS);
}

/**
 * Repeats a transaction that meets a lock or a deadlock. In the pauses, writers that waited behind it go on.
 *
 * @throws UnusableDatabase if it did not get its locks in about a minute; any other error at once
 */
async function withinMinute<T>(name: string, transaction: () => Promise<T>): Promise<T> {
  for (let tried = 1; ; tried++) {
    try {
      return await transaction();
    } catch (error) {
      if (!isLockConflict(error)) throw error;
      if (tried >= LOCK_TRIES) {
        throw new UnusableDatabase(
          `Other transactions kept locks that ${name} needs, for a minute.`,
          'Look for long transactions in pg_stat_activity, and run `scripts/paylinks migrate` again. It goes on where it was.',
          { cause: error },
        );
      }
      await pause(PAUSE_MS);
    }
  }
}

async function createSchema(em: EntityManager): Promise<void> {
  await sql(em, SCHEMA.text);
  await sql(em, 'insert into schema_migrations (name) select unnest($1::text[])', [
    [LAST_OF_2_0_0, ...MIGRATIONS.map(({ name }) => name)],
  ]);
}

/** Leaves out the indexes that were built before. */
async function runMigration(em: EntityManager, { name, text }: (typeof MIGRATIONS)[number]): Promise<void> {
  const indexes = 'select array_agg(indexrelid::regclass::text) as names from pg_index where indisvalid';
  const [built] = await sql<{ names: string[] }>(em, indexes);
  await sql(em, withoutIndexes(text, built?.names ?? []));
  await sql(em, 'insert into schema_migrations (name) values ($1)', [name]);
}

export interface SchemaState {
  /** The whole schema's name for an empty database. */
  pendingMigrations: string[];
  /** Functions and triggers that are not as in this release. What a newer release deployed serves this one, too. */
  changedFiles: string[];
  release: number[] | null;
  /** According to that release. */
  oldestMajor: number | null;
  /** True if this release can migrate it: all of 2.0.0 is applied. */
  isUpgradable: boolean;
  newest: string | null;
}

export async function readSchemaState(em: EntityManager): Promise<SchemaState> {
  const changedFiles = REPLACEABLE_FILES.map(({ name }) => name);
  const hashes = REPLACEABLE_FILES.map(({ hash }) => hash);
  const names = MIGRATIONS.map(({ name }) => name);
  const unknown = { release: null, oldestMajor: null, newest: null };
  const empty = { pendingMigrations: [SCHEMA.name], changedFiles, isUpgradable: true, ...unknown };
  try {
    const [row] = await sql<SchemaState>(
      em,
      `select array(select name from unnest($1::text[]) as name except select name from schema_migrations order by 1) as "pendingMigrations",
         array(select name from unnest($2::text[], $3::text[]) as own (name, hash) where not exists (
           select from schema_functions as deployed
           where deployed.name = own.name and (deployed.hash = own.hash or release > $4::integer[]))) as "changedFiles",
         (select release[cardinality(release) - 2:] from schema_functions order by release desc limit 1) as release,
         (select release[1] from schema_functions order by release desc limit 1) as "oldestMajor",
         exists (select from schema_migrations where name = $5) as "isUpgradable",
         (select name from schema_migrations order by id desc limit 1) as newest`,
      [names, changedFiles, hashes, RECORDED_RELEASE, LAST_OF_2_0_0],
    );
    if (row === undefined) throw new Error('the statement returns one row');
    return row.newest === null ? empty : row;
  } catch (error) {
    if (sqlState(error) === NO_SUCH_TABLE) return empty;
    throw error;
  }
}

export function isTooNew({ oldestMajor }: SchemaState): boolean {
  return (oldestMajor ?? 0) > (RELEASE[0] ?? 0);
}

/** @throws UnusableDatabase if a later major version, or a release before 2.0.0, made the schema */
export async function readUsableSchema(em: EntityManager): Promise<SchemaState> {
  const schema = await readSchemaState(em);
  const { release, newest } = schema;
  const isFrom = `The schema is of release ${release?.join('.')} with ${newest} as its newest migration.`;
  if (isTooNew(schema)) {
    throw new UnusableDatabase(
      `${isFrom} This is release ${RELEASE.join('.')}, which cannot work with it.`,
      `Start release ${release?.join('.')}. The way back is a backup of the time before its migration (docs/operations/recover.md, ` +
        'Backup and restore).',
    );
  }
  if (!schema.isUpgradable) {
    throw new UnusableDatabase(
      `${isFrom} Release ${RELEASE.join('.')} upgrades 2.0.0 and later ones.`,
      'Back the database up, and migrate with 2.0.0 first: run scripts/paylinks migrate of release 2.0.0, then of this release.',
    );
  }
  return schema;
}

/** Another encoding damages some characters of names. Nobody can change it later, so only a new database is refused. */
async function refuseOtherEncoding(em: EntityManager): Promise<void> {
  const [row] = await sql<{ encoding: string }>(em, `select current_setting('server_encoding') as encoding`);
  if (row === undefined || row.encoding === 'UTF8') return;
  throw new UnusableDatabase(
    `The database of DATABASE_URL has the encoding ${row.encoding}, and the service needs UTF8.`,
    "Set DATABASE_URL to a new database, which an administrator creates: create database <database> owner <user> encoding 'UTF8' template template0",
  );
}

async function replaceChangedFiles(em: EntityManager): Promise<string[]> {
  const { changedFiles } = await readSchemaState(em);
  const changed = REPLACEABLE_FILES.filter(({ name }) => changedFiles.includes(name));
  if (changed.length === 0) return [];
  // Functions call each other, so no order of creation would satisfy the check of their bodies. A test checks them.
  await sql(em, `select set_config('check_function_bodies', 'off', true)`);
  for (const { name, text, hash } of changed) {
    await sql(em, text);
    await sql(
      em,
      `insert into schema_functions (name, hash, release) values ($1, $2, $3)
       on conflict (name) do update set hash = excluded.hash, release = excluded.release`,
      [name, hash, RECORDED_RELEASE],
    );
  }
  return changed.map(({ name }) => name);
}
