import type { Logger } from 'pino';
import type { Config } from './config.ts';
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
 * Refuses a database whose schema is behind. One that is out of reach passes: the service starts, answers 503, and
 * goes on when the database is back.
 */
export async function requireMigrated(databaseUrl: string, log: Logger): Promise<void> {
  const orm = createOrm(databaseUrl, log, 1);
  try {
    const pending = await pendingMigrations(orm);
    if (pending.length > 0) throw new PendingMigrations(pending);
  } catch (error) {
    if (error instanceof PendingMigrations) throw error;
    log.warn({ err: error }, 'the database is out of reach; starting all the same');
  } finally {
    await orm.close();
  }
}

/** The schema lacks migrations; says what to run. */
export class PendingMigrations extends Error {
  constructor(names: string[]) {
    super(`The database lacks ${names.join(', ')}. Run: scripts/paylinks migrate`);
    this.name = 'PendingMigrations';
  }
}
