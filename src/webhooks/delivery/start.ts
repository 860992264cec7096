import type { Limiter, Scope } from '../../base/scope.ts';
import { keyIdsOf } from '../../base/secrets.ts';
import { statesBefore, statesNotBefore } from '../../base/state-machine.ts';
import { createBatcher } from '../../database/query/batch.ts';
import { batchStatement, bindItems } from '../../database/query/plan-hints.ts';
import { sql } from '../../database/query/sql.ts';
import { DELIVERY, type DeliveryStatus } from '../model/transitions.ts';
import type { Lease } from './lease.ts';

/*
 * Start of an attempt: the attempt is recorded before it is sent. The statement that does so also claims the endpoint's lease,
 * renews it, or records the success of the attempt before (record.ts).
 */

/** An attempt that is recorded and about to be sent. */
export interface StartedAttempt {
  deliveryId: string;
  endpointId: string;
  number: number;
  type: string;
  payload: string;
  /** Attempts of this delivery run so far, this one included: 1 to 8. */
  runAttempts: number;
  /** The endpoint's URL at the start of the attempt. So a retry goes to a URL that was changed since. */
  url: string;
  secretCiphertext: string;
  /** Former secret, which also signs for 24 hours after a rotation; null otherwise. */
  previousSecretCiphertext: string | null;
}

function statusList(statuses: readonly DeliveryStatus[]): string {
  return `(${statuses.map((status) => `'${status}'`).join(', ')})`;
}

/**
 * Condition on a waiting delivery's status: `in ('pending', 'retrying')`. Plan hint CONSTANT_STATUS: the plan uses the
 * partial index of waiting deliveries.
 */
const IS_WAITING = `in ${statusList(statesBefore(DELIVERY, 'succeed'))}`;

/**
 * Equivalent of IS_WAITING for statements that find rows by primary key. Plan hint UNINDEXED_CONDITION: it does not match the
 * partial index.
 */
export const IS_STILL_WAITING = `not in ${statusList(statesNotBefore(DELIVERY, 'succeed'))}`;

/*
 * Parts of a statement that looks for due deliveries at several endpoints, and starts the next attempt at each. `lease`
 * locks endpoints and returns the columns LEASE_COLUMNS, and these:
 *
 * - `lease_epoch` and `is_leased`: this process has this lease, or takes it by this statement;
 * - `ranks`: the ranks to look at, in their order; if empty, nothing is looked for;
 * - `key_ids`: the keys of this process; nothing is started at an endpoint whose secret needs another key;
 * - `recorded_id`: the delivery to leave out.
 *
 * `due` returns these columns and the delivery. `started` and `recorded` write the attempt. Each statement adds a part that
 * writes the endpoint, and ends the lease where `is_released` is true.
 *
 * $1 is the present time; $2 is the time of the clock that all processes share, or null.
 */

/** Result of a statement with these parts for one endpoint. */
export type StartRow = { isReleased: boolean } & (StartedAttempt | { deliveryId: null });

/** Columns of the locked endpoint `w`. */
export const LEASE_COLUMNS = `w.id, w.url, w.secret_ciphertext,
  case when w.previous_secret_until > $1 then w.previous_secret_ciphertext end as previous_secret_ciphertext`;

/** Condition on `lease`: this process has the encryption key of the endpoint's secret. */
const HAS_KEY = `split_part(secret_ciphertext, '.', 1) = any (key_ids)`;

/**
 * Returns the common table expressions `due`, `started` and `recorded`.
 *
 * A lease is released if nothing is due. A delivery that is queued at that moment wakes up all workers, this one included.
 *
 * @param lock row lock of the due delivery. `skip locked` skips deliveries that other transactions have locked. An empty text
 *   takes no lock here, so the update waits for theirs
 */
function startWith(lock: 'for no key update skip locked' | ''): string {
  // The most urgent due delivery of each endpoint, in the order of `ranks`.
  const due = `select lease.*, next.id as due_id,
    is_leased and cardinality(ranks) > 0 and next.id is null as is_released
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
  ) as next on true`;
  return `due as (${due}), started as (
    update webhook_deliveries d
    set attempt_count = attempt_count + 1, run_attempts = run_attempts + 1, last_attempt_at = $1
    from due where d.id = due.due_id and d.status ${IS_STILL_WAITING}
    returning d.id, d.practice_id, d.endpoint_id, d.type, d.payload, d.run_attempts, d.attempt_count
  ), recorded as (
    insert into webhook_attempts (delivery_id, practice_id, number, endpoint_id, started_at, lease_epoch)
    select started.id, started.practice_id, attempt_count, endpoint_id, $1, lease_epoch
    from started join due on due.id = started.endpoint_id
  )`;
}

/** Waits for locked deliveries. Locking a delivery first would cost one more write at every success. */
export const START_WAITING = startWith('');

/** Skips locked deliveries, so that a round never waits for them. */
const START_SKIPPING_LOCKED = startWith('for no key update skip locked');

/** Columns of the started attempt, under the names of `StartRow`. */
export const STARTED_COLUMNS = `is_released as "isReleased", url, secret_ciphertext as "secretCiphertext",
  previous_secret_ciphertext as "previousSecretCiphertext", started.id as "deliveryId",
  started.endpoint_id as "endpointId", attempt_count as number, type, payload,
  run_attempts as "runAttempts"`;

/**
 * Result of starting the next attempt:
 * - an attempt: it is recorded and must be sent;
 * - `released`: nothing was due, and the lease is released;
 * - `look_again`: the lease stays, and something may be due.
 */
export type Started = StartedAttempt | 'released' | 'look_again';

/** Extends the lease unless it was released. Returns the result for the round. */
export function applyStart(lease: Lease, validUntilMs: number, row: StartRow): Started {
  if (row.isReleased) return 'released';
  lease.validUntilMs = validUntilMs;
  return row.deliveryId === null ? 'look_again' : row;
}

/**
 * Records the start of the next due attempt and renews the lease, or releases it if nothing is due. All is one statement.
 *
 * @param ranks order in which deliveries are looked at: 0 first attempts, 1 retries and redeliveries, 2 replays
 * @returns null if the lease is lost or the endpoint is disabled
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
       select ${LEASE_COLUMNS}, w.lease_epoch, true as is_leased, $6::integer[] as ranks, $7::text[] as key_ids,
         null as recorded_id
       from webhook_endpoints w where id = $3 and lease_epoch = $4 and status = 'enabled' for no key update
     ), ${START_SKIPPING_LOCKED}, endpoint as (
       update webhook_endpoints w set lease_until =
         case when not is_released then coalesce($2, clock_timestamp()) + make_interval(secs => $5) end
       from due where w.id = due.id
     )
     select ${STARTED_COLUMNS} from due left join started on true`,
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
  return row === undefined ? null : applyStart(lease, validUntilMs, row);
}

/**
 * Finds the attempt that a statement of this lease has started, if the answer of the statement was lost. The attempt was not sent.
 * Call it only while no attempt of the lease is under way.
 *
 * @returns `look_again` if there is no such attempt, or the lease is lost
 */
export async function findStarted(scope: Scope, lease: Lease): Promise<StartedAttempt | 'look_again'> {
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
  return row ?? 'look_again';
}

/** Request for the lease of an endpoint. */
export interface ClaimRequest {
  endpointId: string;
  /** Order of the ranks, as for `startAttempt`. If empty, no attempt is started. */
  ranks: readonly number[];
}

/** A lease, and the next due attempt, whose start is recorded; `look_again` if the claim did not start one. */
export interface Claim {
  lease: Lease;
  next: StartedAttempt | 'look_again';
}

/**
 * Result of a claim:
 * - `not_claimed`: another worker has the lease or takes it now, or the endpoint is deleted;
 * - `nothing_due`: the lease was free and stays free.
 */
export type ClaimResult = Claim | 'not_claimed' | 'nothing_due';

/** Maximum number of claims per statement. */
const BATCH_LEASES = 16;

/** Concurrent statements of one process. Claims that arrive while both are busy share the next statement. */
const CONCURRENCY = 2;

/**
 * Creates the function that claims leases for one process. Claims of different endpoints that arrive together share a
 * statement. All statements pass the limiter.
 */
export function createClaimer(
  scope: Scope,
  leaseMs: number,
  limiter: Limiter,
): (request: ClaimRequest) => Promise<ClaimResult> {
  const run = (requests: readonly ClaimRequest[]) => limiter.run('start', () => claimLeases(scope, leaseMs, requests));
  return createBatcher(run, { size: BATCH_LEASES, concurrency: CONCURRENCY });
}

/**
 * Takes the free leases of endpoints for this worker. All workers hear each wake-up, so an endpoint that is leased or locked is
 * left to the worker that has it.
 *
 * The same statement starts the next due attempt at an enabled endpoint without abandoned attempts. If nothing is due there, it
 * does not take the lease. Without the encryption key of the endpoint's secret, it starts no attempt.
 *
 * @param requests at most sixteen, of different endpoints
 */
export async function claimLeases(
  scope: Scope,
  leaseMs: number,
  requests: readonly ClaimRequest[],
): Promise<ClaimResult[]> {
  const validUntilMs = performance.now() + leaseMs;
  const { clock, keyring } = scope;
  const items = requests.map(({ endpointId, ranks }) => [endpointId, ranks.join()]);
  const { text, values } = bindItems(CLAIM, items, BATCH_LEASES);
  const rows = await sql<Row>(
    scope.em,
    text,
    [clock.now(), clock.shared(), ...values, leaseMs / 1000, keyIdsOf(keyring)],
    { keepPlan: true },
  );
  const claimed = new Map(rows.map((row) => [row.id, row]));
  return requests.map(({ endpointId }) => {
    const row = claimed.get(endpointId);
    if (row === undefined) return 'not_claimed';
    const { practiceId, epoch, enabled: isEnabled, leaseSecret: secretCiphertext, abandoned: abandonedCount } = row;
    const lease = { endpointId, practiceId, epoch, isEnabled, secretCiphertext, abandonedCount, validUntilMs };
    const next = applyStart(lease, validUntilMs, row);
    return next === 'released' ? 'nothing_due' : { lease, next };
  });
}

/** Exported for the test of its plans. */
export const CLAIM = batchStatement(
  { endpoint_id: 'text', ranks: 'text' },
  (asked) => `with endpoint as (
      select ${LEASE_COLUMNS}, w.lease_epoch + 1 as lease_epoch, w.practice_id, w.status = 'enabled' as enabled,
        (select count(*)::integer from webhook_attempts a where a.endpoint_id = w.id and duration_ms is null) as abandoned,
        string_to_array(asked.ranks, ',')::integer[] as ranks, $6::text[] as key_ids, null as recorded_id
      from ${asked}
        join webhook_endpoints w on w.id = asked.endpoint_id
      where w.deleted_at is null and (w.lease_until is null or w.lease_until <= coalesce($2, clock_timestamp()))
      for no key update of w skip locked
    ), lease as (
      select endpoint.*, enabled and abandoned = 0 and ${HAS_KEY} as is_leased from endpoint
    ), ${START_SKIPPING_LOCKED}, claimed as (
      update webhook_endpoints w set lease_epoch = due.lease_epoch,
        lease_until = coalesce($2, clock_timestamp()) + make_interval(secs => $5)
      from due where w.id = due.id and not is_released
    )
    select due.id, due.practice_id as "practiceId", lease_epoch as epoch, enabled, abandoned,
      secret_ciphertext as "leaseSecret", ${STARTED_COLUMNS}
    from due left join started on started.endpoint_id = due.id`,
);

type Row = StartRow & {
  id: string;
  practiceId: string;
  epoch: string;
  enabled: boolean;
  abandoned: number;
  leaseSecret: string;
};
