import { firstIdAt } from '../../base/ids.ts';
import type { Scope } from '../../base/scope.ts';
import { sql } from '../../database/query/sql.ts';
import { DELIVER_TASK } from '../../jobs/wake-up.ts';

/*
 * What the worker deletes, a batch per statement: a few dozen milliseconds each, so that no lock lasts, no statement
 * times out, and a worker that is to stop stops between two of them. Batches of several workers take different rows.
 */

/** Section 6.4 of the interface: after their delivery, those that were delivered. */
const DELIVERED_KEPT_MS = 30 * 86_400_000;

/** After their event, all the others: failed, skipped, and those that still wait. */
const OTHERS_KEPT_MS = 90 * 86_400_000;

/** Deliveries per statement; their attempts go with them, eight to a ladder. */
const BATCH = 1_000;

/**
 * Deletes deliveries whose time is over, with their attempts. What was delivered late is kept for its 30 days from then
 * on, even beyond the 90.
 *
 * @returns whether there may be more.
 */
export async function purgeOldDeliveries(scope: Scope): Promise<boolean> {
  const nowMs = scope.clock.now().getTime();
  const deliveredBefore = new Date(nowMs - DELIVERED_KEPT_MS);
  const createdBefore = new Date(nowMs - OTHERS_KEPT_MS);
  const delivered = await purge(
    scope,
    `select id from webhook_deliveries where status = 'delivered' and delivered_at < $1
     order by delivered_at limit $2 for update skip locked`,
    [deliveredBefore, BATCH],
  );
  const others = await purge(
    scope,
    `select id from webhook_deliveries where id < $1 and created_at < $2 and status <> 'delivered'
     order by id limit $3 for update skip locked`,
    [firstIdAt('event', createdBefore), createdBefore, BATCH],
  );
  return delivered === BATCH || others === BATCH;
}

/**
 * Deletes what is left of deleted endpoints: their deliveries, and last the endpoint itself.
 *
 * @returns whether there may be more.
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

/**
 * Forgets former secrets whose 24 hours are over; nothing is signed with them any more.
 *
 * @returns whether there may be more.
 */
export async function forgetFormerSecrets(scope: Scope): Promise<boolean> {
  const forgotten = await sql(
    scope.em,
    `update webhook_endpoints set previous_secret_ciphertext = null, previous_secret_until = null where id in (
       select id from webhook_endpoints where previous_secret_until <= $1 limit $2 for no key update skip locked
     ) returning id`,
    [scope.clock.now(), BATCH],
  );
  return forgotten.length === BATCH;
}

/**
 * Deletes doorbells whose one try is over and that are still there: their worker died with them in hand, or they failed.
 * The sweep has rung in their place long since. The queue takes a job for lost after four hours, by the database's
 * clock, and lets nobody delete it before.
 *
 * @returns whether there may be more.
 */
export async function purgeDeadWakeUps(scope: Scope): Promise<boolean> {
  const gone = await sql(
    scope.em,
    `select id from graphile_worker.complete_jobs(array(
       select id from graphile_worker.jobs
       where task_identifier = $1 and attempts >= max_attempts
         and coalesce(locked_at, updated_at) < now() - interval '4 hours'
       limit $2
     ))`,
    [DELIVER_TASK, BATCH],
  );
  return gone.length === BATCH;
}

/** Deletes the deliveries that the query names, and says how many. */
async function purge(scope: Scope, ids: string, values: readonly (string | number | Date)[]): Promise<number> {
  const gone = await sql(scope.em, `delete from webhook_deliveries where id in (${ids}) returning id`, values);
  return gone.length;
}
