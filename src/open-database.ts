import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { createLogger } from './base/log/log.ts';
import type { Config } from './config.ts';
import { serviceConnection } from './database/connection/service-connection.ts';
import { checkSession } from './database/connection/session-check.ts';
import { UnusableDatabase } from './database/connection/unusable-database.ts';
import { migrate, pendingMigrations } from './database/migrate.ts';
import { startEmbeddedPostgres } from './embedded/server.ts';
import { createOrm } from './service-orm.ts';

/** An open database of this process. */
export interface Database {
  url: string;
  /** Ends the use of the database. The last user of the embedded server stops it. */
  close(): Promise<void>;
}

/** Data folder of the embedded server. */
const EMBEDDED_DIRECTORY = new URL('../.local/postgres', import.meta.url).pathname;

/** Interval between two checks for a database that was unavailable at the start. */
const RECHECK_MS = 2_000;

/**
 * Opens the configured database, or starts or joins the embedded server. It migrates the embedded database, because only
 * this checkout uses it. A configured database is migrated only by `paylinks migrate`.
 */
export async function openDatabase(
  config: Config,
  log: Logger,
  onProgress: (text: string) => void = () => undefined,
): Promise<Database> {
  if (config.databaseUrl !== null) return { url: config.databaseUrl, close: async () => {} };
  const server = await startEmbeddedPostgres({ directory: EMBEDDED_DIRECTORY, durable: true, onProgress });
  await migrate(server.url, log);
  return { url: server.url, close: () => server.stop() };
}

/**
 * Refuses an unusable database: an unverifiable server, a pooler that shares sessions, or missing migrations. With an
 * unreachable database the service starts, answers 503, and continues when the database is back.
 *
 * @returns true if the database was reachable and has been checked
 * @throws UnusableDatabase, PendingMigrations
 */
export async function requireUsable(databaseUrl: string, log: Logger): Promise<boolean> {
  const orm = createOrm(databaseUrl, log, 1);
  try {
    await checkSession(serviceConnection(databaseUrl));
    const pending = await pendingMigrations(orm);
    if (pending.length > 0) throw new PendingMigrations(pending);
    return true;
  } catch (err) {
    if (err instanceof PendingMigrations || err instanceof UnusableDatabase) throw err;
    log.warn({ err }, 'the database is unreachable; starting without it');
    return false;
  } finally {
    await orm.close();
  }
}

/**
 * Checks the database as soon as it is reachable, after a start without it. Ends only by an error or by the signal.
 *
 * @throws UnusableDatabase, PendingMigrations
 */
export async function refusedOnceBack(databaseUrl: string, signal: AbortSignal): Promise<never> {
  // The start has already logged that the database is unreachable.
  const quiet = createLogger('error');
  do await pause(RECHECK_MS, undefined, { signal });
  while (!(await requireUsable(databaseUrl, quiet)));
  return new Promise(() => undefined);
}

/** Thrown if the schema lacks migrations. The message names the command to run. */
export class PendingMigrations extends Error {
  constructor(names: string[]) {
    super(`The database lacks ${names.join(', ')}. Run: scripts/paylinks migrate`);
    this.name = 'PendingMigrations';
  }
}
