import { firstIdAt } from '../platform/base/ids.ts';
import type { Scope } from '../platform/base/scope.ts';
import { deleteFirst } from '../platform/database/query/delete-first.ts';
import { sql } from '../platform/database/query/sql.ts';
import { REMEMBERED_MS } from './idempotency.ts';
import { REQUESTS_KEPT_MS } from './request-log.ts';

/** Deletes encrypted replies that are older than 24 hours, and so never replayed again. @returns true if there may be more */
export function purgeSealedReplies(scope: Scope): Promise<boolean> {
  const before = new Date(scope.clock.now().getTime() - REMEMBERED_MS);
  return deleteFirst(scope, 'sealed_replies', 'created_at <= $1 order by created_at', [before]);
}

/** Deletes logged requests that are older than three days. @returns true if there may be more */
export function purgeApiRequests(scope: Scope): Promise<boolean> {
  const before = firstIdAt('apiRequest', new Date(scope.clock.now().getTime() - REQUESTS_KEPT_MS));
  return deleteFirst(scope, 'api_requests', 'id < $1 order by id', [before]);
}

/** Rate windows per statement. Each has as many slots as its limit, mostly 120. */
const BATCH_ROWS = 500;

/**
 * Deletes rate windows that were unused for five minutes, with their slots: for their 60 seconds, and four minutes for differences between
 * clocks. A concurrent request waits for the row and then starts a new window. @returns true if there may be more
 */
export async function purgeIdleWindows(scope: Scope): Promise<boolean> {
  const [row] = await sql<{ windows: number }>(
    scope.em,
    `with idle as (
       delete from rate_windows where subject in (
         select subject from rate_windows
         where newest_at < coalesce($1, clock_timestamp()) - interval '5 minutes'
         limit $2 for update skip locked
       ) returning subject
     ), slots as (
       delete from rate_slots using idle where rate_slots.subject = idle.subject
     )
     select count(*)::integer as windows from idle`,
    [scope.clock.shared(), BATCH_ROWS],
  );
  return row?.windows === BATCH_ROWS;
}
