import type { Scope } from '../../base/scope.ts';
import { statesBefore } from '../../base/state-machine.ts';
import { sql } from '../../database/query/sql.ts';
import { WAKE_UP } from '../../jobs/wake-up.ts';
import { DELIVERY } from '../model/transitions.ts';
import type { Deliverer } from './deliverer.ts';

const BATCH_ENDPOINTS = 1000;

/**
 * Wakes up each endpoint that has a due delivery and no lease, in all workers. This finds due retries, lost wake-ups, and
 * deliveries whose worker died.
 *
 * @param shouldContinue called before each batch; false ends the run
 */
export async function notifyDue(scope: Scope, shouldContinue: () => boolean): Promise<void> {
  for await (const endpointIds of findEndpointsWithDueDeliveries(scope)) {
    if (!shouldContinue()) return;
    await sql(scope.em, `select ${WAKE_UP} from unnest($1::text[]) as endpoint_id`, [endpointIds]);
  }
}

/** Wakes up each endpoint that has a due delivery and no lease in this process. */
export async function wakeUpDue(scope: Scope, deliverer: Deliverer): Promise<void> {
  for await (const endpointIds of findEndpointsWithDueDeliveries(scope)) {
    for (const endpointId of endpointIds) deliverer.wakeUp(endpointId);
  }
}

/**
 * Returns the ids of all endpoints that have a due delivery and no lease, a batch at a time. Looks each endpoint up by three
 * index ranges, one per rank. So the cost does not depend on the number of its waiting deliveries.
 */
export async function* findEndpointsWithDueDeliveries(scope: Scope): AsyncGenerator<string[]> {
  let after = '';
  for (;;) {
    const rows = await sql<{ id: string }>(
      scope.em,
      `select w.id from webhook_endpoints w
       where w.id > $4 and w.deleted_at is null
         and (w.lease_until is null or w.lease_until <= coalesce($1, clock_timestamp()))
         and exists (
           select from webhook_deliveries d
           where d.endpoint_id = w.id and d.rank = any ('{0,1,2}') and d.status = any ($2)
             and d.due_at <= coalesce($1, statement_timestamp())
         )
       order by w.id limit $3`,
      [scope.clock.shared(), statesBefore(DELIVERY, 'succeed'), BATCH_ENDPOINTS, after],
    );
    if (rows.length > 0) yield rows.map(({ id }) => id);
    after = rows.at(-1)?.id ?? after;
    if (rows.length < BATCH_ENDPOINTS) return;
  }
}
