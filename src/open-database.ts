import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { createLogger } from './base/log/log.ts';
import type { Config } from './config.ts';
import { serviceConnection } from './database/connection/service-connection.ts';
import { checkSession } from './database/connection/session-check.ts';
import { UnusableDatabase } from './database/connection/unusable-database.ts';
import { startEmbeddedPostgres } from './embedded/server.ts';
import { createOrm, migrate, pendingMigrations } from './orm.ts';

/** A database to work with, for as long as the process wants it. */
export interface Database {
  url: string;
  /** Lets go; the last user of the embedded server stops it. */
  close(): Promise<void>;
}

/** Where the embedded server keeps its data. */
const EMBEDDED_DIRECTORY = new URL('../.local/postgres', import.meta.url).pathname;

/** Between two looks for a database that was away at the start. */
const RECHECK_MS = 2_000;

/**
 * The configured database, or the embedded server, started or joined. The embedded one is brought up to date at once:
 * nobody but this checkout uses it. A configured one is migrated by `paylinks migrate` alone.
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
 * Refuses a database that can't be worked with: an unverifiable server, a pooler that shares sessions, a schema that is
 * behind. One that is out of reach passes: the service starts, answers 503, and goes on when the database is back.
 *
 * @returns whether the database was there to be checked
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
    log.warn({ err }, 'the database is out of reach; starting all the same');
    return false;
  } finally {
    await orm.close();
  }
}

/**
 * Makes up for the check of a start without a database, as soon as that is there. Ends only by an error, or for the
 * signal.
 *
 * @throws UnusableDatabase, PendingMigrations
 */
export async function refusedOnceBack(databaseUrl: string, signal: AbortSignal): Promise<never> {
  // The start has said already that the database is out of reach.
  const quiet = createLogger('error');
  do await pause(RECHECK_MS, undefined, { signal });
  while (!(await requireUsable(databaseUrl, quiet)));
  return new Promise(() => undefined);
}

/** The schema lacks migrations; says what to run. */
export class PendingMigrations extends Error {
  constructor(names: string[]) {
    super(`The database lacks ${names.join(', ')}. Run: scripts/paylinks migrate`);
    this.name = 'PendingMigrations';
  }
}
