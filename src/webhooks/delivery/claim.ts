import type { Scope } from '../../base/scope.ts';
import { keyIdsOf } from '../../base/secrets.ts';
import { BUSY, batched, type LockWait } from '../../database/query/batch.ts';
import { padded } from '../../database/query/plan-hints.ts';
import { sql } from '../../database/query/sql.ts';
import type { ConcurrencyLimiter } from '../../jobs/concurrency-limiter.ts';
import {
  attemptOf,
  HAS_KEY,
  LEASED,
  START_SKIPPING_LOCKED,
  STARTED_COLUMNS,
  type StartedAttempt,
  type StartRow,
} from './attempts.ts';
import type { Lease } from './lease.ts';

/** Request for the lease of an endpoint. */
export interface ClaimRequest {
  endpointId: string;
  /** Order of the ranks, as for `startAttempt`. If empty, no attempt is started. */
  ranks: readonly number[];
}

/** A lease, and the next due attempt, whose start is recorded; `unknown` if none was looked for. */
export interface Claim {
  lease: Lease;
  next: StartedAttempt | 'unknown';
}

/**
 * - `not_claimed`: another worker has the lease, or the endpoint is deleted;
 * - `nothing_due`: the lease was free and stays free.
 */
export type ClaimResult = Claim | 'not_claimed' | 'nothing_due';

/** Maximum number of claims per statement. */
const BATCH = 16;

/** Concurrent statements of one process. Claims that arrive while both are busy share the next statement. */
const CONCURRENCY = 2;

/** Timeout of a statement. It does not wait for locks. */
const STATEMENT_TIMEOUT_MS = 15_000;

/**
 * Creates the function that claims leases for one process. Claims of different endpoints that arrive together share a
 * statement, such as those of wake-up jobs that were fetched together. If an endpoint is locked, its claim waits alone.
 * All statements pass the limiter.
 */
export function createClaimer(
  newScope: () => Scope,
  leaseMs: number,
  limiter: ConcurrencyLimiter,
): (request: ClaimRequest) => Promise<ClaimResult> {
  const run = async (requests: readonly ClaimRequest[], wait: LockWait): Promise<(ClaimResult | typeof BUSY)[]> => {
    if (wait !== 'fully') return limiter.run(() => claimAll(newScope(), leaseMs, requests, CLAIM));
    return Promise.all(requests.map((request) => limiter.run(() => claimLease(newScope(), leaseMs, request))));
  };
  return batched(run, {
    size: BATCH,
    concurrency: CONCURRENCY,
    slotTimeoutMs: STATEMENT_TIMEOUT_MS,
    maxWaitMs: Number.POSITIVE_INFINITY,
    laneOf: ({ endpointId }) => endpointId,
    // The limiter limits their connections.
    lanes: { places: Number.POSITIVE_INFINITY, maxWaitMs: Number.POSITIVE_INFINITY },
  });
}

/**
 * Takes the endpoint's lease for this worker, or increments the wake count for the worker that has it. That worker sees the
 * new count when it releases the lease, or released it before and this claim succeeds: both write one row.
 *
 * The same statement starts the next due attempt at an enabled endpoint without abandoned attempts. If nothing is due
 * there, it does not take the lease. It starts none if this process does not have the key of the endpoint's secret.
 * Waits for the lock of the endpoint.
 */
export async function claimLease(scope: Scope, leaseMs: number, request: ClaimRequest): Promise<ClaimResult> {
  const [result] = await claimAll(scope, leaseMs, [request], CLAIM_WAITING);
  // No row: the endpoint is deleted.
  return result === undefined || result === BUSY ? 'not_claimed' : result;
}

/** @param lock `skip locked` leaves out locked endpoints; '' waits for them */
function claimStatement(lock: 'skip locked' | ''): string {
  return `with asked as (
      select endpoint_id, string_to_array(ranks, ',')::integer[] as ranks, position
      from unnest($3::text[], $4::text[]) with ordinality as a (endpoint_id, ranks, position)
    ), endpoint as (
      select ${LEASED}, w.lease_epoch + 1 as lease_epoch, w.practice_id, w.status = 'enabled' as enabled,
        w.lease_until is null or w.lease_until <= coalesce($2, clock_timestamp()) as is_free,
        (select count(*)::integer from webhook_attempts a where a.endpoint_id = w.id and duration_ms is null) as abandoned,
        asked.ranks, $6::text[] as key_ids, null as recorded_id
      from asked join webhook_endpoints w on w.id = asked.endpoint_id
      where w.deleted_at is null for no key update of w ${lock}
    ), lease as (
      select endpoint.*, is_free and enabled and abandoned = 0 and ${HAS_KEY} as is_leased from endpoint
    ), ${START_SKIPPING_LOCKED}, claimed as (
      update webhook_endpoints w set
        wake_count = w.wake_count + 1,
        lease_epoch = case when is_free then looked.lease_epoch else w.lease_epoch end,
        lease_until = case when is_free then coalesce($2, clock_timestamp()) + make_interval(secs => $5)
          else w.lease_until end
      from looked where w.id = looked.id and not is_released
    )
    select looked.practice_id as "practiceId", is_free as "isFree", lease_epoch as epoch, enabled, abandoned,
      secret_ciphertext as "leaseSecret", ${STARTED_COLUMNS}
    from asked left join looked on looked.id = asked.endpoint_id left join started on started.endpoint_id = looked.id
    where asked.endpoint_id is not null
    order by position`;
}

/** Exported for the test of its plan. */
export const CLAIM = claimStatement('skip locked');
const CLAIM_WAITING = claimStatement('');

type Row =
  | { practiceId: null }
  | (StartRow & {
      practiceId: string;
      isFree: boolean;
      epoch: string;
      enabled: boolean;
      abandoned: number;
      leaseSecret: string;
    });

/** Runs the statement. Returns `BUSY` for endpoints that are locked, deleted or unknown. */
async function claimAll(
  scope: Scope,
  leaseMs: number,
  requests: readonly ClaimRequest[],
  statement: string,
): Promise<(ClaimResult | typeof BUSY)[]> {
  const validUntilMs = performance.now() + leaseMs;
  const rows = await sql<Row>(
    scope.em,
    statement,
    [
      scope.clock.now(),
      scope.clock.shared(),
      padded(requests, BATCH, ({ endpointId }) => endpointId),
      padded(requests, BATCH, ({ ranks }) => ranks.join()),
      leaseMs / 1000,
      keyIdsOf(scope.keyring),
    ],
    { keepPlan: true },
  );
  return requests.map(({ endpointId }, index) => {
    const row = rows[index];
    if (row === undefined || row.practiceId === null) return BUSY;
    if (!row.isFree) return 'not_claimed';
    const { practiceId, epoch, enabled, leaseSecret: secretCiphertext, abandoned } = row;
    const lease = { endpointId, practiceId, epoch, enabled, secretCiphertext, abandoned, validUntilMs };
    const next = attemptOf(lease, validUntilMs, row);
    return next === 'released' ? 'nothing_due' : { lease, next };
  });
}
