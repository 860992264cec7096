import { recordOwnAct } from '../../audit/record.ts';
import type { Repair } from '../../base/invariant.ts';
import type { Scope } from '../../base/scope.ts';
import { statesBefore } from '../../base/state-machine.ts';
import { sql } from '../../database/query/sql.ts';
import { inTransaction } from '../../database/query/transaction.ts';
import { ENQUEUE_REPAIR } from '../../jobs/wake-up.ts';
import { DELIVERY } from '../model/transitions.ts';

/** Minutes after which a lease is no lease. WEBHOOK_TIMEOUT_MS allows 65 seconds at most. */
export const MOST_LEASE_MINUTES = 5;

const PRESENT = 'coalesce($2::timestamptz, clock_timestamp())';

/** Returns the repair of deliveries that are due and wait for a worker. A worker that runs takes the job at once. */
export function wakeUpRepair(endpointId: string, practiceId: string): Repair {
  return {
    does: 'add a wake-up job for the endpoint; a running worker then delivers',
    run: (scope) =>
      repairEndpoint(
        scope,
        { endpointId, practiceId, invariant: 'deliveries_are_attempted_when_due' },
        `select ${ENQUEUE_REPAIR} from (
           select id as endpoint_id from webhook_endpoints w where id = $1 and deleted_at is null
             and (lease_until is null or lease_until <= ${PRESENT})
             and exists (select from webhook_deliveries d where d.endpoint_id = w.id and d.status = any ($3)
               and d.rank = any ('{0,1,2}') and d.due_at <= ${PRESENT})
             and not exists (select from graphile_worker.jobs j where j.key = 'repair ' || w.id
               and j.locked_at is null and j.attempts < j.max_attempts)
         ) as waiting`,
        [statesBefore(DELIVERY, 'succeed')],
      ),
  };
}

/**
 * Returns the repair of a lease that outlives every attempt. Nothing is lost if its worker lives: the next claim has another
 * epoch, and an older one writes nothing.
 */
export function leaseRepair(endpointId: string, practiceId: string): Repair {
  return {
    does: 'end the lease and add a wake-up job for the endpoint; a running worker then delivers',
    run: (scope) =>
      repairEndpoint(
        scope,
        { endpointId, practiceId, invariant: 'leases_end_in_time' },
        `with ended as (
           update webhook_endpoints set lease_until = null
           where id = $1 and lease_until > ${PRESENT} + make_interval(mins => $3) returning id as endpoint_id
         )
         select ${ENQUEUE_REPAIR} from ended`,
        [MOST_LEASE_MINUTES],
      ),
  };
}

/** Runs the statement, and records the repair if the statement returns a row. */
function repairEndpoint(
  scope: Scope,
  { endpointId: id, practiceId, invariant }: { endpointId: string; practiceId: string; invariant: string },
  text: string,
  values: readonly [number | readonly string[]],
): Promise<boolean> {
  return inTransaction(scope, async (scope) => {
    const rows = await sql(scope.em, text, [id, scope.clock.shared(), ...values]);
    if (rows.length === 0) return false;
    const target = { kind: 'webhook_endpoint', id };
    recordOwnAct(scope, { practiceId, action: 'data.repaired', target, after: { invariant } });
    return true;
  });
}
