import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { OperatorError } from '../base/errors.ts';
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

/** Longest wait for the start lock. Another process keeps it during its setup and recovery. */
const START_LOCK_MS = 330_000;

/** SQLITE_BUSY: another connection has a lock that excludes the requested one. */
const SQLITE_BUSY = 5;

const STATEMENTS = {
  exclusive: 'BEGIN EXCLUSIVE',
  // A transaction holds its shared lock from the first read on.
  shared: 'BEGIN; SELECT count(*) FROM sqlite_schema',
};

/**
 * Runs the work while no other process starts, joins, leaves or removes the server of this folder.
 *
 * @throws OperatorError if another process does so for minutes
 */
export async function withStartLock<T>(directory: string, work: () => Promise<T>): Promise<T> {
  const lock = await pollUntil(() => tryStartLock(directory), START_LOCK_MS);
  if (lock === null) {
    throw new OperatorError(
      `Another process has been starting or stopping the embedded PostgreSQL in ${directory} for minutes.`,
      `End it (\`fuser ${startLockOf(directory)}\` prints its number), then start again.`,
    );
  }
  try {
    return await work();
  } finally {
    lock.release();
  }
}

/** Returns the start lock if it is free, otherwise null. */
export function tryStartLock(directory: string): FileLock | null {
  return tryLock(startLockOf(directory), 'exclusive');
}

/** Returns true if any process, this one included, uses the server. The caller has the start lock. */
export function hasUsers(directory: string): boolean {
  const lock = tryLock(usersLockOf(directory), 'exclusive');
  lock?.release();
  return lock === null;
}

/** Makes the caller a user until it releases the result or ends. The caller has the start lock. */
export function becomeUser(directory: string): FileLock {
  const lock = tryLock(usersLockOf(directory), 'shared');
  // Other processes take the exclusive lock only with the start lock.
  if (lock === null) throw new Error(`${usersLockOf(directory)} is locked by a program that is not ours`);
  return lock;
}

/** Garbage collection would release the lock, so the caller keeps a reference to it. @throws Error of SQLite */
function tryLock(file: string, mode: keyof typeof STATEMENTS): FileLock | null {
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

function startLockOf(directory: string): string {
  return join(directory, 'start.lock');
}

function usersLockOf(directory: string): string {
  return join(directory, 'users.lock');
}
