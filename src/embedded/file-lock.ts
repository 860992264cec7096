import { DatabaseSync } from 'node:sqlite';
import { pollUntil } from './poll.ts';

/**
 * A lock between processes. The kernel releases it when its process ends, also by kill -9, so no lock is ever stale.
 *
 * Node has no flock. SQLite, which is part of Node, locks its files with fcntl. It also keeps two connections of one process
 * apart, which fcntl alone does not. Nothing is written to the files.
 */
export interface FileLock {
  /** Releases the lock. A second call does nothing. */
  release(): void;
}

/** `exclusive`: one process has the lock. `shared`: several have it, and no other has it exclusively. */
export type LockMode = 'exclusive' | 'shared';

/** SQLITE_BUSY: another connection has a lock that excludes the requested one. */
const SQLITE_BUSY = 5;

const STATEMENTS: Record<LockMode, string> = {
  exclusive: 'BEGIN EXCLUSIVE',
  // A transaction holds its shared lock from the first read on.
  shared: 'BEGIN; SELECT count(*) FROM sqlite_schema',
};

/**
 * Returns the lock; null if this or another process has one that excludes it. Does not wait. The caller must keep a reference
 * to the result, because garbage collection releases the lock.
 *
 * @throws Error of SQLite if the file cannot be opened
 */
export function tryLock(file: string, mode: LockMode): FileLock | null {
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    // With a journal, the next process would have to roll back that of a killed one.
    database.exec(`PRAGMA journal_mode = OFF; ${STATEMENTS[mode]}`);
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

/** Returns the lock as soon as it is free; null if it is not free within `deadlineMs` milliseconds. */
export function acquireLock(file: string, mode: LockMode, deadlineMs: number): Promise<FileLock | null> {
  return pollUntil(() => tryLock(file, mode), deadlineMs);
}
