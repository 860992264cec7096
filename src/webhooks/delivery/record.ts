import { report } from '../../platform/base/diagnostics.ts';
import { readIdTime } from '../../platform/base/ids.ts';
import type { Scope } from '../../platform/base/scope.ts';
import { stateAfter } from '../../platform/base/state-machine.ts';
import { sql } from '../../platform/database/query/sql.ts';
import { inTransaction } from '../../platform/database/query/transaction.ts';
import { countExhausted } from '../endpoints/disable.ts';
import { nextAttemptDelayMs, type RetrySchedule } from '../model/retry-schedule.ts';
import { DELIVERY, type DeliveryStatus } from '../model/transitions.ts';
import type { SendError } from '../send/exchange.ts';
import { IS_STILL_WAITING, type Lease, type StartedAttempt } from './start.ts';

export interface AttemptResult {
  durationMs: number;
  responseStatus: number | null;
  /** Null for a 2xx; `interrupted` if its worker lost the lease. */
  error: SendError | 'interrupted' | null;
  /** The wait for which a 429 or 503 asked; else null. */
  retryAfterSeconds: number | null;
}

export type AfterRecording = DeliveryStatus | 'disabled' | 'stale';

/** Plan hint UNINDEXED_CONDITION: it does not match the partial index. */
export const IS_OPEN = 'coalesce(a.duration_ms, -1) = -1';

/**
 * Removes the attempt that was started under the lease and not sent, so that it does not count for its delivery run. Call
 * it only while no attempt of the lease is under way.
 */
export async function removeUnsentAttempt(scope: Scope, { endpointId, epoch }: Lease): Promise<void> {
  await sql(
    scope.em,
    `with removed as (
       delete from webhook_attempts where endpoint_id = $1 and lease_epoch = $2 and duration_ms is null
       returning delivery_id, number
     )
     update webhook_deliveries d set attempt_count = attempt_count - 1, run_attempts = run_attempts - 1,
       last_attempt_at = (select max(started_at) from webhook_attempts a where a.delivery_id = d.id and a.number < removed.number)
     from removed where d.id = removed.delivery_id`,
    [endpointId, epoch],
  );
}

/**
 * Records a failed attempt, releases its lease, and sets the time of the next attempt or ends the delivery run. The end
 * of an automatic run counts towards disabling the endpoint. At a disabled endpoint, a delivery that could be retried
 * ends as `skipped`. Locks the endpoint first, so that disabling it misses no delivery.
 * @param delayMs wait until the next attempt; null to end the delivery run
 * @returns `disabled` instead of a status if this was the twentieth exhausted event in a row; one of several racing
 *   workers gets it. `stale` if the attempt already had an outcome
 */
export function recordFailure(
  scope: Scope,
  attempt: Pick<StartedAttempt, 'deliveryId' | 'endpointId' | 'number'>,
  result: AttemptResult,
  delayMs: number | null,
): Promise<{ result: AfterRecording; retryAt: Date | null }> {
  return inTransaction(scope, async (scope) => {
    const { deliveryId, endpointId, number } = attempt;
    const outcome = [result.durationMs, result.responseStatus, result.error];
    const retryAt = delayMs === null ? null : new Date(scope.clock.now().getTime() + delayMs);
    const whileEnabled = stateAfter(DELIVERY, retryAt === null ? 'exhaust' : 'fail');
    const onceDisabled = stateAfter(DELIVERY, retryAt === null ? 'exhaust' : 'skip');
    const [row] = await sql<{ counts: boolean; status: DeliveryStatus }>(
      scope.em,
      `with endpoint as (
         select id, status = 'enabled' as enabled from webhook_endpoints where id = $1 for no key update
       ), attempt as (
         update webhook_attempts a set duration_ms = $4, response_status = $5, error = $6, retry_after_seconds = $10
         from endpoint where a.delivery_id = $2 and a.number = $3 and ${IS_OPEN}
         returning a.delivery_id, a.endpoint_id, a.lease_epoch
       ), released as (
         update webhook_endpoints w set lease_until = null
         from attempt where w.id = attempt.endpoint_id and w.lease_epoch = attempt.lease_epoch
       ), delivery as (
         update webhook_deliveries d set
           status = case when endpoint.enabled then $8 else $9 end,
           due_at = case when endpoint.enabled then $7::timestamptz end,
           rank = case d.delivery_run when 'replay' then 2 else 1 end,
           last_response_status = $5, last_error = $6
         from attempt, endpoint
         where d.id = attempt.delivery_id and ${IS_STILL_WAITING}
         returning d.payment_link_id, d.delivery_run, d.status
       )
       select status, $7::timestamptz is null and delivery_run = 'automatic' and payment_link_id is not null as counts from delivery`,
      [endpointId, deliveryId, number, ...outcome, retryAt, whileEnabled, onceDisabled, result.retryAfterSeconds],
      { keepPlan: true },
    );
    if (row === undefined) return { result: 'stale', retryAt: null };
    if (row.status === 'retrying') return { result: row.status, retryAt };
    const isDisabled = row.counts && (await countExhausted(scope, endpointId, deliveryId));
    return { result: isDisabled ? 'disabled' : row.status, retryAt: null };
  });
}

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
    ageSeconds: error === null && number === 1 ? (now.getTime() - readIdTime(deliveryId)) / 1_000 : null,
  }));
}

interface AbandonedAttempt extends Pick<StartedAttempt, 'deliveryId' | 'endpointId' | 'number' | 'runAttempts'> {
  startedAt: string;
  /** True if the attempt before it in the delivery run was interrupted, too. */
  isRepeated: boolean;
}

/**
 * Ends the endpoint's abandoned attempts as `interrupted`. The next attempt is due at once, because the receiver did
 * not fail. After two interruptions in a row the retry schedule applies, because the delivery itself may make workers
 * crash. The receiver may have got such an attempt, and then gets the event twice.
 */
export async function endAbandonedAttempts(
  scope: Scope,
  { endpointId, epoch }: Pick<Lease, 'endpointId' | 'epoch'>,
  { retrySeconds, random }: RetrySchedule,
): Promise<void> {
  const attempts = await sql<AbandonedAttempt>(
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
  for (const attempt of attempts) {
    const now = scope.clock.now();
    const run = { failedAttempts: attempt.runAttempts, retryAfterSeconds: null };
    const scheduledMs = nextAttemptDelayMs({ ...run, retrySeconds, random });
    const durationMs = Math.max(0, now.getTime() - new Date(attempt.startedAt).getTime());
    const delayMs = scheduledMs === null || attempt.isRepeated ? scheduledMs : 0;
    const result = { durationMs, responseStatus: null, error: 'interrupted', retryAfterSeconds: null } as const;
    const { result: outcome } = await recordFailure(scope, attempt, result, delayMs);
    // Another process has recorded and reported the outcome in the meantime.
    if (outcome === 'stale') continue;
    scope.log.warn({ eventId: attempt.deliveryId, endpointId, attempt: attempt.number }, 'webhook attempt interrupted');
    reportAttempt(attempt, result, outcome, now);
  }
}
