import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { OperatorError } from '../../platform/base/errors.ts';
import { createLogger } from '../../platform/base/log/log.ts';
import { type Keyring, withoutKeys } from '../../platform/base/secrets.ts';
import { sqlState } from '../../platform/base/sql-state.ts';
import { serviceConnection } from '../../platform/database/connection/connection.ts';
import { createOrmFor } from '../../platform/database/connection/pool.ts';
import { checkSession } from '../../platform/database/connection/session-check.ts';
import {
  explainUnusable,
  STATEMENT_TIMEOUT,
  UnreachableDatabase,
  UnsafeSession,
  UnusableDatabase,
} from '../../platform/database/connection/unusable-database.ts';
import { migrate, readUsableSchema, type SchemaState } from '../../platform/database/migrate.ts';
import { findKeyFaults, type KeyFaults } from '../../platform/database/query/key-faults.ts';
import { RELEASE } from '../../platform/database/schema-files.ts';
import type { Config } from './config.ts';

const EMBEDDED_DIRECTORY = new URL('../../../.local/postgres', import.meta.url).pathname;

/** Interval between two checks for a database that was unavailable at the start. */
const RECHECK_MS = 2_000;

/**
 * Opens the configured database, or the database of the embedded server, which it starts and migrates: nobody but this checkout uses it.
 * `close` stops the embedded server, if this process started it.
 */
export async function openDatabase(
  config: Config,
  log: Logger,
  onProgress: (text: string) => void = () => undefined,
): Promise<{ url: string; close(): Promise<void> }> {
  if (config.databaseUrl !== null) return { url: config.databaseUrl, close: async () => {} };
  const server = await startEmbedded(onProgress);
  await migrate(server.url, log);
  return { url: server.url, close: () => server.stop() };
}

/** Starts or reaches the embedded server. @throws OperatorError, also in an installation without it */
async function startEmbedded(onProgress: (text: string) => void) {
  try {
    const { startEmbeddedPostgres } = await import('development-postgres');
    return await startEmbeddedPostgres({ directory: EMBEDDED_DIRECTORY, isDurable: true, onProgress });
  } catch (cause) {
    if (!(cause instanceof Error)) throw cause;
    if ('hint' in cause) throw new OperatorError(cause.message, String(cause.hint), { cause });
    if (!('code' in cause) || cause.code !== 'ERR_MODULE_NOT_FOUND') throw cause;
    throw new OperatorError(
      'DATABASE_URL is not set, and this installation has no PostgreSQL of its own.',
      'Set DATABASE_URL to a PostgreSQL server (15 or newer). For development and tests, run `npm ci` without --omit.',
      { cause },
    );
  }
}

/** The keyring of a process that may learn later which of its keys are wrong. */
export type ReplaceableKeyring = { keys: Keyring['keys'] };

/** A keyring without its wrong keys, and the faults that a comparison with the stored secrets found. */
type CheckedKeyring = KeyFaults & { keyring: Keyring };

/**
 * Checks server, session, rights and migrations, and compares the keyring with the stored secrets.
 * @throws OperatorError if it cannot be used; UnreachableDatabase or an error of the driver if it does not answer
 */
export async function checkDatabase(databaseUrl: string, log: Logger, keyring: Keyring): Promise<CheckedKeyring> {
  const orm = createOrmFor(serviceConnection(databaseUrl), log, { max: 1 }, []);
  try {
    await checkSession(serviceConnection(databaseUrl));
    const schema = await readUsableSchema(orm.em.fork());
    if (schema.pendingMigrations.length + schema.changedFiles.length > 0) throw lacksMigrations(schema);
    const { SECRET_COLUMNS } = await import('./shared.ts');
    const faults = await findKeyFaults({ em: orm.em.fork() }, keyring, SECRET_COLUMNS);
    return { ...faults, keyring: withoutKeys(keyring, faults.wrong) };
  } catch (error) {
    if (sqlState(error) === STATEMENT_TIMEOUT && error instanceof Error) throw new UnreachableDatabase(error);
    throw explainUnusable(error) ?? error;
  } finally {
    await orm.close();
  }
}

/** Does `checkDatabase`, and logs its faults of keys. Returns null if the database does not answer: the service starts and answers 503. */
export async function checkDatabaseAtStart(
  databaseUrl: string,
  log: Logger,
  keyring: Keyring,
): Promise<CheckedKeyring | null> {
  try {
    const check = await checkDatabase(databaseUrl, log, keyring);
    logMissingKeys(log, check);
    logWrongKeys(log, check);
    return check;
  } catch (err) {
    const isUnreachable = err instanceof UnreachableDatabase;
    if (err instanceof OperatorError && !isUnreachable) throw err;
    log.warn({ err, next: isUnreachable ? err.hint : undefined }, 'the database is unreachable; starting without it');
    return null;
  }
}

const MISSING_KEYS =
  'stored secrets are encrypted with keys that SECRETS_KEY lacks, so their webhooks wait: put these keys behind the first ' +
  'one, and restart (docs/operations/run.md, Rotating SECRETS_KEY)';

const WITHOUT_WRONG_KEYS =
  'Webhooks with these secrets wait. If it is the first key, all webhooks wait, and requests that need a secret get 503.';

export function logMissingKeys(log: Logger, { missing }: KeyFaults): void {
  if (missing.length > 0) log.error({ keys: missing }, MISSING_KEYS);
}

export function logWrongKeys(log: Logger, { wrong }: KeyFaults): void {
  if (wrong.length === 0) return;
  const { message, hint: next } = wrongSecretsKey(wrong);
  log.error({ keys: wrong, next }, `${message} ${WITHOUT_WRONG_KEYS}`);
}

/**
 * Checks the database as soon as it is reachable, after a start without it, and takes the wrong keys out of the keyring. While it
 * refuses sessions, this process can do no harm: it logs the reason and waits. So a failover or half a change of passwords ends no process.
 * @throws UnsafeSession, or OperatorError if the schema lacks migrations; otherwise it never settles, unless the signal ends it
 */
export async function checkOnceBack(
  databaseUrl: string,
  log: Logger,
  keyring: ReplaceableKeyring,
  signal: AbortSignal,
): Promise<never> {
  // The start has already logged that the database is unreachable.
  const quietLog = createLogger('error');
  let check: CheckedKeyring | null = null;
  for (let refusals = 0; check === null; ) {
    await pause(RECHECK_MS, undefined, { signal });
    try {
      check = await checkDatabaseAtStart(databaseUrl, quietLog, keyring);
    } catch (err) {
      if (err instanceof UnsafeSession || !(err instanceof UnusableDatabase)) throw err;
      // Once a minute.
      if (refusals++ % 30 === 0) {
        log.error({ err, next: err.hint }, 'the database refuses this process, which stays not ready and asks again');
      }
    }
  }
  keyring.keys = check.keyring.keys;
  return new Promise(() => undefined);
}

/** Further step before a migration to another major version. */
const BACKUP_FIRST =
  ' Back the database up first: there is no other way back to the former major version (docs/operations/recover.md, Backup and restore).';

/** Returns the error for a schema that lacks migrations. Its hint is the command to run. */
function lacksMigrations({ pendingMigrations, changedFiles, release, newest }: SchemaState): OperatorError {
  const names = [...pendingMigrations, ...changedFiles];
  // A new database lacks all.
  const more = names.length > 3 ? ` and ${names.length - 3} more` : '';
  const lacking = `lacks ${names.slice(0, 3).join(', ')}${more} of release ${RELEASE.join('.')}.`;
  const isMajor = release !== null && release[0] !== RELEASE[0];
  return new OperatorError(
    release === null
      ? `The database has no schema: it ${lacking}`
      : `The schema is of release ${release.join('.')} with ${newest} as its newest migration. It ${lacking}`,
    `Run scripts/paylinks migrate with this release.${isMajor ? BACKUP_FIRST : ''}`,
  );
}

/** Returns the error for keys whose ids name other keys in stored secrets. What they encrypt would be lost later. */
export function wrongSecretsKey(ids: readonly string[]): OperatorError {
  return new OperatorError(
    `SECRETS_KEY has a different key under the id ${ids.join(', ')} than the key that encrypted the stored secrets.`,
    'Set SECRETS_KEY to the keys of your backup. A new key needs an id of its own (docs/operations/run.md, Rotating SECRETS_KEY).',
  );
}
