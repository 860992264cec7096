import type { Scope } from '../../platform/base/scope.ts';
import { stateAfter, statesBefore } from '../../platform/base/state-machine.ts';
import { sql } from '../../platform/database/query/sql.ts';
import { WAKE_UP } from '../../platform/jobs/wake-up.ts';
import { MAIL_JOB, MAIL_TRIES } from '../../practices/mail/mail-queue.ts';
import { DELIVERY, DISABLE_AFTER, ENDPOINT } from '../model/transitions.ts';
import { ENDPOINT_MAIL_TASK } from './admin-mail.ts';

/** Exhausted events in a row at which the practice gets a mail. */
const MAILS_AT = [10, 15, DISABLE_AFTER];

/** A statement takes well below a second, so locks are short. */
const SKIP_BATCH_ROWS = 5_000;

/**
 * Writes the changes of an endpoint, and waits for the events that are being published with its former status. Later
 * ones wait for the commit. Call it as the last step of a transaction: changes of many links wait for this lock.
 */
export async function flushAgainstPublishing({ em }: Scope, id: string): Promise<void> {
  await em.flush();
  await sql(em, 'select from webhook_endpoints where id = $1 for update', [id]);
}

/**
 * Skips the waiting deliveries of a disabled endpoint, the most urgent first and at most 5,000. If there may be more,
 * it wakes up the endpoint, and the next round skips the rest. A delivery with an open attempt ends by its outcome. At
 * an enabled endpoint nothing is skipped.
 * @returns true when there may be more
 */
export async function skipWaiting(scope: Scope, endpointId: string): Promise<boolean> {
  const skipped = stateAfter(DELIVERY, 'skip');
  const disabled = stateAfter(ENDPOINT, 'disable');
  const [row] = await sql<{ more: boolean }>(
    scope.em,
    `with waiting as (
       select id from webhook_deliveries d
       where endpoint_id = $1 and status = any ($2)
         and exists (select from webhook_endpoints w where w.id = $1 and w.status = $5)
         and not exists (
           select from webhook_attempts a where a.delivery_id = d.id and a.endpoint_id = $1 and a.duration_ms is null
         )
       order by rank, due_at, id limit $4
     ), skipped as (
       update webhook_deliveries d set status = $3, due_at = null
       from waiting where d.id = waiting.id and d.status = any ($2) returning d.id
     ), wake_up as (
       select ${WAKE_UP} from (select $1::text as endpoint_id where (select count(*) from skipped) >= $4) as endpoint
     )
     select count(*) > 0 as more from wake_up`,
    [endpointId, statesBefore(DELIVERY, 'skip'), skipped, SKIP_BATCH_ROWS, disabled],
  );
  return row?.more ?? false;
}

/**
 * Counts an exhausted event, in the transaction that ends its delivery run. Disables the endpoint at the twentieth in a
 * row, and enqueues the mails. Only one worker moves the counter to a given number, so each mail is enqueued once.
 * @returns true when this event disabled the endpoint
 */
export async function countExhausted(scope: Scope, endpointId: string, deliveryId: string): Promise<boolean> {
  const [row] = await sql<{ disabled: boolean }>(
    scope.em,
    `with counted as (
       update webhook_endpoints set consecutive_exhausted = consecutive_exhausted + 1,
         status = case when consecutive_exhausted + 1 >= $3 then $4 else status end
       where id = $1 and status = 'enabled' returning id, consecutive_exhausted, status
     ), admin_mail as (
       select graphile_worker.add_job('${ENDPOINT_MAIL_TASK}', json_build_object('endpointId', id, 'deliveryId', $2::text,
         'exhaustedInARow', consecutive_exhausted), ${MAIL_JOB}, max_attempts := $6::integer)
       from counted where consecutive_exhausted = any ($5::integer[])
     )
     select status = $4 as disabled, (select count(*) from admin_mail) as queued from counted`,
    [endpointId, deliveryId, DISABLE_AFTER, stateAfter(ENDPOINT, 'disable'), MAILS_AT, MAIL_TRIES],
  );
  if (row?.disabled !== true) return false;
  await skipWaiting(scope, endpointId);
  return true;
}
