import { observe, report } from '../../base/diagnostics.ts';
import { timeOfId } from '../../base/ids.ts';
import type { AfterRecording, AttemptResult } from './record.ts';
import type { StartedAttempt } from './start.ts';

export function observeAttempt<T>(attempt: StartedAttempt, make: (attempt: StartedAttempt) => Promise<T>): Promise<T> {
  const { deliveryId: eventId, type } = attempt;
  return observe(
    () => ({ kind: 'webhook_attempt', eventId, type }),
    () => make(attempt),
  );
}

/** Reports a recorded attempt for metrics and traces. The age of an event counts from its id, which has its time. */
export function reportAttempt(
  { deliveryId, number }: Pick<StartedAttempt, 'deliveryId' | 'number'>,
  { durationMs, responseStatus, error }: AttemptResult,
  result: AfterRecording | 'recorded before',
  now: Date,
): void {
  report('webhook_attempt', () => ({
    outcome: error ?? 'success',
    responseStatus,
    result,
    isRetry: number > 1,
    seconds: durationMs / 1_000,
    ageSeconds: error === null && number === 1 ? (now.getTime() - timeOfId(deliveryId)) / 1_000 : null,
  }));
}
