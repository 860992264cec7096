import { REMEMBERED_MS } from '../../access/sealed-replies.ts';
import type { Scope } from '../../platform/base/scope.ts';
import { deleteFirst } from '../../platform/database/query/delete-first.ts';
import { sql } from '../../platform/database/query/sql.ts';

/* Deletion of what is kept for a time only. Each function deletes one batch, and returns true if there may be more. */

/** Attempts per statement. Locks are short, and a worker can stop between two statements. */
const BATCH_ROWS = 5_000;

const DAY_MS = 86_400_000;

/** Daily counts explain why a key was refused. */
const COUNTS_KEPT_MS = 7 * DAY_MS;

/** Notifications explain the history of a payment. Processors repeat them for days. */
const NOTIFICATIONS_KEPT_MS = 90 * DAY_MS;

const timeBefore = ({ clock }: Scope, ms: number) => new Date(clock.now().getTime() - ms);

/** Deletes stored replies older than 24 hours. They are not replayed any more, take space, and contain patients' data. */
export function purgeReplies(scope: Scope): Promise<boolean> {
  const which = 'created_at <= $1 order by created_at';
  return deleteFirst(scope, 'idempotent_replies', which, [timeBefore(scope, REMEMBERED_MS)]);
}

export function purgeDailyCounts(scope: Scope): Promise<boolean> {
  const firstKept = timeBefore(scope, COUNTS_KEPT_MS).toISOString().slice(0, 10);
  return deleteFirst(scope, 'daily_link_counts', 'day < $1::date', [firstKept]);
}

export function purgeNotifications(scope: Scope): Promise<boolean> {
  const which = 'due_at is null and received_at < $1 order by received_at';
  return deleteFirst(scope, 'processor_notifications', which, [timeBefore(scope, NOTIFICATIONS_KEPT_MS)]);
}

/** Clears the record of the authorisation from attempts made more than two years ago. The attempt stays. */
export async function clearAuthorisations(scope: Scope): Promise<boolean> {
  const rows = await sql(
    scope.em,
    `update payment_attempts set locale = null, address = null, authorisation_text = null, authorisation_hash = null
     where id in (
       select id from payment_attempts where address is not null and created_at < $1::timestamptz - interval '2 years'
       order by created_at limit $2 for no key update skip locked
     ) returning 1`,
    [scope.clock.now(), BATCH_ROWS],
  );
  return rows.length === BATCH_ROWS;
}
