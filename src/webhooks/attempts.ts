import type { Scope } from '../base/scope.ts';
import { inTransaction } from '../base/scope.ts';
import { sql } from '../base/sql.ts';
import { stateAfter, statesBefore } from '../base/state-machine.ts';
import { countExhausted } from './disabling.ts';
import { ring } from './doorbell.ts';
import type { Lease } from './lease.ts';
import type { SendError } from './send.ts';
import { DELIVERY, type DeliveryStatus } from './transitions.ts';

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
  ladderAttempts: number;
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

const WAITING = statesBefore(DELIVERY, 'succeed');

/**
 * Records the start of the next due attempt and renews the lease, in one statement. `ranks` says in which order kinds
 * of deliveries are looked at: 0 first attempts, 1 retries and redeliveries, 2 replays.
 *
 * What is due is due by the clock that all processes share.
 *
 * @returns null when the lease is lost or the endpoint was disabled; `none` when nothing is due.
 */
export async function startAttempt(
  scope: Scope,
  lease: Lease,
  leaseMs: number,
  ranks: readonly number[],
): Promise<StartedAttempt | 'none' | null> {
  const startedMs = performance.now();
  const now = scope.clock.now();
  const [row] = await sql<{ rung: string } & (StartedAttempt | { deliveryId: null })>(
    scope.em,
    `with lease as (
       update webhook_endpoints set lease_until = coalesce($3, clock_timestamp()) + make_interval(secs => $4)
       where id = $1 and lease_epoch = $2 and status = 'enabled'
       returning id, lease_epoch, rung, url, secret_ciphertext,
         case when previous_secret_until > $5 then previous_secret_ciphertext end as previous_secret_ciphertext
     ), next as (
       select due.id from lease, unnest($6::integer[]) with ordinality as ranks (rank, position)
       cross join lateral (
         select d.id from webhook_deliveries d
         where d.endpoint_id = lease.id and d.rank = ranks.rank and d.status = any ($7)
           and d.due_at <= coalesce($3, statement_timestamp())
         order by d.due_at, d.id limit 1
       ) as due
       order by ranks.position limit 1
     ), started as (
       update webhook_deliveries d
       set attempt_count = attempt_count + 1, ladder_attempts = ladder_attempts + 1, last_attempt_at = $5
       from next where d.id = next.id and d.status = any ($7)
       returning d.id, d.endpoint_id, d.type, d.payload, d.ladder, d.ladder_attempts, d.attempt_count
     ), recorded as (
       insert into webhook_attempts (delivery_id, number, endpoint_id, started_at, lease_epoch)
       select started.id, attempt_count, endpoint_id, $5, lease.lease_epoch from started, lease
     )
     select rung, url, secret_ciphertext as "secretCiphertext",
       previous_secret_ciphertext as "previousSecretCiphertext", started.id as "deliveryId",
       endpoint_id as "endpointId", attempt_count as number, type, payload, ladder, ladder_attempts as "ladderAttempts"
     from lease left join started on true`,
    [lease.endpointId, lease.epoch, scope.clock.shared(), leaseMs / 1000, now, ranks, WAITING],
  );
  if (row === undefined) return null;
  lease.holdsUntilMs = startedMs + leaseMs;
  lease.rung = row.rung;
  if (row.deliveryId === null) return 'none';
  return row;
}

/** Takes an attempt back that was recorded but could not be signed: it was never sent and must not count. */
export async function withdrawAttempt(scope: Scope, attempt: StartedAttempt): Promise<void> {
  await sql(
    scope.em,
    `with gone as (
       delete from webhook_attempts where delivery_id = $1 and number = $2 and duration_ms is null returning delivery_id
     )
     update webhook_deliveries d set attempt_count = attempt_count - 1, ladder_attempts = ladder_attempts - 1,
       last_attempt_at = (select max(started_at) from webhook_attempts a where a.delivery_id = d.id and a.number < $2)
     from gone where d.id = gone.delivery_id`,
    [attempt.deliveryId, attempt.number],
  );
}

/**
 * Records a success: attempt, delivery, and the endpoint's counter, in one statement. The attempt's row is the fence:
 * it is written only while it has no outcome, so a worker that comes back after its lease was taken over, and its
 * attempt declared interrupted, writes nothing.
 *
 * @returns false when somebody else had recorded an outcome, or the endpoint was deleted.
 */
export async function recordSuccess(
  scope: Scope,
  attempt: { deliveryId: string; number: number },
  outcome: AttemptEnding,
): Promise<boolean> {
  const rows = await sql(
    scope.em,
    `with attempt as (
       update webhook_attempts set duration_ms = $3, response_status = $4
       where delivery_id = $1 and number = $2 and duration_ms is null
       returning delivery_id
     ), delivery as (
       update webhook_deliveries d
       set status = $7, due_at = null, delivered_at = $5, last_response_status = $4, last_error = null
       from attempt where d.id = attempt.delivery_id and d.status = any ($6)
       returning endpoint_id
     ), counter as (
       update webhook_endpoints w set consecutive_exhausted = 0
       from delivery where w.id = delivery.endpoint_id and consecutive_exhausted > 0
     )
     select delivery_id from attempt`,
    [
      attempt.deliveryId,
      attempt.number,
      outcome.durationMs,
      outcome.responseStatus,
      scope.clock.now(),
      WAITING,
      stateAfter(DELIVERY, 'succeed'),
    ],
  );
  return rows.length > 0;
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
         from endpoint where a.delivery_id = $2 and a.number = $3 and a.duration_ms is null
         returning a.delivery_id
       ), delivery as (
         update webhook_deliveries d set
           status = case when endpoint.enabled then $9 else $10 end,
           due_at = case when endpoint.enabled then $7::timestamptz end,
           rank = case d.ladder when 'replay' then 2 else 1 end,
           last_response_status = $5, last_error = $6
         from attempt, endpoint
         where d.id = attempt.delivery_id and d.status = any ($8)
         returning d.endpoint_id, d.due_at, d.type, d.ladder
       ), doorbell as (
         select ${ring('$7::timestamptz')} from delivery where due_at is not null
       )
       select $7::timestamptz is null and ladder = 'automatic' and type <> 'ping' as counts,
         (select count(*) from doorbell) as rung
       from delivery`,
      [endpointId, deliveryId, number, durationMs, responseStatus, error, retryAt, WAITING, whileEnabled, onceDisabled],
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
