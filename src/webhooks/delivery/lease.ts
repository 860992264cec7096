import type { Scope } from '../../platform/base/scope.ts';
import { sql } from '../../platform/database/query/sql.ts';

/** The lease of one worker on one endpoint. */
export interface Lease {
  endpointId: string;
  practiceId: string;
  /** Number of the lease; every claim increments it. Attempts of an older epoch are abandoned. */
  epoch: string;
  isEnabled: boolean;
  secretCiphertext: string;
  /** Number of abandoned attempts. Their worker lost the lease before it recorded their outcome. */
  abandonedCount: number;
  /** Time until which the lease is certainly valid, by `performance.now()`. */
  validUntilMs: number;
}

/**
 * Time by which a lease outlasts the attempt's deadline, so that even a slow database can record the outcome. If recording takes
 * longer, the outcome is lost, and the delivery is sent again. After a crash, the endpoint waits this much longer.
 */
export const LEASE_MARGIN_MS = 5_000;

/** Returns the ranks in the order of preference. Every fourth attempt prefers retries, and every sixteenth prefers replays. */
export function orderRanks(attemptIndex: number): number[] {
  if (attemptIndex % 16 === 15) return [2, 0, 1];
  return attemptIndex % 4 === 3 ? [1, 0, 2] : [0, 1, 2];
}

/** Releases the lease, even if deliveries are due. The next round or `enqueue_due_deliveries` finds them. */
export async function releaseLease(scope: Scope, lease: Lease): Promise<void> {
  await sql(scope.em, 'update webhook_endpoints set lease_until = null where id = $1 and lease_epoch = $2', [
    lease.endpointId,
    lease.epoch,
  ]);
}
