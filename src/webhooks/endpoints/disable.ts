import type { Scope } from '../../base/scope.ts';
import { stateAfter, statesBefore } from '../../base/state-machine.ts';
import { sql } from '../../database/query/sql.ts';
import { MAIL_JOB, MAIL_TRIES } from '../../mail/mail-queue.ts';
import { DELIVERY, DISABLE_AFTER, ENDPOINT } from '../model/transitions.ts';
import { ENDPOINT_MAIL_TASK } from './admin-mail.ts';

/** Numbers of exhausted events in a row at which the practice's administrator gets a mail. */
const MAILS_AT = [10, 15, DISABLE_AFTER];

/**
 * Skips the waiting deliveries of a disabled endpoint. A delivery with an open attempt ends by its outcome. At an enabled endpoint
 * nothing is skipped: its practice may have enabled it since the caller looked.
 */
export async function skipWaiting(scope: Scope, endpointId: string): Promise<void> {
  await sql(
    scope.em,
    `update webhook_deliveries d set status = $3, due_at = null
     where endpoint_id = $1 and status = any ($2)
       and exists (select from webhook_endpoints w where w.id = $1 and w.status = $4)
       and not exists (
         select from webhook_attempts a where a.delivery_id = d.id and a.endpoint_id = $1 and a.duration_ms is null
       )`,
    [endpointId, statesBefore(DELIVERY, 'skip'), stateAfter(DELIVERY, 'skip'), stateAfter(ENDPOINT, 'disable')],
  );
}

/**
 * Counts an exhausted event of an automatic delivery run, in the transaction that ends it. Disables the endpoint at the
 * twentieth in a row. The same transaction enqueues the admin mails. Only one worker moves the counter to a given number,
 * so each mail is enqueued once.
 *
 * @returns true when this event disabled the endpoint.
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
