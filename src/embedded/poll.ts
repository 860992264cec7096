import { setTimeout as pause } from 'node:timers/promises';

/** Short against the 100 ms that PostgreSQL needs to start, long against the cost of looking. */
const INTERVAL_MS = 20;

/**
 * Asks again and again until the answer is not null, and gives that; null once `deadlineMs` milliseconds have passed. Asks
 * at least once. For things that happen in other processes, which tell nobody when they are done.
 */
export async function pollUntil<T>(ask: () => T | null | Promise<T | null>, deadlineMs: number): Promise<T | null> {
  const deadline = performance.now() + deadlineMs;
  while (true) {
    const answer = await ask();
    if (answer !== null || performance.now() >= deadline) return answer;
    await pause(INTERVAL_MS);
  }
}
