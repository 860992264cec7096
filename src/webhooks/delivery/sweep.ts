import type { Scope } from '../../base/scope.ts';
import { statesBefore } from '../../base/state-machine.ts';
import { sql } from '../../database/query/sql.ts';
import { WAKE_UP } from '../../jobs/wake-up.ts';
import { DELIVERY } from '../model/transitions.ts';
import type { Deliverer } from './deliverer.ts';

/**
 * Wakes up each endpoint that has a due delivery and no lease, in all workers. This finds due retries, lost wake-ups, and
 * deliveries whose worker died.
 */
export async function notifyDue(scope: Scope): Promise<void> {
  const endpointIds = await findEndpointsWithDueDeliveries(scope);
  if (endpointIds.length === 0) return;
  await sql(scope.em, `select ${WAKE_UP} from unnest($1::text[]) as endpoint_id`, [endpointIds]);
}

/** Wakes up each endpoint that has a due delivery and no lease in this process. */
export async function wakeUpDue(scope: Scope, deliverer: Deliverer): Promise<void> {
  for (const endpointId of await findEndpointsWithDueDeliveries(scope)) deliverer.wakeUp(endpointId);
}

/**
 * Returns the ids of all endpoints that have a due delivery and no lease. Looks each endpoint up by three index ranges, one per
 * rank. So the cost does not depend on the number of its waiting deliveries.
 */
export async function findEndpointsWithDueDeliveries(scope: Scope): Promise<string[]> {
  const rows = await sql<{ id: string }>(
    scope.em,
    `select w.id from webhook_endpoints w
     where w.deleted_at is null and (w.lease_until is null or w.lease_until <= coalesce($1, clock_timestamp()))
       and exists (
         select from webhook_deliveries d
         where d.endpoint_id = w.id and d.rank = any ('{0,1,2}') and d.status = any ($2)
           and d.due_at <= coalesce($1, statement_timestamp())
       )
     order by w.id`,
    [scope.clock.shared(), statesBefore(DELIVERY, 'succeed')],
  );
  return rows.map(({ id }) => id);
}
