import type { Scope } from '../../base/scope.ts';
import { stateAfter, statesBefore, statesNotBefore } from '../../base/state-machine.ts';
import { sql } from '../../database/query/sql.ts';
import { inTransaction } from '../../database/query/transaction.ts';
import { enqueueWakeUp } from '../../jobs/wake-up.ts';
import { countExhausted } from '../endpoints/disable.ts';
import { DELIVERY, type DeliveryStatus } from '../model/transitions.ts';
import type { SendError } from '../send/send.ts';
import type { Lease } from './lease.ts';

/** An attempt on record and about to be sent. */
export interface StartedAttempt {
  deliveryId: string;
  endpointId: string;
  number: number;
  type: string;
  payload: string;
  /** Which ladder it belongs to; only automatic ones count towards disabling the endpoint. */
  ladder: 'automatic' | 'redelivery' | 'replay';
  /** Attempts of this ladder so far, this one included: 1 to 8. */
  runAttempts: number;
  /** The endpoint's address at this moment: a retry goes to the present one. */
  url: string;
  secretCiphertext: string;
  /** Signs beside the newest one until its 24 hours are over. */
  previousSecretCiphertext: string | null;
}

/** How an attempt ended; `error` null means 2xx, `interrupted` that its worker died. */
export interface AttemptEnding {
  durationMs: number;
  responseStatus: number | null;
  error: SendError | 'interrupted' | null;
}

/** What follows from a failed attempt. */
export type AfterFailure = { retryAt: Date } | 'exhausted';

function constants(statuses: readonly DeliveryStatus[]): string {
  return `(${statuses.map((status) => `'${status}'`).join(', ')})`;
}

/**
 * As constants in the text, `in ('pending', 'retrying')`: as a parameter they could be anything, and a plan that is kept
 * could not rest on the index of just these.
 */
const WAITS = `in ${constants(statesBefore(DELIVERY, 'succeed'))}`;

/**
 * The same, said so that the planner doesn't see it: where rows are found by their primary key, the index of what waits,
 * nearly empty when the plan was made, must not look like the shorter way.
 */
export const STILL_WAITS = `not in ${constants(statesNotBefore(DELIVERY, 'succeed'))}`;

/** Of an attempt `a`: no outcome yet; said so for the same reason. */
export const IS_OPEN = 'coalesce(a.duration_ms, -1) = -1';

/*
 * The parts of a statement that starts the next due attempt at each of some endpoints: `lease` returns the endpoint's
 * columns LEASED, whether it is `held`, the `ranks` to look at and the delivery to leave out (`recorded_id`); `next`
 * finds what is due, `started` and `recorded` put it on record, and the answer has the columns START. $1 is the present
 * time, $2 the time by the clock that all processes share, or null.
 */

/** What such a statement answers for an endpoint. */
export type StartRow = { wakeCount: string } & (StartedAttempt | { deliveryId: null });

export const LEASED = `w.id, w.lease_epoch, w.wake_count, w.url, w.secret_ciphertext,
  case when w.previous_secret_until > $1 then w.previous_secret_ciphertext end as previous_secret_ciphertext`;

/**
 * @param lock what to do about a due delivery that somebody else holds: wait for it, or take the one after it
 */
function startedOf(lock: 'for no key update skip locked' | ''): string {
  // The most urgent due delivery of each lease, by its ranks in their order.
  const next = `select due.id from lease cross join lateral (
    select d.id from unnest(lease.ranks) with ordinality as ranks (rank, position)
    cross join lateral (
      select d.id from webhook_deliveries d
      where d.endpoint_id = lease.id and d.rank = ranks.rank and d.status ${WAITS}
        and d.due_at <= coalesce($2, statement_timestamp()) and d.id is distinct from lease.recorded_id
      order by d.due_at, d.id limit 1 ${lock}
    ) as d
    order by ranks.position limit 1
  ) as due
  where lease.held`;
  return `next as (${next}), started as (
    update webhook_deliveries d
    set attempt_count = attempt_count + 1, run_attempts = run_attempts + 1, last_attempt_at = $1
    from next where d.id = next.id and d.status ${STILL_WAITS}
    returning d.id, d.endpoint_id, d.type, d.payload, d.ladder, d.run_attempts, d.attempt_count
  ), recorded as (
    insert into webhook_attempts (delivery_id, number, endpoint_id, started_at, lease_epoch)
    select started.id, attempt_count, endpoint_id, $1, lease.lease_epoch
    from started join lease on lease.id = started.endpoint_id
  )`;
}

/** Waits for a delivery that somebody else holds: locking it first costs a write, and this runs at every delivery. */
export const STARTED = startedOf('');

/** Passes over deliveries that somebody else holds. */
const STARTED_UNLOCKED = startedOf('for no key update skip locked');

export const START = `wake_count as "wakeCount", url, secret_ciphertext as "secretCiphertext",
  previous_secret_ciphertext as "previousSecretCiphertext", started.id as "deliveryId",
  started.endpoint_id as "endpointId", attempt_count as number, type, payload, ladder,
  run_attempts as "runAttempts"`;

/** Notes what the answer says of the lease. */
export function takeStart(lease: Lease, heldUntilMs: number, row: StartRow): StartedAttempt | 'none' {
  lease.holdsUntilMs = heldUntilMs;
  lease.wakeCount = row.wakeCount;
  return row.deliveryId === null ? 'none' : row;
}

/**
 * Records the start of the next due attempt and renews the lease, in one statement. `ranks` says in which order kinds
 * of deliveries are looked at: 0 first attempts, 1 retries and redeliveries, 2 replays.
 *
 * @returns null when the lease is lost or the endpoint was disabled; `none` when nothing is due.
 */
export async function startAttempt(
  scope: Scope,
  lease: Lease,
  leaseMs: number,
  ranks: readonly number[],
): Promise<StartedAttempt | 'none' | null> {
  const heldUntilMs = performance.now() + leaseMs;
  const [row] = await sql<StartRow>(
    scope.em,
    `with lease as (
       update webhook_endpoints w set lease_until = coalesce($2, clock_timestamp()) + make_interval(secs => $5)
       where id = $3 and lease_epoch = $4 and status = 'enabled'
       returning ${LEASED}, true as held, $6::integer[] as ranks, null as recorded_id
     ), ${STARTED_UNLOCKED}
     select ${START} from lease left join started on true`,
    [scope.clock.now(), scope.clock.shared(), lease.endpointId, lease.epoch, leaseMs / 1000, ranks],
    { keepPlan: true },
  );
  return row === undefined ? null : takeStart(lease, heldUntilMs, row);
}

/**
 * The attempt that a statement of this lease put on record while its answer was lost: it was never sent. To be asked only
 * while nothing is under way.
 *
 * @returns `unknown` when there is none, or the lease is lost
 */
export async function findStarted(scope: Scope, lease: Lease): Promise<StartedAttempt | 'unknown'> {
  const [row] = await sql<StartedAttempt>(
    scope.em,
    `select w.url, w.secret_ciphertext as "secretCiphertext",
       case when w.previous_secret_until > $3 then w.previous_secret_ciphertext end as "previousSecretCiphertext",
       d.id as "deliveryId", d.endpoint_id as "endpointId", a.number, d.type, d.payload, d.ladder,
       d.run_attempts as "runAttempts"
     from webhook_endpoints w
     join webhook_attempts a on a.endpoint_id = w.id and a.lease_epoch = w.lease_epoch and a.duration_ms is null
     join webhook_deliveries d on d.id = a.delivery_id
     where w.id = $1 and w.lease_epoch = $2 and w.status = 'enabled'`,
    [lease.endpointId, lease.epoch, scope.clock.now()],
  );
  return row ?? 'unknown';
}

/** Takes an attempt back that was recorded but could not be signed: it was never sent and must not count. */
export async function removeUnsentAttempt(scope: Scope, attempt: StartedAttempt): Promise<void> {
  await sql(
    scope.em,
    `with gone as (
       delete from webhook_attempts where delivery_id = $1 and number = $2 and duration_ms is null returning delivery_id
     )
     update webhook_deliveries d set attempt_count = attempt_count - 1, run_attempts = run_attempts - 1,
       last_attempt_at = (select max(started_at) from webhook_attempts a where a.delivery_id = d.id and a.number < $2)
     from gone where d.id = gone.delivery_id`,
    [attempt.deliveryId, attempt.number],
  );
}

/**
 * Records a failure and what follows from it: the next attempt by the ladder, or the end of the ladder with its count
 * towards disabling the endpoint. On an endpoint that was disabled meanwhile the delivery ends as `skipped`. The
 * endpoint's row is locked first, so that disabling it comes either before or after, and never past this attempt.
 *
 * @returns `disabled` when this failure was the twentieth in a row and switched the endpoint off; exactly one of
 *   several racing workers gets to see it. `stale` when somebody else had recorded an outcome.
 */
export function recordFailure(
  scope: Scope,
  attempt: Pick<StartedAttempt, 'deliveryId' | 'endpointId' | 'number'>,
  outcome: AttemptEnding,
  after: AfterFailure,
): Promise<'recorded' | 'disabled' | 'stale'> {
  return inTransaction(scope, async ({ em }) => {
    const { deliveryId, endpointId, number } = attempt;
    const { durationMs, responseStatus, error } = outcome;
    const retryAt = after === 'exhausted' ? null : after.retryAt;
    const [whileEnabled, onceDisabled] = endingsOf(after);
    const [row] = await sql<{ counts: boolean }>(
      em,
      `with endpoint as (
         select id, status = 'enabled' as enabled from webhook_endpoints where id = $1 for no key update
       ), attempt as (
         update webhook_attempts a set duration_ms = $4, response_status = $5, error = $6
         from endpoint where a.delivery_id = $2 and a.number = $3 and ${IS_OPEN}
         returning a.delivery_id
       ), delivery as (
         update webhook_deliveries d set
           status = case when endpoint.enabled then $8 else $9 end,
           due_at = case when endpoint.enabled then $7::timestamptz end,
           rank = case d.ladder when 'replay' then 2 else 1 end,
           last_response_status = $5, last_error = $6
         from attempt, endpoint
         where d.id = attempt.delivery_id and d.status ${STILL_WAITS}
         returning d.endpoint_id, d.due_at, d.type, d.ladder
       ), wake_up as (
         select ${enqueueWakeUp('$7::timestamptz')} from delivery where due_at is not null
       )
       select $7::timestamptz is null and ladder = 'automatic' and type <> 'ping' as counts,
         (select count(*) from wake_up) as woken
       from delivery`,
      [endpointId, deliveryId, number, durationMs, responseStatus, error, retryAt, whileEnabled, onceDisabled],
      { keepPlan: true },
    );
    if (row === undefined) return 'stale';
    return row.counts && (await countExhausted({ ...scope, em }, endpointId, deliveryId)) ? 'disabled' : 'recorded';
  });
}

/** What the delivery becomes at an endpoint that is enabled, and at one that was disabled meanwhile. */
function endingsOf(after: AfterFailure): [DeliveryStatus, DeliveryStatus] {
  const exhausted = stateAfter(DELIVERY, 'exhaust');
  return after === 'exhausted' ? [exhausted, exhausted] : [stateAfter(DELIVERY, 'fail'), stateAfter(DELIVERY, 'skip')];
}
