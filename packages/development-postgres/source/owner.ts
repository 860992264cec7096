import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/**
 * The lock of the process that owns the server of a folder. The kernel releases it when the process ends, also by kill -9, so it is
 * never stale.
 *
 * Node has no flock. SQLite, which is part of Node, locks its files with fcntl. It also keeps two connections of one process
 * apart, which fcntl alone does not. Nothing is written to the file.
 */
export interface OwnerLock {
  /** Releases the lock. A second call does nothing. */
  release(): void;
}

/** SQLITE_BUSY: another connection has the lock. */
const SQLITE_BUSY = 5;

/** Returns the lock if no process owns the server of the folder, otherwise null. The caller keeps it: garbage collection releases it. */
export function tryToOwn(directory: string): OwnerLock | null {
  const database = new DatabaseSync(join(directory, 'owner.lock'), { timeout: 0 });
  try {
    // With a journal, the next process would have to roll back that of a killed one.
    database.exec('PRAGMA journal_mode = OFF; BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if (error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY) return null;
    throw error;
  }
  return {
    release: () => {
      if (database.isOpen) database.close();
    },
  };
}
