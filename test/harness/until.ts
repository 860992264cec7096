import { setTimeout as pause } from 'node:timers/promises';

/**
 * Asks again and again until the answer is neither false nor null, and returns it.
 *
 * @param options.failure message of the error when the time is over
 */
export async function until<T>(
  ask: () => Promise<T | false | null> | T | false | null,
  { withinMs, everyMs = 20, failure }: { withinMs: number; everyMs?: number; failure: string },
): Promise<T> {
  const deadlineMs = performance.now() + withinMs;
  for (;;) {
    const answer = await ask();
    if (answer !== null && answer !== false) return answer;
    if (performance.now() > deadlineMs) throw new Error(`not within ${withinMs} ms: ${failure}`);
    await pause(everyMs);
  }
}
