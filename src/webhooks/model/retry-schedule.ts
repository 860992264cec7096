/**
 * When a failed delivery is tried again. A ladder of waits, one fewer than there are attempts: with the seven default
 * waits, eight attempts over about three days.
 */

/** Waits before attempts 2 to 8: 30 s, 2 min, 10 min, 1 h, 6 h, 24 h, 48 h (openapi.yaml, webhooks). */
export const DEFAULT_RETRY_SECONDS: readonly number[] = [30, 120, 600, 3_600, 21_600, 86_400, 172_800];

/** ±10 %, so that deliveries which failed together do not come back together. */
const JITTER = 0.1;

/** A receiver may ask for patience, but not stretch the three days beyond recognition: at most twice the ladder's. */
const MAX_POSTPONEMENT = 2;

/**
 * How long to wait, in whole milliseconds from the end of the failed attempt, before the next one; null when the ladder
 * is exhausted.
 *
 * @param ladder.failedAttempts attempts of this ladder that failed, the latest included: at least 1, else RangeError
 * @param ladder.retrySeconds the waits before the second attempt, the third and so on; n waits allow n + 1 attempts
 * @param ladder.random in [0, 1), as Math.random gives it; injected so that tests can choose it
 * @param ladder.retryAfterSeconds what the receiver asked for with a 429 or a 503, else null. It postpones and never
 *   advances, and the whole wait, jitter included, stays within twice the ladder's
 */
export function nextAttemptDelayMs(ladder: {
  failedAttempts: number;
  retrySeconds: readonly number[];
  random: () => number;
  retryAfterSeconds: number | null;
}): number | null {
  const { failedAttempts, retrySeconds, random, retryAfterSeconds } = ladder;
  if (!Number.isInteger(failedAttempts) || failedAttempts < 1) {
    throw new RangeError(`a next attempt needs a failed one before it, not ${failedAttempts}`);
  }
  const waitSeconds = retrySeconds[failedAttempts - 1];
  if (waitSeconds === undefined) return null;
  const waitMs = waitSeconds * 1_000;
  const jitteredMs = waitMs * (1 - JITTER + 2 * JITTER * random());
  const askedMs = (retryAfterSeconds ?? 0) * 1_000;
  return Math.round(Math.min(Math.max(jitteredMs, askedMs), waitMs * MAX_POSTPONEMENT));
}
