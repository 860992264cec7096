import type { Scope } from '../../base/scope.ts';
import { keyIdsOf } from '../../base/secrets.ts';
import { stateAfter, statesBefore, statesNotBefore } from '../../base/state-machine.ts';
import { sql } from '../../database/query/sql.ts';
import { inTransaction } from '../../database/query/transaction.ts';
import { countExhausted } from '../endpoints/disable.ts';
import { DELIVERY, type DeliveryStatus } from '../model/transitions.ts';
import type { SendError } from '../send/send.ts';
import type { Lease } from './lease.ts';

/** An attempt that is recorded and about to be sent. */
export interface StartedAttempt {
  deliveryId: string;
  endpointId: string;
  number: number;
  type: string;
  payload: string;
  /** Attempts of this delivery run so far, this one included: 1 to 8. */
  runAttempts: number;
  /** The endpoint's URL when the attempt started, so a retry goes to the present one. */
  url: string;
  secretCiphertext: string;
  /** Signs in addition to the newest secret for 24 hours after a rotation; null otherwise. */
  previousSecretCiphertext: string | null;
}

/** Result of a delivery attempt; `error` null means a 2xx, `interrupted` means that its worker lost the lease. */
export interface AttemptResult {
  durationMs: number;
  responseStatus: number | null;
  error: SendError | 'interrupted' | null;
}

/** Result of a failed attempt, with the wait that a 429 or 503 asked for. */
export interface FailedResult extends AttemptResult {
  retryAfterSeconds: number | null;
}

/** Consequence of a failed attempt: the time of the next one, or the end of the delivery run. */
export type AfterFailure = { retryAt: Date } | 'exhausted';

/** Result of recording a failed attempt: the delivery's status afterwards, or as `recordFailure` says. */
export type AfterRecording = DeliveryStatus | 'disabled' | 'stale';

function constants(statuses: readonly DeliveryStatus[]): string {
  return `(${statuses.map((status) => `'${status}'`).join(', ')})`;
}

/**
 * Condition on a waiting delivery's status: `in ('pending', 'retrying')`. Plan hint CONSTANT_STATUS: the plan uses the
 * partial index of waiting deliveries.
 */
const IS_WAITING = `in ${constants(statesBefore(DELIVERY, 'succeed'))}`;

/**
 * Equivalent of IS_WAITING for statements that find rows by primary key. Plan hint UNINDEXED_CONDITION: it does not match the
 * partial index.
 */
export const IS_STILL_WAITING = `not in ${constants(statesNotBefore(DELIVERY, 'succeed'))}`;

/** Condition on an attempt `a` without an outcome. Plan hint UNINDEXED_CONDITION: it does not match the partial index. */
export const IS_OPEN = 'coalesce(a.duration_ms, -1) = -1';

/*
 * Parts of a statement that looks for due deliveries at several endpoints, and starts the next attempt at each. `lease`
 * locks endpoints and returns the columns LEASED, and these:
 *
 * - `lease_epoch` and `is_leased`: this process has this lease, or takes it by this statement;
 * - `ranks`: the ranks to look at, in their order; if empty, nothing is looked for;
 * - `key_ids`: the keys of this process; nothing is started at an endpoint whose secret needs another key;
 * - `recorded_id`: the delivery to leave out.
 *
 * `looked` returns these columns, and what is due. `started` and `recorded` write the attempt. The statement has a part of
 * its own that writes the endpoint. Where `is_released`, that part ends the lease.
 *
 * $1 is the present time; $2 is the time of the clock that all processes share, or null.
 */

/** Result of such a statement for one endpoint. */
export type StartRow = { isReleased: boolean } & (StartedAttempt | { deliveryId: null });

/** Columns of the locked endpoint `w`. */
export const LEASED = `w.id, w.url, w.secret_ciphertext,
  case when w.previous_secret_until > $1 then w.previous_secret_ciphertext end as previous_secret_ciphertext`;

/** Condition on `lease`: this process has the key of the endpoint's secret. */
export const HAS_KEY = `split_part(secret_ciphertext, '.', 1) = any (key_ids)`;

/**
 * Returns the common table expressions `looked`, `started` and `recorded`.
 *
 * A lease is released if nothing is due. A delivery that is queued at that moment wakes up this worker, too.
 *
 * @param lock row lock of the due delivery: `skip locked` passes over deliveries that others have locked. Without a
 *   lock here, the update waits for theirs.
 */
function startWith(lock: 'for no key update skip locked' | ''): string {
  // The most urgent due delivery of each endpoint, in the order of `ranks`.
  const looked = `select lease.*, due.id as due_id,
    is_leased and cardinality(ranks) > 0 and due.id is null as is_released
  from lease left join lateral (
    select d.id from unnest(lease.ranks) with ordinality as ranks (rank, position)
    cross join lateral (
      select d.id from webhook_deliveries d
      where d.endpoint_id = lease.id and d.rank = ranks.rank and d.status ${IS_WAITING}
        and d.due_at <= coalesce($2, statement_timestamp()) and d.id is distinct from lease.recorded_id
      order by d.due_at, d.id limit 1 ${lock}
    ) as d
    where is_leased and ${HAS_KEY}
    order by ranks.position limit 1
  ) as due on true`;
  return `looked as (${looked}), started as (
    update webhook_deliveries d
    set attempt_count = attempt_count + 1, run_attempts = run_attempts + 1, last_attempt_at = $1
    from looked where d.id = looked.due_id and d.status ${IS_STILL_WAITING}
    returning d.id, d.practice_id, d.endpoint_id, d.type, d.payload, d.run_attempts, d.attempt_count
  ), recorded as (
    insert into webhook_attempts (delivery_id, practice_id, number, endpoint_id, started_at, lease_epoch)
    select started.id, started.practice_id, attempt_count, endpoint_id, $1, lease_epoch
    from started join looked on looked.id = started.endpoint_id
  )`;
}

/** Waits for locked deliveries. Locking a delivery first costs a write, and this runs at every success. */
export const START_WAITING = startWith('');

/** Passes over locked deliveries, so that a round never waits for them. */
export const START_SKIPPING_LOCKED = startWith('for no key update skip locked');

/** Columns of the started attempt, under the names of `StartRow`. */
export const STARTED_COLUMNS = `is_released as "isReleased", url, secret_ciphertext as "secretCiphertext",
  previous_secret_ciphertext as "previousSecretCiphertext", started.id as "deliveryId",
  started.endpoint_id as "endpointId", attempt_count as number, type, payload,
  run_attempts as "runAttempts"`;

/**
 * - an attempt: it is recorded and must be sent;
 * - `released`: nothing was due, and the lease is released;
 * - `unknown`: the lease stays, and something may be due.
 */
export type Started = StartedAttempt | 'released' | 'unknown';

export function attemptOf(lease: Lease, validUntilMs: number, row: StartRow): Started {
  if (row.isReleased) return 'released';
  lease.validUntilMs = validUntilMs;
  return row.deliveryId === null ? 'unknown' : row;
}

/**
 * Records the start of the next due attempt and renews the lease, or releases it if nothing is due. All is one statement.
 *
 * @param ranks order in which deliveries are looked at: 0 first attempts, 1 retries and redeliveries, 2 replays
 * @returns null when the lease is lost or the endpoint is disabled
 */
export async function startAttempt(
  scope: Scope,
  lease: Lease,
  leaseMs: number,
  ranks: readonly number[],
): Promise<Started | null> {
  const validUntilMs = performance.now() + leaseMs;
  const [row] = await sql<StartRow>(
    scope.em,
    `with lease as (
       select ${LEASED}, w.lease_epoch, true as is_leased, $6::integer[] as ranks, $7::text[] as key_ids,
         null as recorded_id
       from webhook_endpoints w where id = $3 and lease_epoch = $4 and status = 'enabled' for no key update
     ), ${START_SKIPPING_LOCKED}, endpoint as (
       update webhook_endpoints w set lease_until =
         case when not is_released then coalesce($2, clock_timestamp()) + make_interval(secs => $5) end
       from looked where w.id = looked.id
     )
     select ${STARTED_COLUMNS} from looked left join started on true`,
    [
      scope.clock.now(),
      scope.clock.shared(),
      lease.endpointId,
      lease.epoch,
      leaseMs / 1000,
      ranks,
      keyIdsOf(scope.keyring),
    ],
    { keepPlan: true },
  );
  return row === undefined ? null : attemptOf(lease, validUntilMs, row);
}

/**
 * Finds the attempt that a statement of this lease recorded while its result was lost. It was never sent. Call it only
 * while no attempt of the lease is under way.
 *
 * @returns `unknown` when there is none, or the lease is lost
 */
export async function findStarted(scope: Scope, lease: Lease): Promise<StartedAttempt | 'unknown'> {
  const [row] = await sql<StartedAttempt>(
    scope.em,
    `select w.url, w.secret_ciphertext as "secretCiphertext",
       case when w.previous_secret_until > $3 then w.previous_secret_ciphertext end as "previousSecretCiphertext",
       d.id as "deliveryId", d.endpoint_id as "endpointId", a.number, d.type, d.payload,
       d.run_attempts as "runAttempts"
     from webhook_endpoints w
     join webhook_attempts a on a.endpoint_id = w.id and a.lease_epoch = w.lease_epoch and a.duration_ms is null
     join webhook_deliveries d on d.id = a.delivery_id
     where w.id = $1 and w.lease_epoch = $2 and w.status = 'enabled'`,
    [lease.endpointId, lease.epoch, scope.clock.now()],
  );
  return row ?? 'unknown';
}

/** Removes an attempt that was recorded but not sent, so that it does not count among the eight. */
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
 * Records a failed attempt, and sets the next attempt of the retry schedule or ends the delivery run. The end counts
 * towards disabling the endpoint. If the endpoint is disabled by now, the delivery ends as `skipped`. Locks the
 * endpoint's row first, so that disabling it happens either before or after, and misses no delivery.
 *
 * @returns the delivery's status. `disabled` when this exhausted event was the twentieth in a row and disabled the endpoint; of
 *   several racing workers exactly one gets it. `stale` when the attempt already had an outcome.
 */
export function recordFailure(
  scope: Scope,
  attempt: Pick<StartedAttempt, 'deliveryId' | 'endpointId' | 'number'>,
  result: FailedResult,
  after: AfterFailure,
): Promise<AfterRecording> {
  return inTransaction(scope, async ({ em }) => {
    const { deliveryId, endpointId, number } = attempt;
    const { durationMs, responseStatus, error, retryAfterSeconds } = result;
    const retryAt = after === 'exhausted' ? null : after.retryAt;
    const [whileEnabled, onceDisabled] = nextStatuses(after);
    const [row] = await sql<{ counts: boolean; status: DeliveryStatus }>(
      em,
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
         returning d.type, d.delivery_run, d.status
       )
       select status, $7::timestamptz is null and delivery_run = 'automatic' and type <> 'ping' as counts from delivery`,
      [
        ...[endpointId, deliveryId, number, durationMs, responseStatus, error],
        ...[retryAt, whileEnabled, onceDisabled, retryAfterSeconds],
      ],
      { keepPlan: true },
    );
    if (row === undefined) return 'stale';
    return row.counts && (await countExhausted({ ...scope, em }, endpointId, deliveryId)) ? 'disabled' : row.status;
  });
}

/** Returns the delivery's next status at an enabled endpoint, and at one that is disabled by now. */
function nextStatuses(after: AfterFailure): [DeliveryStatus, DeliveryStatus] {
  const exhausted = stateAfter(DELIVERY, 'exhaust');
  return after === 'exhausted' ? [exhausted, exhausted] : [stateAfter(DELIVERY, 'fail'), stateAfter(DELIVERY, 'skip')];
}
