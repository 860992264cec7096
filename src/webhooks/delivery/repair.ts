import { auditOwnAct } from '../../audit/audit.ts';
import type { Repair } from '../../base/invariant.ts';
import { sql } from '../../database/query/sql.ts';
import { inTransaction } from '../../database/query/transaction.ts';
import { WAKE_UP } from '../../jobs/wake-up.ts';

/** Minutes after which a lease is no lease. WEBHOOK_TIMEOUT_MS allows 65 seconds at most. */
export const MOST_LEASE_MINUTES = 5;

/**
 * Returns the repair of a lease that outlives every attempt. Nothing is lost if its worker lives: the next claim has another
 * epoch, and an older one writes nothing.
 */
export function leaseRepair(endpointId: string, practiceId: string): Repair {
  return {
    does: 'end the lease and wake up the endpoint; a running worker then delivers',
    run: (scope) =>
      inTransaction(scope, async (scope) => {
        const ended = await sql(
          scope.em,
          `with ended as (
             update webhook_endpoints set lease_until = null
             where id = $1 and lease_until > coalesce($2::timestamptz, clock_timestamp()) + make_interval(mins => $3)
             returning id as endpoint_id
           )
           select ${WAKE_UP} from ended`,
          [endpointId, scope.clock.shared(), MOST_LEASE_MINUTES],
        );
        if (ended.length === 0) return false;
        const target = { kind: 'webhook_endpoint', id: endpointId };
        auditOwnAct(scope, {
          practiceId,
          action: 'data.repaired',
          target,
          after: { invariant: 'leases_end_in_time' },
        });
        return true;
      }),
  };
}
