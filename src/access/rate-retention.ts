import type { Scope } from '../platform/base/scope.ts';
import { sql } from '../platform/database/query/sql.ts';

/** Rate windows per statement. Each has as many slots as its limit, mostly 120. */
const BATCH_ROWS = 500;

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
    [scope.clock.shared(), IDLE_SECONDS, BATCH_ROWS],
  );
  return row?.windows === BATCH_ROWS;
}
