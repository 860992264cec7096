import type { Limiter, Scope } from '../../platform/base/scope.ts';
import { listKeyIds } from '../../platform/base/secrets.ts';
import { stateAfter } from '../../platform/base/state-machine.ts';
import { createBatcher } from '../../platform/database/query/batch.ts';
import { isLockTimeout } from '../../platform/database/query/errors.ts';
import { type BatchStatement, batchStatement, bindItems } from '../../platform/database/query/plan-hints.ts';
import { sql } from '../../platform/database/query/sql.ts';
import { DELIVERY } from '../model/transitions.ts';
import { type AttemptResult, IS_OPEN } from './record.ts';
import {
  applyStart,
  IS_STILL_WAITING,
  IS_WAITING,
  type Lease,
  type Started,
  type StartedAttempt,
  type StartRow,
} from './start.ts';

export interface Success {
  lease: Lease;
  attempt: Pick<StartedAttempt, 'deliveryId' | 'number'>;
  result: Pick<AttemptResult, 'durationMs' | 'responseStatus'>;
  /** If empty, no attempt is started, and the lease stays. */
  ranks: readonly number[];
  /** Often no other delivery waits for the end of a first attempt. */
  isFirst: boolean;
}

export interface AfterSuccess {
  /** `stale` if the attempt already had an outcome, or the endpoint is deleted. */
  result: 'delivered' | 'stale';
  /** Null if the lease is lost, the endpoint is disabled, or the result is `stale`. */
  next: Started;
}

/** A larger statement would make each success wait longer. */
const BATCH_SUCCESSES = 16;

/** Time for which the success of a first attempt waits for others, to share a statement. */
const GATHER_MS = 20;

/**
 * Creates the function that records the successes of one process. Successes that arrive together share a statement. One
 * that meets a lock passes the limiter and waits alone.
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
  const share = createBatcher(run, { size: BATCH_SUCCESSES, concurrency: 3, gatherMsOf });
  return async (success) => {
    const after = await share(success);
    if (after !== 'locked') return after;
    return limiter.run('record', () => recordSuccess(scope, leaseMs, withoutNext(success)));
  };
}

/**
 * Records a success, renews the lease and starts the next due attempt; releases the lease if nothing is due. It is one
 * statement: one round trip and one durable write. Waits for the rows of endpoint and delivery. A worker whose attempt
 * already ended as interrupted writes nothing.
 */
export async function recordSuccess(scope: Scope, leaseMs: number, success: Success): Promise<AfterSuccess> {
  const [after] = await record(scope, leaseMs, [success], RECORD_WAITING);
  return after === undefined || after === 'locked' ? { result: 'stale', next: null } : after;
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

/**
 * Waits for the next delivery if it is locked: locking it first would cost one more write at every success.
 * @param lock `skip locked` leaves out locked endpoints and deliveries; an empty text waits for them
 */
function recordText(columns: string, lock: 'skip locked' | ''): string {
  return `with endpoint as (
      select w.id, w.url, w.lease_epoch, w.secret_ciphertext,
        case when w.previous_secret_until > $1 then w.previous_secret_ciphertext end as previous_secret_ciphertext,
        w.status = 'enabled' as enabled, split_part(w.secret_ciphertext, '.', 1) = any ($11::text[]) as has_key,
        asked.epoch, asked.delivery_id, asked.number, asked.duration_ms, asked.response_status,
        string_to_array(asked.ranks, ',')::integer[] as ranks
      from ${columns} join webhook_endpoints w on w.id = asked.endpoint_id
        join webhook_deliveries d on d.id = asked.delivery_id
      for no key update of w, d ${lock}
    ), attempt as (
      update webhook_attempts a set duration_ms = endpoint.duration_ms, response_status = endpoint.response_status
      from endpoint where a.delivery_id = endpoint.delivery_id and a.number = endpoint.number and ${IS_OPEN}
      returning a.delivery_id
    ), lease as (
      select endpoint.*, attempt.delivery_id is not null as is_written,
        lease_epoch = epoch and enabled and attempt.delivery_id is not null as is_leased
      from endpoint left join attempt on attempt.delivery_id = endpoint.delivery_id
    ), due as (
      select lease.*, next.id as due_id, is_leased and cardinality(ranks) > 0 and next.id is null as is_released
      from lease left join lateral (
        select d.id from unnest(lease.ranks) with ordinality as ranks (rank, position)
        cross join lateral (
          select d.id from webhook_deliveries d
          where d.endpoint_id = lease.id and d.rank = ranks.rank and ${IS_WAITING}
            and d.due_at <= coalesce($2, statement_timestamp()) and d.id <> lease.delivery_id
          order by d.due_at, d.id limit 1
        ) as d
        where is_leased and has_key
        order by ranks.position limit 1
      ) as next on true
    ), started as (
      update webhook_deliveries d
      set attempt_count = attempt_count + 1, run_attempts = run_attempts + 1, last_attempt_at = $1
      from due where d.id = due.due_id and ${IS_STILL_WAITING}
      returning d.id, d.practice_id, d.endpoint_id, d.type, d.payload, d.run_attempts, d.attempt_count
    ), recorded as (
      insert into webhook_attempts (delivery_id, practice_id, number, endpoint_id, started_at, lease_epoch)
      select started.id, started.practice_id, attempt_count, endpoint_id, $1, lease_epoch
      from started join due on due.id = started.endpoint_id
    ), counted as (
      update webhook_endpoints w set consecutive_exhausted = 0,
        lease_until = case
          when not is_leased then w.lease_until
          when not is_released then coalesce($2, clock_timestamp()) + make_interval(secs => $10) end
      from due where w.id = due.id and is_written
    ), delivery as (
      update webhook_deliveries d set status = '${stateAfter(DELIVERY, 'succeed')}', due_at = null, delivered_at = $1,
        last_response_status = due.response_status, last_error = null
      from due where d.id = due.delivery_id and is_written and ${IS_STILL_WAITING}
    )
    select due.id, is_written as "isRecorded", is_leased as "isLeased", is_released as "isReleased", url,
      secret_ciphertext as "secretCiphertext", previous_secret_ciphertext as "previousSecretCiphertext",
      started.id as "deliveryId", started.endpoint_id as "endpointId", attempt_count as number, type, payload,
      run_attempts as "runAttempts"
    from due left join started on started.endpoint_id = due.id`;
}

/** Exported for the test of its plans. */
export const RECORD = batchStatement(COLUMNS, (columns) => recordText(columns, 'skip locked'));
const RECORD_WAITING = batchStatement(COLUMNS, (columns) => recordText(columns, ''));

type Row = StartRow & { id: string; isRecorded: boolean; isLeased: boolean };

/** Returns `locked` for successes whose endpoint or delivery is locked. */
async function record(
  scope: Scope,
  leaseMs: number,
  successes: readonly Success[],
  statement: BatchStatement,
): Promise<(AfterSuccess | 'locked')[]> {
  const validUntilMs = performance.now() + leaseMs;
  const { clock, keyring } = scope;
  const items = successes.map(({ lease: { endpointId, epoch }, attempt: { deliveryId, number }, result, ranks }) => {
    const { durationMs, responseStatus } = result;
    return [endpointId, epoch, deliveryId, number, durationMs, responseStatus, ranks.join()];
  });
  const { text, values } = bindItems(statement, items, BATCH_SUCCESSES);
  const all = [clock.now(), clock.shared(), ...values, leaseMs / 1000, listKeyIds(keyring)];
  const rows = await sql<Row>(scope.em, text, all, { keepPlan: true });
  const rowsByEndpoint = new Map(rows.map((row) => [row.id, row]));
  return successes.map(({ lease }) => {
    const row = rowsByEndpoint.get(lease.endpointId);
    if (row === undefined) return 'locked';
    if (!row.isRecorded) return { result: 'stale', next: null };
    return { result: 'delivered', next: row.isLeased ? applyStart(lease, validUntilMs, row) : null };
  });
}
