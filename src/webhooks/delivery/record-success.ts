import type { Scope } from '../../base/scope.ts';
import { keyIdsOf } from '../../base/secrets.ts';
import { stateAfter } from '../../base/state-machine.ts';
import { batched, type LockWait } from '../../database/query/batch.ts';
import { type BatchStatement, batchStatement, forItems } from '../../database/query/plan-hints.ts';
import { sql } from '../../database/query/sql.ts';
import type { ConcurrencyLimiter } from '../../jobs/concurrency-limiter.ts';
import { DELIVERY } from '../model/transitions.ts';
import {
  type AttemptResult,
  attemptOf,
  IS_OPEN,
  IS_STILL_WAITING,
  LEASED,
  START_WAITING,
  STARTED_COLUMNS,
  type Started,
  type StartedAttempt,
  type StartRow,
} from './attempts.ts';
import type { Lease } from './lease.ts';

export interface Success {
  lease: Lease;
  attempt: Pick<StartedAttempt, 'deliveryId' | 'number'>;
  result: AttemptResult;
  /** Order of the ranks, as for `startAttempt`. If empty, none is started, and the lease stays. */
  ranks: readonly number[];
}

export interface AfterSuccess {
  /** False when the attempt already had an outcome, or the endpoint is deleted. */
  recorded: boolean;
  /** The next attempt, as from `startAttempt`; null when the lease is lost, the endpoint is disabled, or `recorded` is false. */
  next: Started | null;
}

/** Maximum number of successes per statement. All of them wait for the slowest. */
const BATCH = 16;

/** Concurrent statements of one process. Successes that arrive while all are busy share the next statement. */
const CONCURRENCY = 3;

/**
 * Creates the function that records the successes of one process. Successes of different endpoints that arrive together
 * share a statement. If an endpoint or delivery is locked, its success passes the limiter and waits alone. No success is
 * discarded: a delivery that was sent and is not recorded would be sent again.
 */
export function createSuccessRecorder(
  newScope: () => Scope,
  leaseMs: number,
  limiter: ConcurrencyLimiter,
): (success: Success) => Promise<AfterSuccess> {
  // The next delivery may be the locked row, so a separate statement starts it.
  const alone = (success: Success): Success => ({ ...success, ranks: [] });
  const run = (successes: readonly Success[], wait: LockWait) =>
    record(newScope(), leaseMs, wait === 'briefly' ? successes : successes.map(alone), RECORD);
  const share = batched(run, { size: BATCH, concurrency: CONCURRENCY });
  return async (success) => {
    const after = await share(success);
    if (after !== 'locked') return after;
    return limiter.run(() => recordSuccess(newScope(), leaseMs, alone(success)), 'urgent');
  };
}

/**
 * Records a success (attempt, delivery, the endpoint's counter), renews the lease and starts the next due attempt. If nothing
 * is due, releases the lease. All is one statement: one round trip and one durable write per successful delivery. Waits for
 * row locks of endpoint and delivery.
 *
 * The attempt's row is written only while it has no outcome. So a worker whose lease was taken over, and whose attempt
 * ended as interrupted, writes nothing. The other writes depend on that write, not on values read before the lock.
 */
export async function recordSuccess(scope: Scope, leaseMs: number, success: Success): Promise<AfterSuccess> {
  const [after] = await record(scope, leaseMs, [success], RECORD_WAITING);
  return after === undefined || after === 'locked' ? { recorded: false, next: null } : after;
}

const COLUMNS = {
  ...{ endpoint_id: 'text', epoch: 'bigint', delivery_id: 'text', number: 'integer', duration_ms: 'integer' },
  ...{ response_status: 'integer', ranks: 'text' },
};

/** @param lock `skip locked` leaves out locked endpoints and deliveries; '' waits for them */
function recordStatement(lock: 'skip locked' | ''): BatchStatement {
  return batchStatement(
    COLUMNS,
    (asked) => `with endpoint as (
      select ${LEASED}, w.lease_epoch, w.status = 'enabled' as enabled, asked.epoch, asked.delivery_id, asked.number,
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
      from looked where w.id = looked.id and is_written
    ), delivery as (
      update webhook_deliveries d set status = '${stateAfter(DELIVERY, 'succeed')}', due_at = null, delivered_at = $1,
        last_response_status = looked.response_status, last_error = null
      from looked where d.id = looked.recorded_id and is_written and d.status ${IS_STILL_WAITING}
    )
    select looked.id, is_written as "isRecorded", is_leased as "isLeased", ${STARTED_COLUMNS}
    from looked left join started on started.endpoint_id = looked.id`,
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
    ...[endpointId, epoch, deliveryId, number, result.durationMs, result.responseStatus, ranks.join()],
  ]);
  const { text, values } = forItems(statement, items, BATCH);
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
    if (!row.isRecorded) return { recorded: false, next: null };
    return { recorded: true, next: row.isLeased ? attemptOf(lease, validUntilMs, row) : null };
  });
}
