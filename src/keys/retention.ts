import type { Scope } from '../base/scope.ts';
import { sql } from '../base/sql.ts';

/** Windows per statement; each has as many slots as its limit, 120 for most. */
const BATCH = 500;

/** A window is 60 seconds wide; four more make sure that clocks which disagree don't matter. */
const IDLE_SECONDS = 300;

/**
 * Forgets rate limits' windows that nobody used for five minutes, with their slots. A request that comes at this moment
 * waits for the window's row and then starts a new window: the old one was empty anyway.
 *
 * @returns whether there may be more.
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
