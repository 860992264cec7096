import type { Scope } from '../../platform/base/scope.ts';
import { sql } from '../../platform/database/query/sql.ts';
import { nextAttemptDelayMs } from '../model/retry-schedule.ts';
import { recordFailure, reportAttempt } from './record.ts';

interface AbandonedAttempt {
  deliveryId: string;
  endpointId: string;
  number: number;
  runAttempts: number;
  startedAt: string;
  /** True if the attempt before it in the delivery run was interrupted, too. */
  isRepeated: boolean;
}

/**
 * Ends the endpoint's abandoned attempts as `interrupted`. The next attempt is due at once, because the receiver did
 * not fail. After two interruptions in a row the retry schedule applies, because the delivery itself may make workers
 * crash. The receiver may have got such an attempt, and then gets the event twice.
 *
 * @param epoch of the lease that was just taken
 */
export async function endAbandonedAttempts(
  scope: Scope,
  endpointId: string,
  epoch: string,
  schedule: { retrySeconds: readonly number[]; random?: () => number },
): Promise<void> {
  const abandoned = await sql<AbandonedAttempt>(
    scope.em,
    `select a.delivery_id as "deliveryId", a.endpoint_id as "endpointId", a.number, d.run_attempts as "runAttempts",
       a.started_at as "startedAt",
       d.run_attempts > 1 and exists (
         select from webhook_attempts b
         where b.delivery_id = a.delivery_id and b.number = a.number - 1 and b.error = 'interrupted'
       ) as "isRepeated"
     from webhook_attempts a join webhook_deliveries d on d.id = a.delivery_id
     where a.endpoint_id = $1 and a.duration_ms is null and a.lease_epoch < $2
     order by a.started_at`,
    [endpointId, epoch],
  );
  for (const attempt of abandoned) {
    const now = scope.clock.now();
    const scheduledMs = nextAttemptDelayMs({
      failedAttempts: attempt.runAttempts,
      retrySeconds: schedule.retrySeconds,
      random: schedule.random ?? Math.random,
      retryAfterSeconds: null,
    });
    const durationMs = Math.max(0, now.getTime() - new Date(attempt.startedAt).getTime());
    const delayMs = scheduledMs === null || attempt.isRepeated ? scheduledMs : 0;
    const result = { durationMs, responseStatus: null, error: 'interrupted', retryAfterSeconds: null } as const;
    const { result: recorded } = await recordFailure(scope, attempt, result, delayMs);
    // Another process has recorded and reported the outcome in the meantime.
    if (recorded === 'stale') continue;
    scope.log.warn({ eventId: attempt.deliveryId, endpointId, attempt: attempt.number }, 'webhook attempt interrupted');
    reportAttempt(attempt, result, recorded, now);
  }
}
