import type { Scope } from '../../platform/base/scope.ts';
import { sql } from '../../platform/database/query/sql.ts';

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

/** Releases the lease. The next round or the sweep finds what is due. */
export async function releaseLease(scope: Scope, lease: Lease): Promise<void> {
  await sql(scope.em, 'update webhook_endpoints set lease_until = null where id = $1 and lease_epoch = $2', [
    lease.endpointId,
    lease.epoch,
  ]);
}
