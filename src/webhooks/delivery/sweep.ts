import type { Scope } from '../../base/scope.ts';
import { statesBefore } from '../../base/state-machine.ts';
import { sql } from '../../database/query/sql.ts';
import { DELIVERY } from '../model/transitions.ts';

/** Endpoints per statement. */
const BATCH = 1000;

/**
 * Returns the ids of all endpoints that have a due delivery and no lease; the sweep wakes them up. Reads a batch at a time.
 * Looks each endpoint up by its own index ranges, one per rank. So the cost does not depend on the number of deliveries
 * that wait at an endpoint.
 */
export async function* endpointsWithDueDeliveries(newScope: () => Scope): AsyncGenerator<string> {
  let after = '';
  for (;;) {
    const scope = newScope();
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
      [scope.clock.shared(), statesBefore(DELIVERY, 'succeed'), BATCH, after],
    );
    yield* rows.map(({ id }) => id);
    after = rows.at(-1)?.id ?? after;
    if (rows.length < BATCH) return;
  }
}
