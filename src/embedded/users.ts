import { join } from 'node:path';
import { ServerFailed } from './errors.ts';
import { acquireLock, type FileLock, tryLock } from './file-lock.ts';

/** Longest wait for the start lock. Another process keeps it during its setup and recovery. */
const START_LOCK_MS = 330_000;

/**
 * Runs the work while no other process starts, joins, leaves or removes the server of this folder.
 *
 * @throws ServerFailed if another process does so for minutes
 */
export async function underStartLock<T>(directory: string, work: () => Promise<T>): Promise<T> {
  const lock = await acquireLock(startLockOf(directory), 'exclusive', START_LOCK_MS);
  if (lock === null) {
    throw new ServerFailed(
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
export function enter(directory: string): FileLock {
  const lock = tryLock(usersLockOf(directory), 'shared');
  // Other processes take the exclusive lock only with the start lock.
  if (lock === null) throw new Error(`${usersLockOf(directory)} is locked by a program that is not ours`);
  return lock;
}

function startLockOf(directory: string): string {
  return join(directory, 'start.lock');
}

function usersLockOf(directory: string): string {
  return join(directory, 'users.lock');
}
