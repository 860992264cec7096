import { setTimeout as pause } from 'node:timers/promises';
import type { EventOf, OperationInput, TestEventList } from '../../contract/operations-type.ts';
import { ApiError } from '../../platform/base/errors.ts';
import { newId } from '../../platform/base/ids.ts';
import type { CallerScope } from '../../platform/base/scope.ts';
import { remainingMs } from '../../platform/base/time/time-budget.ts';
import { sql } from '../../platform/database/query/sql.ts';
import { rowsAtLocationSql } from '../../platform/database/query/visible-rows.ts';
import { type EventCursor, readCursor, writeCursor } from './event-cursor.ts';

/*
 * Test events for clients without an endpoint, such as a laptop (docs/decisions/0040-test-events.md). A change records
 * them if its practice has such a client.
 */

/** Age of the recorded time of a client below which a request writes nothing. */
const CLIENT_AGE_MS = 600_000;

const LOOK_MS = 500;

/** Time kept for the last look and the answer. */
const ANSWER_MS = 1_000;

/** Most events of one answer, and the default. */
const MAX_EVENTS = 100;

/**
 * Returns the visible test events after the cursor, oldest first. While it waits for some, it has neither a connection
 * nor a place.
 * @throws ApiError `validation_error` for a cursor that this database did not write
 */
export async function listTestEvents(
  scope: CallerScope,
  { after: text, limit = MAX_EVENTS, waitSeconds = 0 }: OperationInput<'listTestEvents'>['query'],
): Promise<TestEventList> {
  const { reads, isAbandoned = () => false } = scope;
  const { practiceId } = scope.caller;
  const withPlace = <T>(work: () => Promise<T>) => (reads === undefined ? work() : reads.run(practiceId, work));
  // The first request only says where the client begins.
  const waitMs = text === undefined ? 0 : waitSeconds * 1_000;
  const endsAtMs = performance.now() + Math.min(waitMs, remainingMs() - ANSWER_MS);
  let after = text === undefined ? null : readCursor(text);
  if (text !== undefined && after === null) throw invalidCursor();
  await withPlace(() => rememberClient(scope));
  for (;;) {
    const page = await withPlace(() => readPage(scope, after, limit));
    const hasNews = page.rows.length > 0 || page.eventsDropped;
    const isLast = hasNews || !page.isAdmitted || performance.now() + LOOK_MS > endsAtMs || isAbandoned();
    if (isLast) return toList(page);
    after = page.cursor;
    await pause(LOOK_MS);
  }
}

export async function createTestPing(scope: CallerScope): Promise<EventOf<'ping'>> {
  const { practiceId, locationId } = scope.caller;
  const now = scope.clock.now();
  const id = newId('event', now);
  const createdAt = now.toISOString();
  const event: EventOf<'ping'> = { id, object: 'event', type: 'ping', test: true, createdAt, data: {} };
  await sql(
    scope.em,
    `insert into test_events (id, practice_id, location_id, type, payload, created_at)
     values ($1, $2, $3, 'ping', $4, $5)`,
    [id, practiceId, locationId, JSON.stringify(event), now],
  );
  return event;
}

/** Events in the order of transaction and id, and the cursor behind them. */
interface EventPage {
  rows: EventRow[];
  cursor: EventCursor;
  hasMore: boolean;
  /** True if events after the cursor were deleted: the practice had too many. */
  eventsDropped: boolean;
  /** False if the key has lost its access. */
  isAdmitted: boolean;
}

type EventRow = Omit<TestEventList['data'][number], 'object'> & { madeBy: string };

/** The columns of the event are null if there is none. */
type PageRow = Pick<EventPage, 'eventsDropped' | 'isAdmitted'> &
  Record<'since' | 'until', string> & { isForeign: boolean } & (EventRow | { id: null });

/** The events of changes that begin afterwards are recorded. */
async function rememberClient(scope: CallerScope): Promise<void> {
  const now = scope.clock.now();
  await sql(
    scope.em,
    `insert into test_event_readers (practice_id, read_at)
     select $1, $2 where not exists (select from test_event_readers where practice_id = $1 and read_at > $3)
     on conflict (practice_id) do update set read_at = excluded.read_at`,
    [scope.caller.practiceId, now, new Date(now.getTime() - CLIENT_AGE_MS)],
  );
}

/**
 * Reads the events of the transactions that had ended at `until` and not at `since`; without `until`, at this
 * statement. Transactions that commit late are in the snapshot of a later request. A key that lost its access while it
 * waited gets no event and keeps its cursor.
 * @throws ApiError `validation_error`
 */
async function readPage(scope: CallerScope, after: EventCursor | null, limit: number): Promise<EventPage> {
  const results = await sql<PageRow>(
    scope.em,
    `with present as (
       select exists (
           select from api_keys k join practices p on p.id = k.practice_id
           where k.id = $8 and k.revoked_at is null and p.api_access_enabled
             and (k.expires_at is null or k.expires_at > coalesce($9, clock_timestamp()))
         ) as is_admitted, pg_current_snapshot() as now, coalesce($2::pg_snapshot, pg_current_snapshot()) as since,
         coalesce($3::pg_snapshot, pg_current_snapshot()) as until
     )
     select p.since::text, p.until::text, e.id, e.type, e.payload, e.created_at as "createdAt", e.made_by::text as "madeBy",
       pg_snapshot_xmax(p.since) > pg_snapshot_xmax(p.now) or pg_snapshot_xmax(p.until) > pg_snapshot_xmax(p.now)
         as "isForeign", p.is_admitted as "isAdmitted", exists (
         select from test_event_readers
         where practice_id = $1 and dropped_by >= $4::xid8 and not pg_visible_in_snapshot(dropped_by, p.since)
       ) as "eventsDropped"
     from present p left join lateral (
       select * from test_events
       where practice_id = $1 and (made_by, id) > (greatest($4::xid8, pg_snapshot_xmin(p.since)), $5)
         and not pg_visible_in_snapshot(made_by, p.since) and pg_visible_in_snapshot(made_by, p.until)
         and ${rowsAtLocationSql('test_events', '$6')}
       order by made_by, id limit $7
     ) e on true`,
    [
      scope.caller.practiceId,
      after?.since ?? null,
      after?.until ?? null,
      after?.madeBy ?? '0',
      after?.id ?? '',
      scope.caller.locationId,
      limit + 1,
      scope.caller.apiKeyId,
      scope.clock.shared(),
    ],
  );
  return toPage(results, after, limit);
}

/** The statement has read one row more than `limit`. */
function toPage(results: readonly PageRow[], after: EventCursor | null, limit: number): EventPage {
  const [first] = results;
  if (first === undefined) throw new Error('the snapshot is a row');
  if (first.isForeign) throw invalidCursor();
  const { since, until, eventsDropped, isAdmitted } = first;
  // A cursor that moved on would hide events from the key's next request, if it gets its access back.
  if (!isAdmitted && after !== null)
    return { rows: [], hasMore: false, cursor: after, eventsDropped: false, isAdmitted };
  const events = results.filter((row) => row.id !== null);
  const rows = events.slice(0, limit);
  const lastRow = rows.at(-1);
  if (events.length <= limit || lastRow === undefined) {
    const cursor = { since: until, until: null, madeBy: '0', id: '' };
    return { rows, hasMore: false, cursor, eventsDropped, isAdmitted };
  }
  const cursor = { since: after === null ? until : since, until, madeBy: lastRow.madeBy, id: lastRow.id };
  return { rows, hasMore: true, cursor, eventsDropped, isAdmitted };
}

/** Sorts the events by time, as their ids have it. */
function toList({ rows, cursor, hasMore, eventsDropped }: EventPage): TestEventList {
  const data = rows
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
    .map(({ id, type, createdAt, payload }) => {
      const time = new Date(createdAt).toISOString();
      return { id, object: 'test_event' as const, type, createdAt: time, payload };
    });
  return { object: 'test_event_list', data, cursor: writeCursor(cursor), hasMore, eventsDropped };
}

function invalidCursor(): ApiError {
  const message = 'after must be the cursor of an earlier answer. Start again without it.';
  return new ApiError('validation_error', { param: 'after', message });
}
