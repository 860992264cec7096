import type { EntityManager, MikroORM } from '@mikro-orm/postgresql';
import type { Logger } from 'pino';
import { createPool } from './connection/pool.ts';
import { migratingConnection } from './connection/service-connection.ts';
import { UnusableDatabase } from './connection/unusable-database.ts';
import { ormOver } from './orm.ts';
import { fillPracticeColumns } from './practice-columns.ts';
import { isLockTimeout } from './query/errors.ts';
import { sql } from './query/sql.ts';
import { RELEASE, REPLACEABLE_FILES, type ReplaceableFile } from './schema-files.ts';

/** Number of the advisory lock that lets only one process migrate at a time. */
const MIGRATION_LOCK = 8_042_577;

/**
 * Longest wait for one lock while SQL functions and triggers are replaced. While the
 * replacement of a trigger waits for its table, all writers of the table wait. A failed migration can be repeated.
 */
const LOCK_TIMEOUT = '5s';

/**
 * Migrates our schema and that of the job queue, then replaces the SQL functions and triggers that changed. At last it fills
 * new columns of existing rows, in batches. Several processes may call it at the same time. Processes of the release before
 * may run at the same time.
 *
 * @returns the names of the applied migrations and of the replaced files; empty if the database was up to date
 * @throws UnusableDatabase if a version before 1.0.0 made the schema, or if another transaction kept a lock too long
 */
export async function migrate(databaseUrl: string, log: Logger): Promise<string[]> {
  const orm = ormOver(migratingConnection(databaseUrl), log, { max: 3 }, []);
  const pool = createPool(migratingConnection(databaseUrl), 2, log);
  try {
    const names = await orm.em.transactional(async (em) => {
      await sql(em, 'select pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
      await refuseOldSchema(em);
      // The API only asks for pending migrations, and needs nothing else of the job queue's code.
      const { runMigrations } = await import('graphile-worker');
      await runMigrations({ pgPool: pool });
      const applied = await orm.migrator.up();
      const replaced = await replaceChangedFiles(em);
      return [...applied.map(({ name }) => name), ...replaced];
    });
    await fillPracticeColumns(pool);
    return names;
  } finally {
    await pool.end();
    await orm.close();
  }
}

/**
 * Returns the names of migrations that are not yet applied, and of SQL functions and triggers that are not yet replaced.
 *
 * @throws UnusableDatabase if a version before 1.0.0 made the schema
 */
export async function pendingMigrations(orm: MikroORM): Promise<string[]> {
  const em = orm.em.fork();
  await refuseOldSchema(em);
  const migrations = await orm.migrator.getPending();
  const files = await changedFiles(em);
  return [...migrations, ...files].map(({ name }) => name);
}

/** Every schema since 1.0.0 has the table `schema_functions`. Older ones have other tables and columns under our names. */
async function refuseOldSchema(em: EntityManager): Promise<void> {
  if (!(await hasTable(em, 'schema_migrations')) || (await hasTable(em, 'schema_functions'))) return;
  const applied = await sql(em, 'select from schema_migrations limit 1');
  if (applied.length === 0) return;
  throw new UnusableDatabase(
    'The schema is of a version before 1.0.0, which cannot be migrated.',
    'Set DATABASE_URL to a new database. `make clean` removes the local one.',
  );
}

async function hasTable(em: EntityManager, name: string): Promise<boolean> {
  const [row] = await sql<{ exists: boolean }>(em, 'select to_regclass($1) is not null as exists', [name]);
  return row?.exists === true;
}

/**
 * Returns the files that differ from what is deployed. What a newer release has deployed counts as equal: it also serves
 * this release, and this release must not take it back.
 */
async function changedFiles(em: EntityManager): Promise<ReplaceableFile[]> {
  if (!(await hasTable(em, 'schema_functions'))) return [...REPLACEABLE_FILES];
  const deployed = await sql<{ name: string; hash: string; is_newer: boolean }>(
    em,
    'select name, hash, release > $1::integer[] as is_newer from schema_functions',
    [RELEASE],
  );
  const byName = new Map(deployed.map((row) => [row.name, row]));
  return REPLACEABLE_FILES.filter(({ name, hash }) => {
    const row = byName.get(name);
    return row === undefined || (row.hash !== hash && !row.is_newer);
  });
}

/** Runs the changed files within the caller's transaction, so that all of them change at once or none does. */
async function replaceChangedFiles(em: EntityManager): Promise<string[]> {
  const changed = await changedFiles(em);
  if (changed.length === 0) return [];
  // Functions call each other, so no order of creation would satisfy the check of their bodies. A test checks them.
  await sql(em, `select set_config('check_function_bodies', 'off', true), set_config('lock_timeout', $1, true)`, [
    LOCK_TIMEOUT,
  ]);
  for (const { name, text, hash } of changed) {
    await sql(em, text).catch((error: unknown) => {
      throw isLockTimeout(error) ? keptLocked(name, error) : error;
    });
    await sql(
      em,
      `insert into schema_functions (name, hash, release) values ($1, $2, $3)
       on conflict (name) do update set hash = excluded.hash, release = excluded.release`,
      [name, hash, RELEASE],
    );
  }
  return changed.map(({ name }) => name);
}

function keptLocked(name: string, cause: unknown): UnusableDatabase {
  return new UnusableDatabase(
    `Another transaction kept a lock that ${name}.sql needs for longer than ${LOCK_TIMEOUT}.`,
    'No function or trigger was replaced. Run `scripts/paylinks migrate` again.',
    { cause },
  );
}
