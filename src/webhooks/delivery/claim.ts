import type { Scope } from '../../base/scope.ts';
import { keyIdsOf } from '../../base/secrets.ts';
import { sql } from '../../database/query/sql.ts';
import {
  attemptOf,
  LEASED,
  START_SKIPPING_LOCKED,
  STARTED_COLUMNS,
  type StartedAttempt,
  type StartRow,
} from './attempts.ts';
import type { Lease } from './lease.ts';

/** A lease, and the next due attempt, whose start is recorded; `unknown` if none was looked for. */
export interface Claim {
  lease: Lease;
  next: StartedAttempt | 'none' | 'unknown';
}

/**
 * Takes the endpoint's lease for this worker, or increments the wake count for the worker that has it. Both are one write
 * to one row. So the other worker either sees the new count when it releases, or released before and the claim succeeds.
 * With the lease, the same statement starts the next due attempt at an enabled endpoint without abandoned attempts. It
 * starts none if this process does not have the key of the endpoint's secret.
 *
 * @param ranks order of the ranks, as for `startAttempt`; if empty, no attempt is started
 * @returns null when another worker has the lease, or the endpoint is deleted.
 */
export async function claimLease(
  scope: Scope,
  endpointId: string,
  leaseMs: number,
  ranks: readonly number[],
): Promise<Claim | null> {
  const validUntilMs = performance.now() + leaseMs;
  const [row] = await sql<ClaimRow>(
    scope.em,
    CLAIM,
    [scope.clock.now(), scope.clock.shared(), endpointId, leaseMs / 1000, ranks, keyIdsOf(scope.keyring)],
    { keepPlan: true },
  );
  if (row === undefined || !row.isClaimed) return null;
  const { practiceId, epoch, wakeCount, enabled, leaseSecret, abandoned } = row;
  const lease = {
    endpointId,
    practiceId,
    epoch,
    wakeCount,
    enabled,
    secretCiphertext: leaseSecret,
    abandoned,
    validUntilMs,
  };
  const hasLooked = enabled && abandoned === 0 && ranks.length > 0;
  return { lease, next: hasLooked ? attemptOf(lease, validUntilMs, row) : 'unknown' };
}

type ClaimRow = StartRow & {
  practiceId: string;
  isClaimed: boolean;
  epoch: string;
  enabled: boolean;
  leaseSecret: string;
  abandoned: number;
};

const CLAIM = `with endpoint as (
    select id, lease_until is null or lease_until <= coalesce($2, clock_timestamp()) as is_free,
      (select count(*)::integer from webhook_attempts a where a.endpoint_id = $3 and duration_ms is null) as abandoned
    from webhook_endpoints where id = $3 and deleted_at is null for no key update
  ), lease as (
    update webhook_endpoints w set
      wake_count = wake_count + 1,
      lease_epoch = case when is_free then lease_epoch + 1 else lease_epoch end,
      lease_until = case when is_free then coalesce($2, clock_timestamp()) + make_interval(secs => $4) else lease_until end
    from endpoint where w.id = endpoint.id
    returning ${LEASED}, practice_id, is_free as is_claimed, status = 'enabled' as enabled, abandoned,
      is_free and status = 'enabled' and abandoned = 0 as is_leased, $5::integer[] as ranks, $6::text[] as key_ids,
      null as recorded_id
  ), ${START_SKIPPING_LOCKED}
  select lease.practice_id as "practiceId", is_claimed as "isClaimed", lease.lease_epoch as epoch, enabled,
    secret_ciphertext as "leaseSecret", abandoned, ${STARTED_COLUMNS}
  from lease left join started on true`;
