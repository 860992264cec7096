import { firstIdAt } from '../../base/ids.ts';
import type { Scope } from '../../base/scope.ts';
import { sql } from '../../database/query/sql.ts';
import { retentionTimes } from '../model/retention-times.ts';

/*
 * The worker deletes in batches, one statement each. A batch takes a few dozen milliseconds, so locks are short, no
 * statement times out, and the worker can stop between two batches. Batches of several workers take different rows.
 */

/** Deliveries per statement. Their attempts, up to eight per delivery run, are deleted with them. */
const BATCH = 1_000;

/**
 * Deletes deliveries whose retention is over, with their attempts. A delivery that succeeded late is kept for 30 days
 * from its success, even if that is beyond the 90 days. A redelivery or replay ends first, and is kept for 30 days more.
 *
 * @returns true when there may be more.
 */
export async function purgeOldDeliveries(scope: Scope): Promise<boolean> {
  const now = scope.clock.now();
  const { deliveredBefore, createdBefore, attemptedBefore } = retentionTimes(now);
  const delivered = await purge(
    scope,
    `select id from webhook_deliveries where status = 'delivered' and delivered_at < $1
     order by delivered_at limit $2 for update skip locked`,
    [deliveredBefore, BATCH],
  );
  const others = await purge(
    scope,
    `select id from webhook_deliveries where id < $1 and created_at < $2 and status <> 'delivered'
       and (delivery_run = 'automatic' or (due_at is null and coalesce(last_attempt_at, created_at) < $3))
     order by id limit $4 for update skip locked`,
    [firstIdAt('event', createdBefore), createdBefore, attemptedBefore, BATCH],
  );
  return delivered === BATCH || others === BATCH;
}

/**
 * Deletes the deliveries of deleted endpoints, and then the endpoints' rows.
 *
 * @returns true when there may be more.
 */
export async function purgeDeletedEndpoints(scope: Scope): Promise<boolean> {
  const deliveries = await purge(
    scope,
    `select d.id from webhook_endpoints w join webhook_deliveries d on d.endpoint_id = w.id
     where w.deleted_at is not null limit $1 for update of d skip locked`,
    [BATCH],
  );
  const endpoints = await sql(
    scope.em,
    `delete from webhook_endpoints where id in (
       select id from webhook_endpoints w
       where deleted_at is not null and not exists (select from webhook_deliveries d where d.endpoint_id = w.id)
       limit $1 for update skip locked
     ) returning id`,
    [BATCH],
  );
  return deliveries === BATCH || endpoints.length === BATCH;
}

/** Erases former secrets whose 24 hours are over. They no longer sign. @returns true when there may be more. */
export async function forgetFormerSecrets(scope: Scope): Promise<boolean> {
  const forgotten = await sql(
    scope.em,
    `update webhook_endpoints set previous_secret_ciphertext = null, previous_secret_until = null where id in (
       select id from webhook_endpoints where previous_secret_until <= $1
       limit $2 for no key update skip locked
     ) returning id`,
    [scope.clock.now(), BATCH],
  );
  return forgotten.length === BATCH;
}

/** Deletes the deliveries that the query selects, and returns their number. */
async function purge(scope: Scope, ids: string, values: readonly (string | number | Date)[]): Promise<number> {
  const deleted = await sql(scope.em, `delete from webhook_deliveries where id in (${ids}) returning id`, values);
  return deleted.length;
}
