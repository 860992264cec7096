import type { Scope } from '../../base/scope.ts';
import { keyIdsOf } from '../../base/secrets.ts';
import { batched } from '../../database/query/batch.ts';
import { batchStatement, forItems } from '../../database/query/plan-hints.ts';
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
 * - `not_claimed`: another worker has the lease or takes it now, or the endpoint is deleted;
 * - `nothing_due`: the lease was free and stays free.
 */
export type ClaimResult = Claim | 'not_claimed' | 'nothing_due';

/** Maximum number of claims per statement. */
const BATCH = 16;

/** Concurrent statements of one process. Claims that arrive while both are busy share the next statement. */
const CONCURRENCY = 2;

/**
 * Creates the function that claims leases for one process. Claims of different endpoints that arrive together share a
 * statement. All statements pass the limiter.
 */
export function createClaimer(
  newScope: () => Scope,
  leaseMs: number,
  limiter: ConcurrencyLimiter,
): (request: ClaimRequest) => Promise<ClaimResult> {
  const run = (requests: readonly ClaimRequest[]) => limiter.run(() => claimLeases(newScope(), leaseMs, requests));
  return batched(run, { size: BATCH, concurrency: CONCURRENCY });
}

/**
 * Takes the free leases of endpoints for this worker. All workers hear of what is due, so an endpoint that is leased or locked is
 * left to the worker that has it.
 *
 * The same statement starts the next due attempt at an enabled endpoint without abandoned attempts. If nothing is due
 * there, it does not take the lease. It starts none if this process does not have the key of the endpoint's secret.
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
  const { text, values } = forItems(CLAIM, items, BATCH);
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
    const { practiceId, epoch, enabled, leaseSecret: secretCiphertext, abandoned } = row;
    const lease = { endpointId, practiceId, epoch, enabled, secretCiphertext, abandoned, validUntilMs };
    const next = attemptOf(lease, validUntilMs, row);
    return next === 'released' ? 'nothing_due' : { lease, next };
  });
}

/** Exported for the test of its plans. */
export const CLAIM = batchStatement(
  { endpoint_id: 'text', ranks: 'text' },
  (asked) => `with endpoint as (
      select ${LEASED}, w.lease_epoch + 1 as lease_epoch, w.practice_id, w.status = 'enabled' as enabled,
        (select count(*)::integer from webhook_attempts a where a.endpoint_id = w.id and duration_ms is null) as abandoned,
        string_to_array(asked.ranks, ',')::integer[] as ranks, $6::text[] as key_ids, null as recorded_id
      from ${asked}
        join webhook_endpoints w on w.id = asked.endpoint_id
      where w.deleted_at is null and (w.lease_until is null or w.lease_until <= coalesce($2, clock_timestamp()))
      for no key update of w skip locked
    ), lease as (
      select endpoint.*, enabled and abandoned = 0 and ${HAS_KEY} as is_leased from endpoint
    ), ${START_SKIPPING_LOCKED}, claimed as (
      update webhook_endpoints w set lease_epoch = looked.lease_epoch,
        lease_until = coalesce($2, clock_timestamp()) + make_interval(secs => $5)
      from looked where w.id = looked.id and not is_released
    )
    select looked.id, looked.practice_id as "practiceId", lease_epoch as epoch, enabled, abandoned,
      secret_ciphertext as "leaseSecret", ${STARTED_COLUMNS}
    from looked left join started on started.endpoint_id = looked.id`,
);

type Row = StartRow & {
  id: string;
  practiceId: string;
  epoch: string;
  enabled: boolean;
  abandoned: number;
  leaseSecret: string;
};
