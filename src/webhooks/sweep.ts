import type { Scope } from '../base/scope.ts';
import { sql } from '../base/sql.ts';
import { statesBefore } from '../base/state-machine.ts';
import { DELIVERY } from './transitions.ts';

/** Endpoints rung for per sweep; the next sweep takes the next ones. */
const BATCH = 1000;

/**
 * Endpoints that have something due and nobody delivering: what the sweep rings for. Each endpoint is looked up by its
 * own index range, so a long backlog at one of them costs no more than a single delivery.
 */
export async function endpointsWithDueDeliveries(scope: Scope): Promise<string[]> {
  const rows = await sql<{ id: string }>(
    scope.em,
    `select w.id from webhook_endpoints w
     where (w.lease_until is null or w.lease_until <= coalesce($1, clock_timestamp()))
       and exists (select from webhook_deliveries d where d.endpoint_id = w.id and d.status = any ($2) and d.due_at <= $3)
     limit $4`,
    [scope.clock.shared(), statesBefore(DELIVERY, 'succeed'), scope.clock.now(), BATCH],
  );
  return rows.map(({ id }) => id);
}
