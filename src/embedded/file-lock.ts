import { DatabaseSync } from 'node:sqlite';
import { pollUntil } from './poll.ts';

/**
 * A lock between processes. The kernel releases it when the process dies, even by kill -9, so no lock is ever stale.
 * Node has no flock. Its built-in SQLite locks files with fcntl, and keeps connections of one process apart, which
 * fcntl alone does not. The files stay empty: nothing is ever written.
 */
export interface FileLock {
  /** Lets go; a second call does nothing. */
  release(): void;
}

export type LockMode = 'exclusive' | 'shared';

/** SQLITE_BUSY: another process has a lock that excludes the requested one. */
const SQLITE_BUSY = 5;

const STATEMENTS: Record<LockMode, string> = {
  exclusive: 'BEGIN EXCLUSIVE',
  // A transaction holds its shared lock from the first read on.
  shared: 'BEGIN; SELECT count(*) FROM sqlite_schema',
};

/**
 * Returns the lock, or null if this or another process has one that excludes it. Never waits. The caller must keep the
 * result: a collected lock is a released one. Throws what SQLite throws if the file can't be opened.
 */
export function tryLock(file: string, mode: LockMode): FileLock | null {
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    // A journal left behind by a killed holder would have to be rolled back by the next one.
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

/** The lock as soon as it is free, or null if it was not within `deadlineMs` milliseconds. */
export function acquireLock(file: string, mode: LockMode, deadlineMs: number): Promise<FileLock | null> {
  return pollUntil(() => tryLock(file, mode), deadlineMs);
}
