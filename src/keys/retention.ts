import type { Scope } from '../base/scope.ts';
import { sql } from '../database/query/sql.ts';
import { REMEMBERED_MS } from './idempotency.ts';

/** Windows per statement; each has as many slots as its limit, 120 for most. */
const BATCH = 500;

/** Replies per statement: short locks, and a worker that is to stop stops between two statements. */
const REPLIES_BATCH = 1_000;

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

/**
 * Forgets the encrypted replies whose 24 hours are over: nobody is answered with them, and they hold secrets.
 *
 * @returns whether there may be more.
 */
export async function purgeSealedReplies(scope: Scope): Promise<boolean> {
  const gone = await sql(
    scope.em,
    `delete from sealed_replies where (api_key_id, operation, idempotency_key) in (
       select api_key_id, operation, idempotency_key from sealed_replies where created_at <= $1
       order by created_at limit $2 for update skip locked
     ) returning 1`,
    [new Date(scope.clock.now().getTime() - REMEMBERED_MS), REPLIES_BATCH],
  );
  return gone.length === REPLIES_BATCH;
}
