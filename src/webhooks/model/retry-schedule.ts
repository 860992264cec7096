import { FOUND_AFTER_MS } from '../../platform/jobs/wake-up.ts';

/* One wait fewer than attempts: eight attempts over about three days. */

/** Waits before attempts 2 to 8: 30 s, 2 min, 10 min, 1 h, 6 h, 24 h, 48 h (openapi.yaml, webhooks). */
export const DEFAULT_RETRY_SECONDS: readonly number[] = [30, 120, 600, 3_600, 21_600, 86_400, 172_800];

/**
 * ±10 %, so that deliveries that failed together are not retried together. The upper 10 % include the time until the
 * retry is found. Waits below thirty seconds have no room for it: they are never lengthened, and that time may exceed the 10 %.
 */
const JITTER_SHARE = 0.1;

/** Limit for `Retry-After`: it may at most double a wait of the schedule. */
const MAX_POSTPONEMENT_FACTOR = 2;

export interface RetrySchedule {
  retrySeconds: readonly number[];
  /** Default: `Math.random`. */
  random?: (() => number) | undefined;
}

interface FailedRun extends RetrySchedule {
  /** Of this delivery run, the latest included: at least 1. */
  failedAttempts: number;
  /** It only lengthens the wait, to twice the schedule's at most, the time until the retry is found included. */
  retryAfterSeconds: number | null;
}

/** Returns the wait from the end of the failed attempt; null when the delivery run is exhausted. */
export function nextAttemptDelayMs(run: FailedRun): number | null {
  const { failedAttempts, retrySeconds, random = Math.random, retryAfterSeconds } = run;
  const waitSeconds = retrySeconds[failedAttempts - 1];
  if (waitSeconds === undefined) return null;
  const waitMs = waitSeconds * 1_000;
  const shift = 2 * random() - 1;
  const reachMs = shift < 0 ? waitMs * JITTER_SHARE : Math.max(0, waitMs * JITTER_SHARE - FOUND_AFTER_MS);
  const askedMs = (retryAfterSeconds ?? 0) * 1_000;
  const longestMs = Math.max(waitMs, waitMs * MAX_POSTPONEMENT_FACTOR - FOUND_AFTER_MS);
  return Math.round(Math.min(Math.max(waitMs + shift * reachMs, askedMs), longestMs));
}
