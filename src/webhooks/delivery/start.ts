import type { Limiter, Scope } from '../../platform/base/scope.ts';
import { listKeyIds } from '../../platform/base/secrets.ts';
import { statesBefore } from '../../platform/base/state-machine.ts';
import { createBatcher } from '../../platform/database/query/batch.ts';
import { batchStatement, bindItems } from '../../platform/database/query/plan-hints.ts';
import { sql } from '../../platform/database/query/sql.ts';
import { DELIVERY } from '../model/transitions.ts';

/*
 * Start of an attempt: it is recorded before it is sent. A claim starts the first one under its lease. The statement
 * that records a success starts the next one (record-success.ts). Both take the most urgent due delivery in the order
 * of the ranks: 0 first attempts, 1 retries and redeliveries, 2 replays. A delivery that is queued at the moment of a
 * release makes this worker look again, by its notification.
 */

export interface Lease {
  endpointId: string;
  practiceId: string;
  /** Each claim increments it. Attempts of an older epoch are abandoned. */
  epoch: string;
  isEnabled: boolean;
  secretCiphertext: string;
  /** Attempts whose worker lost the lease before it recorded their outcome. */
  abandonedCount: number;
  /** Moment by `performance.now()`. */
  validUntilMs: number;
}

/**
 * Time by which a lease outlasts the attempt's deadline, to record the outcome even in a slow database. An outcome that
 * comes later is lost, and the delivery sent again. After a crash, the endpoint waits this much longer.
 */
export const LEASE_MARGIN_MS = 5_000;

/** Every fourth attempt prefers retries, and every sixteenth replays. */
export function orderRanks(attemptIndex: number): number[] {
  if (attemptIndex % 16 === 15) return [2, 0, 1];
  return attemptIndex % 4 === 3 ? [1, 0, 2] : [0, 1, 2];
}

/** An attempt that is recorded and about to be sent. */
export interface StartedAttempt {
  deliveryId: string;
  endpointId: string;
  number: number;
  type: string;
  payload: string;
  /** Attempts of this delivery run, this one included: 1 to 8. */
  runAttempts: number;
  /** The address of now, so that retries go to a new URL. */
  url: string;
  secretCiphertext: string;
  previousSecretCiphertext: string | null;
}

export type StartRow = { isReleased: boolean; secretCiphertext: string } & (StartedAttempt | { deliveryId: null });

/**
 * Result of starting the next attempt. The attempt is recorded and must be sent. `released`: nothing was due. Null: the
 * lease stays, and something may be due.
 */
export type Started = StartedAttempt | 'released' | null;

/** Extends the lease unless it was released. */
export function applyStart(lease: Lease, validUntilMs: number, row: StartRow): Started {
  if (row.isReleased) return 'released';
  lease.validUntilMs = validUntilMs;
  return row.deliveryId === null ? null : row;
}

/** Plan hint CONSTANT_STATUS: the plan uses the partial index of waiting deliveries. */
export const IS_WAITING = `d.status in ('${statesBefore(DELIVERY, 'succeed').join(`', '`)}')`;

/** The same for rows found by primary key. Plan hint UNINDEXED_CONDITION: it does not match the partial index. */
export const IS_STILL_WAITING = 'd.due_at is not null';

interface ClaimRequest {
  endpointId: string;
  /** If empty, no attempt is started. */
  ranks: readonly number[];
}

export interface Claim {
  lease: Lease;
  /** Null if the claim did not start an attempt. */
  next: StartedAttempt | null;
}

/** Maximum number of claims per statement, and of endpoints per job. */
export const BATCH_LEASES = 16;

/** Creates the function that claims leases for one process. Claims that arrive together share a statement. */
export function createClaimer(scope: Scope, leaseMs: number, limiter: Limiter) {
  const run = (requests: readonly ClaimRequest[]) => limiter.run('start', () => claimLeases(scope, leaseMs, requests));
  return createBatcher(run, { size: BATCH_LEASES, concurrency: 2 });
}

/**
 * Takes the free leases of endpoints, and starts the next due attempt at each that is enabled and has no abandoned
 * attempts. Leaves out endpoints that are leased or locked. If nothing is due, takes no lease. Without the encryption
 * key of the secret, starts no attempt. Exported for the test of its plans.
 */
export const CLAIM = batchStatement(
  { endpoint_id: 'text', ranks: 'text' },
  (columns) => `with endpoint as (
      select w.id, w.practice_id, w.url, w.lease_epoch + 1 as lease_epoch, w.secret_ciphertext,
        case when w.previous_secret_until > $1 then w.previous_secret_ciphertext end as previous_secret_ciphertext,
        w.status = 'enabled' as enabled, string_to_array(asked.ranks, ',')::integer[] as ranks,
        split_part(w.secret_ciphertext, '.', 1) = any ($6::text[]) as has_key,
        (select count(*)::integer from webhook_attempts a where a.endpoint_id = w.id and duration_ms is null) as abandoned
      from ${columns}
        join webhook_endpoints w on w.id = asked.endpoint_id
      where w.deleted_at is null and (w.lease_until is null or w.lease_until <= coalesce($2, clock_timestamp()))
      for no key update of w skip locked
    ), due as (
      select endpoint.*, next.id as due_id,
        enabled and abandoned = 0 and has_key and cardinality(ranks) > 0 and next.id is null as is_released
      from endpoint left join lateral (
        select d.id from unnest(endpoint.ranks) with ordinality as ranks (rank, position)
        cross join lateral (
          select d.id from webhook_deliveries d
          where d.endpoint_id = endpoint.id and d.rank = ranks.rank and ${IS_WAITING}
            and d.due_at <= coalesce($2, statement_timestamp())
          order by d.due_at, d.id limit 1 for no key update skip locked
        ) as d
        where enabled and abandoned = 0 and has_key
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
    ), claimed as (
      update webhook_endpoints w set lease_epoch = due.lease_epoch,
        lease_until = coalesce($2, clock_timestamp()) + make_interval(secs => $5)
      from due where w.id = due.id and not is_released
    )
    select due.id, due.practice_id as "practiceId", lease_epoch as epoch, enabled as "isEnabled",
      abandoned as "abandonedCount", is_released as "isReleased", url, secret_ciphertext as "secretCiphertext",
      previous_secret_ciphertext as "previousSecretCiphertext", started.id as "deliveryId",
      started.endpoint_id as "endpointId", attempt_count as number, type, payload, run_attempts as "runAttempts"
    from due left join started on started.endpoint_id = due.id`,
);

type ClaimRow = StartRow & Omit<Lease, 'endpointId' | 'validUntilMs'> & { id: string };

/** Returns null for each endpoint that another worker has, that is locked or deleted, or that has nothing due. */
export async function claimLeases(
  { em, clock, keyring }: Scope,
  leaseMs: number,
  requests: readonly ClaimRequest[],
): Promise<(Claim | null)[]> {
  const validUntilMs = performance.now() + leaseMs;
  const items = requests.map(({ endpointId, ranks }) => [endpointId, ranks.join()]);
  const { text, values } = bindItems(CLAIM, items, BATCH_LEASES);
  const all = [clock.now(), clock.shared(), ...values, leaseMs / 1000, listKeyIds(keyring)];
  const rows = await sql<ClaimRow>(em, text, all, { keepPlan: true });
  const rowsByEndpoint = new Map(rows.map((row) => [row.id, row]));
  return requests.map(({ endpointId }) => {
    const row = rowsByEndpoint.get(endpointId);
    if (row === undefined) return null;
    const { practiceId, epoch, isEnabled, secretCiphertext, abandonedCount } = row;
    const lease = { endpointId, practiceId, epoch, isEnabled, secretCiphertext, abandonedCount, validUntilMs };
    const next = applyStart(lease, validUntilMs, row);
    return next === 'released' ? null : { lease, next };
  });
}

/** Releases the lease. The next round or the sweep finds what is due. */
export async function releaseLease(scope: Scope, lease: Lease): Promise<void> {
  await sql(scope.em, 'update webhook_endpoints set lease_until = null where id = $1 and lease_epoch = $2', [
    lease.endpointId,
    lease.epoch,
  ]);
}
