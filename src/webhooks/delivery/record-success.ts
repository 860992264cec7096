import type { Scope } from '../../base/scope.ts';
import { stateAfter } from '../../base/state-machine.ts';
import { BUSY, batched, type LockWait } from '../../database/query/batch.ts';
import { sql } from '../../database/query/sql.ts';
import type { ConcurrencyLimiter } from '../../jobs/concurrency-limiter.ts';
import { DELIVERY } from '../model/transitions.ts';
import {
  type AttemptEnding,
  IS_OPEN,
  LEASED,
  START,
  STARTED,
  STILL_WAITS,
  type StartedAttempt,
  type StartRow,
  takeStart,
} from './attempts.ts';
import type { Lease } from './lease.ts';

/** An attempt that succeeded, to be recorded. */
export interface Success {
  lease: Lease;
  attempt: Pick<StartedAttempt, 'deliveryId' | 'number'>;
  ending: AttemptEnding;
  /** As for `startAttempt`; none of them starts nothing, and the next attempt is `unknown`. */
  ranks: readonly number[];
}

/** What came of recording a success, and of looking for the next attempt. */
export interface AfterSuccess {
  /** False when somebody else had recorded an outcome, or the endpoint was deleted. */
  recorded: boolean;
  /** As `startAttempt` answers; `unknown` when it was not looked for, null as well when nothing was recorded. */
  next: StartedAttempt | 'none' | 'unknown' | null;
}

/** Most successes per statement: what one of them waits for all do. */
const BATCH = 16;

/** Statements of one process at once; successes that come meanwhile go together with the next. */
const CONCURRENCY = 3;

/** As long as a statement may take: it rarely waits, for endpoints and deliveries that somebody holds are left out. */
const SLOT_TIMEOUT_MS = 15_000;

/**
 * Records the successes of one process; those of different endpoints that come together share a statement. One whose
 * endpoint or delivery somebody else holds at that moment passes the limiter and waits alone. They are never given up:
 * what was sent and isn't on record would be sent again.
 */
export function createSuccessRecorder(
  newScope: () => Scope,
  leaseMs: number,
  limiter: ConcurrencyLimiter,
): (success: Success) => Promise<AfterSuccess> {
  const run = async (successes: readonly Success[], wait: LockWait): Promise<(AfterSuccess | typeof BUSY)[]> => {
    if (wait === 'briefly') return record(newScope(), leaseMs, successes, RECORD);
    // The delivery that comes next may be what somebody holds: it is left to a statement of its own.
    const alone = successes.map((success) => ({ ...success, ranks: [] }));
    if (wait === 'never') return record(newScope(), leaseMs, alone, RECORD);
    return Promise.all(
      alone.map((success) => limiter.run(() => recordSuccess(newScope(), leaseMs, success), 'urgent')),
    );
  };
  return batched(run, {
    size: BATCH,
    concurrency: CONCURRENCY,
    slotTimeoutMs: SLOT_TIMEOUT_MS,
    maxWaitMs: Number.POSITIVE_INFINITY,
    laneOf: ({ lease }) => lease.endpointId,
    // The limiter bounds their connections.
    lanes: { places: Number.POSITIVE_INFINITY, maxWaitMs: Number.POSITIVE_INFINITY },
  });
}

/**
 * Records a success (attempt, delivery, the endpoint's counter), renews the lease and starts the next due attempt, all in
 * one statement: one round trip and one durable write per delivery that goes well. Waits for whoever holds the endpoint's
 * row or the delivery's.
 *
 * The attempt's row is the fence: it is written only while it has no outcome, so a worker that comes back after its lease
 * was taken over, and its attempt declared interrupted, writes nothing. Everything else hangs on that write, not on what
 * the statement saw before it waited for the endpoint's lock.
 */
export async function recordSuccess(scope: Scope, leaseMs: number, success: Success): Promise<AfterSuccess> {
  const [after] = await record(scope, leaseMs, [success], RECORD_PATIENTLY);
  return after === undefined || after === BUSY ? { recorded: false, next: null } : after;
}

/** @param lock what to do about endpoints and deliveries that somebody else holds */
function recordStatement(lock: 'skip locked' | ''): string {
  return `with asked as (
      select endpoint_id, epoch, delivery_id, number, duration_ms, response_status, position,
        string_to_array(ranks, ',')::integer[] as ranks
      from unnest($3::text[], $4::bigint[], $5::text[], $6::integer[], $7::integer[], $8::integer[], $9::text[])
        with ordinality as a (endpoint_id, epoch, delivery_id, number, duration_ms, response_status, ranks, position)
    ), endpoint as (
      select w.id
      from asked join webhook_endpoints w on w.id = asked.endpoint_id join webhook_deliveries d on d.id = delivery_id
      for no key update of w, d ${lock}
    ), attempt as (
      update webhook_attempts a set duration_ms = asked.duration_ms, response_status = asked.response_status
      from asked join endpoint on endpoint.id = asked.endpoint_id
      where a.delivery_id = asked.delivery_id and a.number = asked.number and ${IS_OPEN}
      returning a.delivery_id
    ), outcome as (
      select asked.*, attempt.delivery_id is not null as is_written
      from asked join endpoint on endpoint.id = asked.endpoint_id
        left join attempt on attempt.delivery_id = asked.delivery_id
    ), lease as (
      update webhook_endpoints w set
        lease_until = case when lease_epoch = epoch and status = 'enabled' and is_written
          then coalesce($2, clock_timestamp()) + make_interval(secs => $10) else lease_until end,
        consecutive_exhausted = case when is_written then 0 else consecutive_exhausted end
      from outcome where w.id = outcome.endpoint_id
      returning ${LEASED}, lease_epoch = epoch and status = 'enabled' and is_written as held, is_written, ranks,
        delivery_id as recorded_id
    ), delivery as (
      update webhook_deliveries d set status = $11, due_at = null, delivered_at = $1,
        last_response_status = outcome.response_status, last_error = null
      from outcome where d.id = outcome.delivery_id and is_written and d.status ${STILL_WAITS}
    ), ${STARTED}
    select is_written as "isRecorded", held, ${START}
    from asked left join lease on lease.id = asked.endpoint_id left join started on started.endpoint_id = asked.endpoint_id
    where asked.endpoint_id is not null
    order by position`;
}

/** Exported for the test of its plan. */
export const RECORD = recordStatement('skip locked');
const RECORD_PATIENTLY = recordStatement('');

type Row = (StartRow & { isRecorded: boolean; held: boolean }) | { isRecorded: null };

/** `BUSY` for those whose endpoint or delivery somebody else holds at this moment. */
async function record(
  scope: Scope,
  leaseMs: number,
  successes: readonly Success[],
  statement: string,
): Promise<(AfterSuccess | typeof BUSY)[]> {
  const heldUntilMs = performance.now() + leaseMs;
  // Filled up to one length: of short arrays the planner would find a plan for so few cheaper than the one it keeps, and
  // plan anew each time, which costs more than the statement.
  const column = <Value extends string | number | null>(of: (success: Success) => Value): (Value | null)[] =>
    Array.from({ length: BATCH }, (_, index) => (successes[index] === undefined ? null : of(successes[index])));
  const rows = await sql<Row>(
    scope.em,
    statement,
    [
      ...[scope.clock.now(), scope.clock.shared()],
      ...[column(({ lease }) => lease.endpointId), column(({ lease }) => lease.epoch)],
      ...[column(({ attempt }) => attempt.deliveryId), column(({ attempt }) => attempt.number)],
      ...[column(({ ending }) => ending.durationMs), column(({ ending }) => ending.responseStatus)],
      ...[column(({ ranks }) => ranks.join()), leaseMs / 1000, stateAfter(DELIVERY, 'succeed')],
    ],
    { keepPlan: true },
  );
  return successes.map(({ lease, ranks }, index) => {
    const row = rows[index];
    if (row === undefined || row.isRecorded === null) return BUSY;
    if (!row.isRecorded) return { recorded: false, next: null };
    const next = row.held ? takeStart(lease, heldUntilMs, row) : null;
    return { recorded: true, next: next === 'none' && ranks.length === 0 ? 'unknown' : next };
  });
}
