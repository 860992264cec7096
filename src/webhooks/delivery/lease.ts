import type { Scope } from '../../base/scope.ts';
import { sql } from '../../database/query/sql.ts';

/** What the holder of an endpoint's lease knows about it. */
export interface Lease {
  endpointId: string;
  practiceId: string;
  /** Grows with every claim; attempts carry it, and an attempt of an older epoch is nobody's any more. */
  epoch: string;
  /** Wake-up jobs heard so far, for letting go without missing one. */
  wakeCount: string;
  enabled: boolean;
  secretCiphertext: string;
  /** Attempts whose worker died before their outcome was recorded. */
  abandoned: number;
  /** Reading of `performance.now()` up to which the lease certainly holds. */
  holdsUntilMs: number;
}

/**
 * Claims the endpoint for this worker, or rings for whoever holds it. Both are one write to one row: the holder either
 * sees the ring when it lets go, or has let go before and the claim succeeds.
 *
 * @returns null when another worker holds the lease, or the endpoint is gone.
 */
export async function claimLease(scope: Scope, endpointId: string, leaseMs: number): Promise<Lease | null> {
  const startedMs = performance.now();
  const [row] = await sql<{
    id: string;
    practice_id: string;
    claimed: boolean;
    epoch: string;
    wake_count: string;
    enabled: boolean;
    secret_ciphertext: string;
    abandoned: number;
  }>(
    scope.em,
    `with free as (
       select id, lease_until is null or lease_until <= coalesce($2, clock_timestamp()) as free
       from webhook_endpoints where id = $1 and deleted_at is null for no key update
     )
     update webhook_endpoints w set
       wake_count = wake_count + 1,
       lease_epoch = case when free then lease_epoch + 1 else lease_epoch end,
       lease_until = case when free then coalesce($2, clock_timestamp()) + make_interval(secs => $3) else lease_until end
     from free where w.id = free.id
     returning w.id, practice_id, free as claimed, lease_epoch as epoch, wake_count, status = 'enabled' as enabled,
       secret_ciphertext,
       (select count(*)::integer from webhook_attempts a where a.endpoint_id = w.id and duration_ms is null) as abandoned`,
    [endpointId, scope.clock.shared(), leaseMs / 1000],
    { keepPlan: true },
  );
  if (row === undefined || !row.claimed) return null;
  return {
    endpointId: row.id,
    practiceId: row.practice_id,
    epoch: row.epoch,
    wakeCount: row.wake_count,
    enabled: row.enabled,
    secretCiphertext: row.secret_ciphertext,
    abandoned: row.abandoned,
    holdsUntilMs: startedMs + leaseMs,
  };
}

/**
 * Lets go, unless somebody rang since `rung` was read: then there may be something new to deliver and the lease stays.
 *
 * @returns whether the lease is given up (or was lost before).
 */
export async function releaseLease(scope: Scope, lease: Lease): Promise<boolean> {
  const [row] = await sql<{ wake_count: string; released: boolean }>(
    scope.em,
    `update webhook_endpoints set lease_until = case when wake_count = $3 then null else lease_until end
     where id = $1 and lease_epoch = $2
     returning wake_count, lease_until is null as released`,
    [lease.endpointId, lease.epoch, lease.wakeCount],
    { keepPlan: true },
  );
  if (row === undefined || row.released) return true;
  lease.wakeCount = row.wake_count;
  return false;
}

/** Gives the lease up at once, whoever rang: the worker is stopping. */
export async function dropLease(scope: Scope, lease: Lease): Promise<void> {
  await sql(scope.em, 'update webhook_endpoints set lease_until = null where id = $1 and lease_epoch = $2', [
    lease.endpointId,
    lease.epoch,
  ]);
}
