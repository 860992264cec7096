import type { Scope } from '../../base/scope.ts';
import { stateAfter, statesBefore } from '../../base/state-machine.ts';
import { sql } from '../../database/query/sql.ts';
import { ENQUEUE_WAKE_UP } from '../../jobs/wake-up.ts';
import { DELIVERY, DISABLE_AFTER, ENDPOINT } from '../model/transitions.ts';
import { ADMIN_MAIL_TASK } from './admin-mail.ts';

/** How many in a row the practice's administrator is told of: half-way, late, and the end. */
const MAILS_AT = [10, 15, DISABLE_AFTER];

/** Tries of a notice: with the queue's growing waits about three days, after which it is no news any more. */
const MAIL_TRIES = 20;

/** Deliveries skipped by one statement: well below a second, so that no lock lasts and no statement times out. */
const SKIP_BATCH = 5_000;

/**
 * Ends what waits at a disabled endpoint, the most urgent first and at most 5,000; for the rest it rings, and the next
 * round at the endpoint goes on. What is being sent at this moment ends by its own outcome.
 *
 * @returns whether there may be more.
 */
export async function skipWaiting(scope: Scope, endpointId: string): Promise<boolean> {
  const [row] = await sql<{ more: boolean }>(
    scope.em,
    `with waiting as (
       select id from webhook_deliveries d
       where endpoint_id = $1 and status = any ($2)
         and not exists (
           select from webhook_attempts a where a.delivery_id = d.id and a.endpoint_id = $1 and a.duration_ms is null
         )
       order by rank, due_at, id limit $4
     ), skipped as (
       update webhook_deliveries d set status = $3, due_at = null
       from waiting where d.id = waiting.id and d.status = any ($2) returning d.id
     ), wake_up as (
       select ${ENQUEUE_WAKE_UP} from (select $1::text as endpoint_id where (select count(*) from skipped) >= $4) as endpoint
     )
     select count(*) > 0 as more from wake_up`,
    [endpointId, statesBefore(DELIVERY, 'skip'), stateAfter(DELIVERY, 'skip'), SKIP_BATCH],
  );
  return row?.more ?? false;
}

/**
 * Counts an event whose automatic ladder is over, in the transaction that ends it, and switches the endpoint off at the
 * twentieth in a row. The administrator's notices are queued in the same transaction: whoever moves the counter onto a
 * number moves it there once, so each notice is queued once, however many workers race.
 *
 * @returns whether this one switched the endpoint off.
 */
export async function countExhausted(scope: Scope, endpointId: string, deliveryId: string): Promise<boolean> {
  const [row] = await sql<{ disabled: boolean }>(
    scope.em,
    `with counted as (
       update webhook_endpoints set consecutive_exhausted = consecutive_exhausted + 1,
         status = case when consecutive_exhausted + 1 >= $3 then $4 else status end
       where id = $1 and status = 'enabled' returning id, consecutive_exhausted, status
     ), notice as (
       select graphile_worker.add_job('${ADMIN_MAIL_TASK}', json_build_object('endpointId', id, 'deliveryId', $2::text,
         'exhaustedInARow', consecutive_exhausted), max_attempts := $6::integer)
       from counted where consecutive_exhausted = any ($5::integer[])
     )
     select status = $4 as disabled, (select count(*) from notice) as queued from counted`,
    [endpointId, deliveryId, DISABLE_AFTER, stateAfter(ENDPOINT, 'disable'), MAILS_AT, MAIL_TRIES],
  );
  if (row?.disabled !== true) return false;
  await skipWaiting(scope, endpointId);
  return true;
}
