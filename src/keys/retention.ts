import { firstIdAt } from '../base/ids.ts';
import type { Scope } from '../base/scope.ts';
import { sql } from '../database/query/sql.ts';
import { REMEMBERED_MS } from './idempotency.ts';
import { REQUESTS_KEPT_MS } from './list-requests.ts';

/** Rate windows per statement. Each has as many slots as its limit, mostly 120. */
const BATCH = 500;

/** Replies per statement. Small batches keep locks short, and a worker can stop between two statements. */
const REPLIES_BATCH = 1_000;

const REQUESTS_BATCH = 5_000;

/** Idle time after which a rate window is deleted: its 60 seconds, and four minutes for differences between clocks. */
const IDLE_SECONDS = 300;

/**
 * Deletes rate windows that were unused for five minutes, with their slots. A concurrent request waits for the row and
 * then starts a new window; the deleted one was empty.
 *
 * @returns true if there may be more to delete
 */
export async function purgeIdleWindows(scope: Scope): Promise<boolean> {
  const [row] = await sql<{ windows: number }>(
    scope.em,
    `with idle as (
       delete from rate_windows where subject in (
         select subject from rate_windows
         where newest_at < coalesce($1, clock_timestamp()) - make_interval(secs => $2)
         limit $3 for update skip locked
       ) returning subject
     ), slots as (
       delete from rate_slots using idle where rate_slots.subject = idle.subject
     )
     select count(*)::integer as windows from idle`,
    [scope.clock.shared(), IDLE_SECONDS, BATCH],
  );
  return row?.windows === BATCH;
}

/**
 * Deletes encrypted replies that are older than 24 hours. They are never replayed again, and they contain secrets.
 *
 * @returns true if there may be more to delete
 */
export async function purgeSealedReplies(scope: Scope): Promise<boolean> {
  const deleted = await sql(
    scope.em,
    `delete from sealed_replies where (api_key_id, operation, idempotency_key) in (
       select api_key_id, operation, idempotency_key from sealed_replies where created_at <= $1
       order by created_at limit $2 for update skip locked
     ) returning 1`,
    [new Date(scope.clock.now().getTime() - REMEMBERED_MS), REPLIES_BATCH],
  );
  return deleted.length === REPLIES_BATCH;
}

/** Deletes logged requests that are older than three days. @returns true if there may be more */
export async function purgeApiRequests(scope: Scope): Promise<boolean> {
  const deleted = await sql(
    scope.em,
    `delete from api_requests where id in (
       select id from api_requests where id < $1 order by id limit $2 for update skip locked
     ) returning 1`,
    [firstIdAt('apiRequest', new Date(scope.clock.now().getTime() - REQUESTS_KEPT_MS)), REQUESTS_BATCH],
  );
  return deleted.length === REQUESTS_BATCH;
}
