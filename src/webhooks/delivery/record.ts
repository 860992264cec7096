import { report } from '../../base/diagnostics.ts';
import { timeOfId } from '../../base/ids.ts';
import type { Limiter, Scope } from '../../base/scope.ts';
import { keyIdsOf } from '../../base/secrets.ts';
import { stateAfter } from '../../base/state-machine.ts';
import { createBatcher } from '../../database/query/batch.ts';
import { isLockTimeout } from '../../database/query/errors.ts';
import { type BatchStatement, batchStatement, bindItems } from '../../database/query/plan-hints.ts';
import { sql } from '../../database/query/sql.ts';
import { inTransaction } from '../../database/query/transaction.ts';
import { countExhausted } from '../endpoints/disable.ts';
import { DELIVERY, type DeliveryStatus } from '../model/transitions.ts';
import type { SendError } from '../send/exchange.ts';
import type { Lease } from './lease.ts';
import {
  applyStart,
  IS_STILL_WAITING,
  LEASE_COLUMNS,
  START_WAITING,
  STARTED_COLUMNS,
  type Started,
  type StartedAttempt,
  type StartRow,
} from './start.ts';

export interface AttemptResult {
  durationMs: number;
  responseStatus: number | null;
  /** Null for a 2xx; `interrupted` if its worker lost the lease. */
  error: SendError | 'interrupted' | null;
  /** The wait for which a 429 or 503 asked; else null. */
  retryAfterSeconds: number | null;
}

/** Result of recording an attempt: the delivery's new status. `recordFailure` explains `disabled` and `stale`. */
export type AfterRecording = DeliveryStatus | 'disabled' | 'stale';

/** Condition on an attempt `a` without an outcome. Plan hint UNINDEXED_CONDITION: it does not match the partial index. */
export const IS_OPEN = 'coalesce(a.duration_ms, -1) = -1';

export interface Success {
  lease: Lease;
  attempt: Pick<StartedAttempt, 'deliveryId' | 'number'>;
  result: Pick<AttemptResult, 'durationMs' | 'responseStatus'>;
  /** Order of the ranks, as for `startAttempt`. If empty, no attempt is started, and the lease stays. */
  ranks: readonly number[];
  /** True for the first attempt of a round. Often no other delivery waits for its end. */
  isFirst: boolean;
}

export interface AfterSuccess {
  /** False when the attempt already had an outcome, or the endpoint is deleted. */
  isRecorded: boolean;
  /** The next attempt, as from `startAttempt`; null when the lease is lost, the endpoint is disabled, or `isRecorded` is false. */
  next: Started | null;
}

/** Maximum number of successes per statement. A larger statement would make each of them wait longer. */
const BATCH_SUCCESSES = 16;

/** Time for which the success of a round's first attempt waits for others, to share a statement with them. */
const GATHER_MS = 5;

/** Concurrent statements of one process. Successes that arrive while all are busy share the next statement. */
const CONCURRENCY = 3;

/**
 * Creates the function that records the successes of one process. Successes of different endpoints that arrive together
 * share a statement. If an endpoint or delivery is locked, its success passes the limiter and waits alone. No success is
 * discarded, because a delivery whose success is not recorded is sent again.
 */
export function createSuccessRecorder(
  scope: Scope,
  leaseMs: number,
  limiter: Limiter,
): (success: Success) => Promise<AfterSuccess> {
  const withoutNext = (success: Success): Success => ({ ...success, ranks: [] });
  const run = async (successes: readonly Success[]) => {
    try {
      return await record(scope, leaseMs, successes, RECORD);
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
      // A next delivery is locked. A separate statement starts its attempt.
      return record(scope, leaseMs, successes.map(withoutNext), RECORD);
    }
  };
  const gatherMsOf = ({ isFirst }: Success) => (isFirst ? GATHER_MS : 0);
  const share = createBatcher(run, { size: BATCH_SUCCESSES, concurrency: CONCURRENCY, gatherMsOf });
  return async (success) => {
    const after = await share(success);
    if (after !== 'locked') return after;
    return limiter.run('record', () => recordSuccess(scope, leaseMs, withoutNext(success)));
  };
}

/**
 * Records a success (attempt, delivery, the endpoint's counter), renews the lease and starts the next due attempt. If nothing
 * is due, releases the lease. All is one statement: one round trip and one durable write per successful delivery. Waits for
 * row locks of endpoint and delivery.
 *
 * The attempt's row is written only if it has no outcome. So a worker that lost the lease, and whose attempt ended as
 * interrupted, writes nothing. All other writes depend on that write, not on values that were read before the lock.
 */
export async function recordSuccess(scope: Scope, leaseMs: number, success: Success): Promise<AfterSuccess> {
  const [after] = await record(scope, leaseMs, [success], RECORD_WAITING);
  return after === undefined || after === 'locked' ? { isRecorded: false, next: null } : after;
}

const COLUMNS = {
  endpoint_id: 'text',
  epoch: 'bigint',
  delivery_id: 'text',
  number: 'integer',
  duration_ms: 'integer',
  response_status: 'integer',
  ranks: 'text',
};

/** @param lock `skip locked` leaves out locked endpoints and deliveries; an empty text waits for them */
function recordStatement(lock: 'skip locked' | ''): BatchStatement {
  return batchStatement(
    COLUMNS,
    (asked) => `with endpoint as (
      select ${LEASE_COLUMNS}, w.lease_epoch, w.status = 'enabled' as enabled, asked.epoch, asked.delivery_id, asked.number,
        asked.duration_ms, asked.response_status, string_to_array(asked.ranks, ',')::integer[] as ranks
      from ${asked} join webhook_endpoints w on w.id = asked.endpoint_id
        join webhook_deliveries d on d.id = asked.delivery_id
      for no key update of w, d ${lock}
    ), attempt as (
      update webhook_attempts a set duration_ms = endpoint.duration_ms, response_status = endpoint.response_status
      from endpoint where a.delivery_id = endpoint.delivery_id and a.number = endpoint.number and ${IS_OPEN}
      returning a.delivery_id
    ), lease as (
      select endpoint.*, attempt.delivery_id is not null as is_written, $11::text[] as key_ids,
        endpoint.delivery_id as recorded_id, lease_epoch = epoch and enabled and attempt.delivery_id is not null as is_leased
      from endpoint left join attempt on attempt.delivery_id = endpoint.delivery_id
    ), ${START_WAITING}, counted as (
      update webhook_endpoints w set consecutive_exhausted = 0,
        lease_until = case
          when not is_leased then w.lease_until
          when not is_released then coalesce($2, clock_timestamp()) + make_interval(secs => $10) end
      from due where w.id = due.id and is_written
    ), delivery as (
      update webhook_deliveries d set status = '${stateAfter(DELIVERY, 'succeed')}', due_at = null, delivered_at = $1,
        last_response_status = due.response_status, last_error = null
      from due where d.id = due.recorded_id and is_written and d.status ${IS_STILL_WAITING}
    )
    select due.id, is_written as "isRecorded", is_leased as "isLeased", ${STARTED_COLUMNS}
    from due left join started on started.endpoint_id = due.id`,
  );
}

/** Exported for the test of its plans. */
export const RECORD = recordStatement('skip locked');
const RECORD_WAITING = recordStatement('');

type Row = StartRow & { id: string; isRecorded: boolean; isLeased: boolean };

/** Runs the statement. Returns `locked` for successes whose endpoint or delivery is locked. */
async function record(
  scope: Scope,
  leaseMs: number,
  successes: readonly Success[],
  statement: BatchStatement,
): Promise<(AfterSuccess | 'locked')[]> {
  const validUntilMs = performance.now() + leaseMs;
  const { clock, keyring } = scope;
  const items = successes.map(({ lease: { endpointId, epoch }, attempt: { deliveryId, number }, result, ranks }) => [
    endpointId,
    epoch,
    deliveryId,
    number,
    result.durationMs,
    result.responseStatus,
    ranks.join(),
  ]);
  const { text, values } = bindItems(statement, items, BATCH_SUCCESSES);
  const rows = await sql<Row>(
    scope.em,
    text,
    [clock.now(), clock.shared(), ...values, leaseMs / 1000, keyIdsOf(keyring)],
    { keepPlan: true },
  );
  const recorded = new Map(rows.map((row) => [row.id, row]));
  return successes.map(({ lease }) => {
    const row = recorded.get(lease.endpointId);
    if (row === undefined) return 'locked';
    if (!row.isRecorded) return { isRecorded: false, next: null };
    return { isRecorded: true, next: row.isLeased ? applyStart(lease, validUntilMs, row) : null };
  });
}

/** Removes an attempt that was recorded but not sent, so that it does not count for its delivery run. */
export async function removeUnsentAttempt(scope: Scope, attempt: StartedAttempt): Promise<void> {
  await sql(
    scope.em,
    `with removed as (
       delete from webhook_attempts where delivery_id = $1 and number = $2 and duration_ms is null returning delivery_id
     )
     update webhook_deliveries d set attempt_count = attempt_count - 1, run_attempts = run_attempts - 1,
       last_attempt_at = (select max(started_at) from webhook_attempts a where a.delivery_id = d.id and a.number < $2)
     from removed where d.id = removed.delivery_id`,
    [attempt.deliveryId, attempt.number],
  );
}

/**
 * Records a failed attempt, and sets the time of the next attempt or ends the delivery run. The end of an automatic run counts
 * towards disabling the endpoint. At a disabled endpoint, a delivery that could be retried ends as `skipped`. Locks the endpoint's
 * row first, so that disabling it misses no delivery.
 *
 * @param delayMs wait until the next attempt; null to end the delivery run
 * @returns the delivery's status, and the time of the next attempt if there is one. `disabled` replaces the status if this was
 *   the twentieth exhausted event in a row, which disabled the endpoint. Only one of several racing workers gets it. `stale`
 *   replaces the status if the attempt already had an outcome
 */
export function recordFailure(
  scope: Scope,
  attempt: Pick<StartedAttempt, 'deliveryId' | 'endpointId' | 'number'>,
  result: AttemptResult,
  delayMs: number | null,
): Promise<{ result: AfterRecording; retryAt: Date | null }> {
  return inTransaction(scope, async (scope) => {
    const { deliveryId, endpointId, number } = attempt;
    const { durationMs, responseStatus, error, retryAfterSeconds } = result;
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
         returning a.delivery_id
       ), delivery as (
         update webhook_deliveries d set
           status = case when endpoint.enabled then $8 else $9 end,
           due_at = case when endpoint.enabled then $7::timestamptz end,
           rank = case d.delivery_run when 'replay' then 2 else 1 end,
           last_response_status = $5, last_error = $6
         from attempt, endpoint
         where d.id = attempt.delivery_id and d.status ${IS_STILL_WAITING}
         returning d.payment_link_id, d.delivery_run, d.status
       )
       select status, $7::timestamptz is null and delivery_run = 'automatic' and payment_link_id is not null as counts from delivery`,
      [
        endpointId,
        deliveryId,
        number,
        durationMs,
        responseStatus,
        error,
        retryAt,
        whileEnabled,
        onceDisabled,
        retryAfterSeconds,
      ],
      { keepPlan: true },
    );
    if (row === undefined) return { result: 'stale', retryAt: null };
    if (row.status === 'retrying') return { result: row.status, retryAt };
    const isDisabled = row.counts && (await countExhausted(scope, endpointId, deliveryId));
    return { result: isDisabled ? 'disabled' : row.status, retryAt: null };
  });
}

/** Reports a recorded attempt for metrics and traces. The id of an event contains the time from which its age counts. */
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
