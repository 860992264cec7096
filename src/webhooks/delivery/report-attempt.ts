import { report } from '../../base/diagnostics.ts';
import { timeOfId } from '../../base/ids.ts';
import type { AttemptResult, StartedAttempt } from './attempts.ts';

/** Reports a recorded attempt for the metrics. The age of an event counts from its id, which has its time. */
export function reportAttempt(
  { deliveryId, number }: StartedAttempt,
  { durationMs, error }: AttemptResult,
  result: string,
  now: Date,
): void {
  report('webhook_attempt', () => ({
    outcome: error ?? 'success',
    result,
    isRetry: number > 1,
    seconds: durationMs / 1_000,
    ageSeconds: error === null && number === 1 ? (now.getTime() - timeOfId(deliveryId)) / 1_000 : null,
  }));
}
