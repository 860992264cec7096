import { setTimeout as pause } from 'node:timers/promises';

/** Interval between two checks. PostgreSQL needs 100 ms to start, and a check costs far less than 20 ms. */
const INTERVAL_MS = 20;

/**
 * Calls `ask` until it returns a value other than null, and returns that value; null after `deadlineMs` milliseconds. It
 * calls `ask` at least once. For events in other processes that send no notification.
 */
export async function pollUntil<T>(ask: () => T | null | Promise<T | null>, deadlineMs: number): Promise<T | null> {
  const deadline = performance.now() + deadlineMs;
  while (true) {
    const answer = await ask();
    if (answer !== null || performance.now() >= deadline) return answer;
    await pause(INTERVAL_MS);
  }
}
