import { firstIdAt } from '../../base/ids.ts';
import type { Scope } from '../../base/scope.ts';
import { sql } from '../../database/query/sql.ts';

/** Time for which test events are kept and clients remembered (openapi.yaml, operation `listTestEvents`): 48 hours. */
const KEPT_MS = 48 * 3_600_000;

/** Test events that a practice keeps at most (openapi.yaml, operation `listTestEvents`). */
const KEPT_EVENTS = 10_000;

/** Rows per statement. */
const BATCH = 1_000;

/**
 * Deletes test events and clients that are older than 48 hours.
 *
 * @returns true if there may be more to delete
 */
export async function purgeTestEvents(scope: Scope): Promise<boolean> {
  const before = new Date(scope.clock.now().getTime() - KEPT_MS);
  await sql(scope.em, 'delete from test_event_readers where read_at < $1', [before]);
  const deleted = await sql(
    scope.em,
    `delete from test_events where id in (
       select id from test_events where id < $1 and created_at < $2 order by id limit $3 for update skip locked
     ) returning 1`,
    [firstIdAt('event', before), before, BATCH],
  );
  return deleted.length === BATCH;
}

/**
 * Deletes the oldest test events of one practice that has more than 10,000, and records for its clients which ones. A
 * publication counts nothing. So a practice may have more until the next run.
 *
 * @returns true if there may be more to delete
 */
export async function trimTestEvents(scope: Scope): Promise<boolean> {
  // One practice a statement, so that several workers lock the rows of clients in no order of their own.
  const trimmed = await sql(
    scope.em,
    `with full_practice as (
       select r.practice_id, e.made_by, e.id
       from test_event_readers r, lateral (
         select made_by, id from test_events where practice_id = r.practice_id
         order by made_by desc, id desc offset $1 limit 1
       ) e
       order by r.practice_id limit 1
     ), deleted as (
       delete from test_events where id in (
         select t.id from test_events t join full_practice f on t.practice_id = f.practice_id
         where (t.made_by, t.id) <= (f.made_by, f.id)
         order by t.made_by, t.id limit $2 for update of t skip locked
       ) returning made_by
     )
     update test_event_readers r set dropped_by = greatest(r.dropped_by, d.made_by)
     from full_practice f, (select made_by from deleted order by made_by desc limit 1) d
     where r.practice_id = f.practice_id returning 1`,
    [KEPT_EVENTS, BATCH],
  );
  return trimmed.length > 0;
}
