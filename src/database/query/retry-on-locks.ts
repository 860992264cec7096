import { setTimeout as pause } from 'node:timers/promises';
import type { ClientBase } from 'pg';
import { isLockConflict } from './errors.ts';

/** Limits of repeated work that waits briefly for locks. */
export interface RetryLimits {
  /** Most tries. */
  tries: number;
  /** Pause between two tries, in which other transactions go on. */
  pauseMs: number;
}

/** Longest wait of one statement for a lock. If it is the lock of a table, all its writers wait behind it. */
const LOCK_TIMEOUT_MS = 100;

/**
 * Runs work, and repeats it while others keep a lock that it needs, or while it ends in a deadlock. The work is one
 * transaction, so nothing stays of a try that failed. It limits its waits for locks itself, as `lockBriefly` does.
 *
 * @throws the error of the last try; any other error at once
 */
export async function retryOnLocks<T>(work: () => Promise<T>, { tries, pauseMs }: RetryLimits): Promise<T> {
  for (let tried = 1; ; tried++) {
    try {
      return await work();
    } catch (error) {
      if (!isLockConflict(error) || tried >= tries) throw error;
      await pause(pauseMs);
    }
  }
}

/**
 * Runs statements in a transaction that waits at most 100 milliseconds for each lock, and repeats them like `retryOnLocks`.
 *
 * @param client a connection outside of a transaction
 * @throws the error of the last try; any other error at once
 */
export function lockBriefly<T>(
  client: Pick<ClientBase, 'query'>,
  statements: () => Promise<T>,
  limits: RetryLimits,
): Promise<T> {
  return retryOnLocks(async () => {
    await client.query(`begin; set local lock_timeout = ${LOCK_TIMEOUT_MS}`);
    try {
      const result = await statements();
      await client.query('commit');
      return result;
    } catch (error) {
      // The connection may be the fault. Then the server rolls back.
      await client.query('rollback').catch(() => undefined);
      throw error;
    }
  }, limits);
}
