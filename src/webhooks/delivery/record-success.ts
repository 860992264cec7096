import type { Scope } from '../../base/scope.ts';
import { keyIdsOf } from '../../base/secrets.ts';
import { stateAfter } from '../../base/state-machine.ts';
import { batched, type LockWait } from '../../database/query/batch.ts';
import { padded } from '../../database/query/plan-hints.ts';
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

/** A successful attempt that is not yet recorded. */
export interface Success {
  lease: Lease;
  attempt: Pick<StartedAttempt, 'deliveryId' | 'number'>;
  result: AttemptResult;
  /** Order of the ranks, as for `startAttempt`. If empty, none is started, and the lease stays. */
  ranks: readonly number[];
}

/** Result of recording a success, with the next attempt. */
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

/** @param lock `skip locked` leaves out locked endpoints and deliveries; '' waits for them */
function recordStatement(lock: 'skip locked' | ''): string {
  return `with asked as (
      select endpoint_id, epoch, delivery_id, number, duration_ms, response_status, position,
        string_to_array(ranks, ',')::integer[] as ranks
      from unnest($3::text[], $4::bigint[], $5::text[], $6::integer[], $7::integer[], $8::integer[], $9::text[])
        with ordinality as a (endpoint_id, epoch, delivery_id, number, duration_ms, response_status, ranks, position)
    ), endpoint as (
      select ${LEASED}, w.lease_epoch, w.status = 'enabled' as enabled
      from asked join webhook_endpoints w on w.id = asked.endpoint_id join webhook_deliveries d on d.id = delivery_id
      for no key update of w, d ${lock}
    ), attempt as (
      update webhook_attempts a set duration_ms = asked.duration_ms, response_status = asked.response_status
      from asked join endpoint on endpoint.id = asked.endpoint_id
      where a.delivery_id = asked.delivery_id and a.number = asked.number and ${IS_OPEN}
      returning a.delivery_id
    ), lease as (
      select endpoint.*, attempt.delivery_id is not null as is_written, asked.response_status, asked.ranks,
        lease_epoch = epoch and enabled and attempt.delivery_id is not null as is_leased,
        $12::text[] as key_ids, asked.delivery_id as recorded_id
      from asked join endpoint on endpoint.id = asked.endpoint_id
        left join attempt on attempt.delivery_id = asked.delivery_id
    ), ${START_WAITING}, counted as (
      update webhook_endpoints w set consecutive_exhausted = 0,
        lease_until = case
          when not is_leased then w.lease_until
          when not is_released then coalesce($2, clock_timestamp()) + make_interval(secs => $10) end
      from looked where w.id = looked.id and is_written
    ), delivery as (
      update webhook_deliveries d set status = $11, due_at = null, delivered_at = $1,
        last_response_status = looked.response_status, last_error = null
      from looked where d.id = looked.recorded_id and is_written and d.status ${IS_STILL_WAITING}
    )
    select is_written as "isRecorded", is_leased as "isLeased", ${STARTED_COLUMNS}
    from asked left join looked on looked.id = asked.endpoint_id left join started on started.endpoint_id = looked.id
    where asked.endpoint_id is not null
    order by position`;
}

/** Exported for the test of its plan. */
export const RECORD = recordStatement('skip locked');
const RECORD_WAITING = recordStatement('');

type Row = (StartRow & { isRecorded: boolean; isLeased: boolean }) | { isRecorded: null };

/** Runs the statement. Returns `locked` for successes whose endpoint or delivery is locked. */
async function record(
  scope: Scope,
  leaseMs: number,
  successes: readonly Success[],
  statement: string,
): Promise<(AfterSuccess | 'locked')[]> {
  const validUntilMs = performance.now() + leaseMs;
  const column = <Value extends string | number | null>(of: (success: Success) => Value) =>
    padded(successes, BATCH, of);
  const rows = await sql<Row>(
    scope.em,
    statement,
    [
      scope.clock.now(),
      scope.clock.shared(),
      column(({ lease }) => lease.endpointId),
      column(({ lease }) => lease.epoch),
      column(({ attempt }) => attempt.deliveryId),
      column(({ attempt }) => attempt.number),
      column(({ result }) => result.durationMs),
      column(({ result }) => result.responseStatus),
      column(({ ranks }) => ranks.join()),
      leaseMs / 1000,
      stateAfter(DELIVERY, 'succeed'),
      keyIdsOf(scope.keyring),
    ],
    { keepPlan: true },
  );
  return successes.map(({ lease }, index) => {
    const row = rows[index];
    if (row === undefined || row.isRecorded === null) return 'locked';
    if (!row.isRecorded) return { recorded: false, next: null };
    return { recorded: true, next: row.isLeased ? attemptOf(lease, validUntilMs, row) : null };
  });
}
