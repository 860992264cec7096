import type { Invariant, Violation } from '../../base/invariant.ts';
import type { Scope } from '../../base/scope.ts';
import { findPracticeIds } from './rule-invariant.ts';
import { type SqlValue, sql } from './sql.ts';

/*
 * Exact totals of lists, and where a far page begins, from counts that the database keeps (`list_counts`). A list of a
 * practice and mode is cut into chunks of 2,000 to 4,000 rows, each counted by status. A total adds up the chunks; a page
 * is read from the start of a chunk near it. So both cost the same at a million rows as at ten thousand.
 */

/** Rows of a new chunk; one of more than twice as many is split. */
export const CHUNK_ROWS = 2_000;

/** Changes added to the counts per statement. */
const FOLD_BATCH = 5_000;

/** Most repairs of wrong chunks within one request. Each repair corrects at least one chunk. */
const MAX_REPAIRS = 20;

const LISTS = ['links', 'payments', 'deliveries'] as const;

/** Filter of the rows of a list that are counted. */
export interface Counted {
  list: (typeof LISTS)[number];
  practiceId: string;
  test: boolean;
  /** Locations or endpoints; null for all. */
  groupIds: readonly string[] | null;
  /** External reference or event type; null for all. */
  label: string | null;
  /** Null for all. */
  status: string | null;
}

/** A part of a list, by time, and the place of a page in it. */
export interface Range {
  /** At or after; null for no bound. */
  from: Date | null;
  /** Before; null for no bound. */
  before: Date | null;
  /** Rows of the range that lie before the page. */
  offset: number;
  /** Rows of a page; 0 when only the total is wanted. */
  pageSize: number;
  /** The page is not read from a chunk that starts earlier; null for no bound. */
  anchorFrom: Date | null;
}

/** Queries for rows of the list. They count the parts of chunks at the ends of a range. */
export interface Rows {
  /** Returns a query for the number of rows that match the filter. Conditions on time and id can be appended. */
  count: (value: ValueOf) => string;
  /** The column that the list is ordered by, before the id. */
  column: 'created_at' | 'paid_at';
  /** Returns a query for `at`, `id` and `change` of rows that the counts have under another status; null for none. */
  corrections: ((value: ValueOf) => string) | null;
}

/** Place of a list page: `offset` rows after the position (time, id), or after the start of the list if that is null. */
export interface Place {
  position: Position | null;
  offset: number;
}

interface Position {
  at: string;
  id: string;
}

/** Collects the values of a statement; returns their placeholders. */
export type ValueOf = (value: SqlValue) => string;

/**
 * Counts the rows of a range and finds the place from which a list page is read. One statement does both. It reads the
 * kept counts and the changes that are not folded yet. If the range begins or ends inside a chunk, it counts the rows of
 * that chunk.
 *
 * A list page is read from the start of a chunk. If the page before it starts from another chunk, a wrong count would
 * skip or repeat rows between them. So the rows between both starts are counted. If the kept counts differ from that, the
 * chunks between are counted again, and the place is computed again.
 */
export async function findPlace(
  scope: Scope,
  counted: Counted,
  range: Range,
  rows: Rows,
): Promise<{ total: number; place: Place }> {
  const { list, practiceId, test } = counted;
  let found = await find(scope, counted, range, rows);
  // After a repair another chunk may be the start. The page before it has already been read from its former start.
  const former = found.wrongFrom?.to;
  for (let repairs = 0; found.wrongFrom !== null && repairs < MAX_REPAIRS; repairs++) {
    scope.log.warn({ practiceId, test, list }, 'the kept counts of a list were wrong and are counted again');
    await countWrong(() => scope, { practiceId, test, list }, true, found.wrongFrom);
    found = await find(scope, counted, range, rows, former);
  }
  return found;
}

/** Returns the number of rows by status, exact at one moment. A status without rows is absent. */
export async function countByStatus(
  { em }: Scope,
  { list, practiceId, test, groupIds }: Pick<Counted, 'list' | 'practiceId' | 'test' | 'groupIds'>,
): Promise<ReadonlyMap<string, number>> {
  const own = 'practice_id = $1 and test = $2 and list = $3';
  const ofGroups = `${own} and ($4::text[] is null or group_id = any ($4))`;
  const rows = await sql<{ status: string; count: string }>(
    em,
    `select status, sum(count) as count from (
       select status, row_count as count from list_counts
       where ${own} and label = '' and group_id = any (coalesce($4::text[], '{""}'))
       union all select status_after, 1 from list_changes where ${ofGroups} and status_after is not null
       union all select status_before, -1 from list_changes where ${ofGroups} and status_before is not null
     ) as counted (status, count) group by status`,
    [practiceId, test, list, groupIds],
  );
  return new Map(rows.map(({ status, count }) => [status, Number(count)]));
}

/** A place, and the range of chunks with wrong counts, or null. */
interface Found {
  total: number;
  place: Place;
  wrongFrom: (Position & { to: Position | null }) | null;
}

async function find(
  scope: Scope,
  { list, practiceId, test, groupIds, label, status }: Counted,
  { from, before, offset, pageSize, anchorFrom }: Range,
  rows: Rows,
  former?: Position | null,
): Promise<Found> {
  const values: SqlValue[] = [];
  const value: ValueOf = (of) => `$${values.push(of)}`;
  const { column, corrections } = rows;
  const own = `practice_id = ${value(practiceId)} and test = ${value(test)} and list = ${value(list)}`;
  const groups = value(groupIds ?? ['']);
  const ofLabel = label === null ? null : value(label);
  const ofStatus = status === null ? null : value(status);
  const isCounted = (column: string) =>
    `coalesce(${column}${ofStatus === null ? ' is not null' : ` = ${ofStatus}`}, false)`;
  const ends = { from: from && value(from), before: before && value(before) };
  /** Rows at or after a time: whole chunks, changes to them, and the rows of the chunk that the time lies in. */
  const since = (time: string, end: string) => `(
    (select coalesce(sum(own), 0) from chunk where start_at >= ${time}::timestamptz)
    + (select coalesce(sum(change), 0) from change where (at, id) >= (select at, id from ${end}))
    + (${rows.count(value)} and ${column} >= ${time} and (${column}, id) < ((select at from ${end}), (select id from ${end}))))`;
  const endOf = (time: string) => `(
    select start_at, start_id from (
      select start_at, start_id from chunk where start_at >= ${time}::timestamptz union all select 'infinity', ''
    ) as start (start_at, start_id) order by start_at, start_id limit 1)`;
  const bound = [ends.before, anchorFrom && value(anchorFrom)] as const;
  /** The chunk from whose start a page is read, and how many rows of the range lie behind that, as a negative number. */
  const placeAt = (condition: string) => `
    select at, id, (select newer from bounds) - newer
      - (select coalesce(sum(change), 0) from change where (change.at, change.id) >= (start.at, start.id)) as skipped
    from (
      select start_at as at, start_id as id, newer from chunk
      where ${condition}
      order by start_at, start_id limit 1
    ) as start`;
  const anchorOf = (offset: number) =>
    placeAt(`newer + (select coalesce(sum(change), 0) from change where change > 0)
          <= (select newer from bounds) + ${value(offset)}::bigint
        and start_at > '-infinity'
        ${bound[0] === null ? '' : `and start_at < ${bound[0]}`} ${bound[1] === null ? '' : `and start_at >= ${bound[1]}`}`);
  const formerAnchor = () => {
    if (former === undefined) return anchorOf(Math.max(0, offset - pageSize));
    if (former === null) return placeAt('false');
    return placeAt(`(start_at, start_id) = (${value(former.at)}::timestamptz, ${value(former.id)})`);
  };
  const [row] = await sql<{
    total: string;
    at: string | null;
    id: string | null;
    skipped: string;
    former_at: string | null;
    former_id: string | null;
    is_wrong: boolean | null;
  }>(
    scope.em,
    // Plan hint FENCE: counts and changes are read once.
    `with chunk as materialized (
       select start_at, start_id, sum(row_count) as own,
         sum(sum(row_count)) over (order by start_at desc, start_id desc) as newer
       from list_counts
       where ${own} and group_id = any (${groups}) and label = ${ofLabel ?? `''`}
         ${ofStatus === null ? '' : `and status = ${ofStatus}`}
       group by start_at, start_id
     ), change as materialized (
       select at, id, ${isCounted('status_after')}::integer - ${isCounted('status_before')}::integer as change
       from list_changes
       where ${own} ${groupIds === null ? '' : `and group_id = any (${groups})`}
         ${ofLabel === null ? '' : `and label = ${ofLabel}`}
       ${corrections === null ? '' : `union all ${corrections(value)}`}
     ),
     first_end as (select * from ${endOf(ends.from ?? `'-infinity'`)} as e (at, id)),
     last_end as (select * from ${endOf(ends.before ?? `'infinity'`)} as e (at, id)),
     bounds as materialized (
       select ${
         ends.from === null
           ? `(select coalesce(sum(own), 0) from chunk) + (select coalesce(sum(change), 0) from change)`
           : since(ends.from, 'first_end')
       } as older, ${ends.before === null ? '0' : since(ends.before, 'last_end')} as newer
     ), anchor as materialized (
       ${anchorOf(offset)}
     ), former as materialized (
       ${formerAnchor()}
     )
     select bounds.older - bounds.newer as total, anchor.at, anchor.id, anchor.skipped,
       former.at as former_at, former.id as former_id,
       case when (anchor.at, anchor.id) is distinct from (former.at, former.id) then
         coalesce(former.skipped, 0) - anchor.skipped <> (${rows.count(value)}
           and (${column}, id) >= (anchor.at, anchor.id)
           and (${column}, id) < (coalesce(former.at, ${ends.before ?? `'infinity'`}), coalesce(former.id, '')))
       end as is_wrong
     from bounds left join anchor on true left join former on true`,
    values,
  );
  if (row === undefined) throw new Error('a left join of one row returns a row');
  // Wrong counts must not make a list page unreachable.
  const total = Math.max(0, Number(row.total));
  if (row.at === null || row.id === null) return { total, place: { position: null, offset }, wrongFrom: null };
  const position = { at: row.at, id: row.id };
  const to = row.former_at === null || row.former_id === null ? null : { at: row.former_at, id: row.former_id };
  const behind = Math.max(0, offset + Number(row.skipped));
  return { total, place: { position, offset: behind }, wrongFrom: row.is_wrong ? { ...position, to } : null };
}

/**
 * Adds changes to the counts, and begins to count a reference that became frequent.
 *
 * @returns true if there may be more changes
 */
export async function foldListChanges(scope: Scope): Promise<boolean> {
  const [row] = await sql<{ folded: number }>(scope.em, 'select fold_list_changes($1, $2) as folded', [
    FOLD_BATCH,
    CHUNK_ROWS,
  ]);
  const [reference] = await sql<{ counted: number }>(scope.em, 'select count_frequent_reference() as counted');
  return (row?.folded ?? 0) >= FOLD_BATCH || reference?.counted === 1;
}

/** Compares the kept counts with the rows, list by list and chunk by chunk. Writers do not wait, also for a repair. */
export const KEPT_COUNTS: Invariant = { name: 'kept_counts', find: findWrongCounts };

async function* findWrongCounts(
  newScope: () => Scope,
  { practiceId }: { practiceId: string | null },
): AsyncGenerator<Violation> {
  for (const id of await findPracticeIds(newScope(), practiceId)) {
    for (const test of [false, true]) {
      for (const list of LISTS) {
        const counted = { practiceId: id, test, list };
        const wrong = await countWrong(newScope, counted, false);
        if (wrong === 0) continue;
        const problem = `${wrong} counts of ${test ? 'test' : 'live'} ${list} differ from the rows`;
        // Each chunk is counted in a transaction of its own, so that folding waits for one chunk at most.
        const run = async (scope: Scope) => (await countWrong(() => scope, counted, true)) > 0;
        yield { practiceId: id, problem, remedy: { does: 'count these rows again', run } };
      }
    }
  }
}

async function countWrong(
  newScope: () => Scope,
  { practiceId, test, list }: Pick<Counted, 'practiceId' | 'test' | 'list'>,
  repair: boolean,
  { to, ...start }: Position & { to: Position | null } = { at: '-infinity', id: '', to: null },
): Promise<number> {
  let wrong = 0;
  let from: Position | null = start;
  while (from !== null && (to === null || from.at !== to.at || from.id !== to.id)) {
    const [row]: { wrong: number; next_at: string | null; next_id: string | null }[] = await sql(
      newScope().em,
      'select * from check_list_chunk($1, $2, $3, $4, $5, $6, $7)',
      [practiceId, test, list, from.at, from.id, repair, CHUNK_ROWS],
    );
    if (row === undefined) throw new Error('a function without set returns a row');
    wrong += row.wrong;
    from = row.next_at === null || row.next_id === null ? null : { at: row.next_at, id: row.next_id };
  }
  return wrong;
}
