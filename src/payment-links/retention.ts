import type { Scope } from '../base/scope.ts';
import { sql } from '../database/query/sql.ts';
import { REMEMBERED_MS } from '../keys/idempotency.ts';

/** Rows per statement. Locks are short, and a worker can stop between two statements. */
const BATCH = 5_000;

/** Time for which daily counts are kept, to explain why a key was refused. */
const COUNTS_KEPT_MS = 7 * 86_400_000;

/** Time for which notifications are kept, to explain the history of a payment. Processors repeat them for days. */
const NOTIFICATIONS_KEPT_MS = 90 * 86_400_000;

/**
 * Deletes stored replies older than 24 hours. They are not replayed any more, take space, and contain patients' data.
 *
 * @returns true if there may be more
 */
export async function purgeReplies(scope: Scope): Promise<boolean> {
  const gone = await sql(
    scope.em,
    `delete from idempotent_replies where (api_key_id, idempotency_key) in (
       select api_key_id, idempotency_key from idempotent_replies where created_at <= $1
       order by created_at limit $2 for update skip locked
     ) returning 1`,
    [new Date(scope.clock.now().getTime() - REMEMBERED_MS), BATCH],
  );
  return gone.length === BATCH;
}

/** Deletes daily counts of links that are older than a week. @returns true if there may be more */
export async function purgeDailyCounts(scope: Scope): Promise<boolean> {
  const firstKept = new Date(scope.clock.now().getTime() - COUNTS_KEPT_MS).toISOString().slice(0, 10);
  const gone = await sql(
    scope.em,
    `delete from daily_link_counts where (api_key_id, day) in (
       select api_key_id, day from daily_link_counts where day < $1::date limit $2 for update skip locked
     ) returning 1`,
    [firstKept, BATCH],
  );
  return gone.length === BATCH;
}

/** Deletes processed notifications 90 days after their receipt. @returns true if there may be more */
export async function purgeNotifications(scope: Scope): Promise<boolean> {
  const gone = await sql(
    scope.em,
    `delete from processor_notifications where (processor, id) in (
       select processor, id from processor_notifications where due_at is null and received_at < $1
       order by received_at limit $2 for update skip locked
     ) returning 1`,
    [new Date(scope.clock.now().getTime() - NOTIFICATIONS_KEPT_MS), BATCH],
  );
  return gone.length === BATCH;
}

/**
 * Clears the record of the authorisation from attempts made more than two years ago: network address, language, and the
 * debit's text with its hash. The attempt stays.
 *
 * @returns true if there may be more
 */
export async function clearAuthorisations(scope: Scope): Promise<boolean> {
  const cleared = await sql(
    scope.em,
    `update payment_attempts set locale = null, address = null, authorisation_text = null, authorisation_hash = null
     where id in (
       select id from payment_attempts where address is not null and created_at < $1::timestamptz - interval '2 years'
       order by created_at limit $2 for no key update skip locked
     ) returning 1`,
    [scope.clock.now(), BATCH],
  );
  return cleared.length === BATCH;
}
