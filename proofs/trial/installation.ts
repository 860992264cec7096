import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeEmbeddedPostgres, startEmbeddedPostgres } from 'development-postgres';
import { createLogger } from '../../src/platform/base/log/log.ts';
import { migrate } from '../../src/platform/database/migrate.ts';
import { postgresMajor } from '../../test/harness/postgres-major.ts';
import type { Random } from '../../test/harness/random.ts';
import { startReceivers } from './receivers.ts';
import { queryOn } from './setup.ts';

/** A PostgreSQL of its own, receivers, and a folder for logs. Processes are the caller's. */
export type Installation = Awaited<ReturnType<typeof startInstallation>>;

export interface InstallationOptions {
  /** Part of the name of a new folder in /tmp, or the path of the folder. What is in it goes. */
  folder: { name: string } | { path: string };
  /** True if writes must reach the disk, as in production. Crashes of processes alone do not need it. */
  durable: boolean;
  /** Decides the answers of receivers. */
  random: Random;
  /** False if the caller migrates the database, such as by the command of another version. */
  migrates?: boolean;
}

export async function startInstallation(options: InstallationOptions) {
  const { folder, durable, random, migrates = true } = options;
  const directory = 'path' in folder ? await emptyFolder(folder.path) : mkdtempSync(join(tmpdir(), `${folder.name}-`));
  // PostgreSQL may run as another account, which has to get through to its own folder in here.
  chmodSync(directory, 0o711);
  const data = join(directory, 'postgres');
  const postgres = await startEmbeddedPostgres({ directory: data, isDurable: durable, major: postgresMajor });
  const receivers = await startReceivers(random);
  if (migrates) await migrate(postgres.url, createLogger('silent'));
  return {
    ...{ directory, postgres, query: queryOn(postgres.url), receivers },
    /** Ends and removes everything. Keeps the folder with logs only if `keepsLogs`. */
    async close({ keepsLogs }: { keepsLogs: boolean }) {
      await receivers.close();
      await postgres.stop();
      await removeEmbeddedPostgres(data);
      if (!keepsLogs) rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Empties a folder, of a run that was killed as well. */
async function emptyFolder(path: string): Promise<string> {
  await removeEmbeddedPostgres(join(path, 'postgres'));
  rmSync(path, { recursive: true, force: true });
  mkdirSync(path, { recursive: true });
  return path;
}
