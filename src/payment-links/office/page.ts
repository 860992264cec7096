import type { Bind } from '../../platform/database/query/sql.ts';
import type { Viewer } from '../model/staff-status.ts';

/* Pages of lists of links. Each begins at a cursor, so that it costs the same however long the list is. */

/** Place in a list: only rows after it are wanted. */
export interface Cursor {
  /** Milliseconds of the time by which the list is ordered, or cents, negative. */
  key: number;
  id: string;
}

export interface Page<Row> {
  rows: Row[];
  /** Place of the next page; null on the last one. */
  next: Cursor | null;
}

/** Writes a cursor for an address. */
export function formatCursor({ key, id }: Cursor): string {
  return `${key}_${id}`;
}

/** Reads a cursor of an address. Returns null for any other text: the list then begins at its first page. */
export function parseCursor(text: string): Cursor | null {
  const [, key, id = ''] = /^(-?\d{1,14})_(plink_\w+)$/.exec(text) ?? [];
  return key === undefined ? null : { key: Number(key), id };
}

/** Returns a page of rows, of which one more than its size was read if another page follows. */
export function takePage<Row extends { id: string }>(
  rows: readonly Row[],
  size: number,
  keyOf: (row: Row) => number,
): Page<Row> {
  const lastRow = rows.length > size ? rows[size - 1] : undefined;
  return { rows: rows.slice(0, size), next: lastRow === undefined ? null : { key: keyOf(lastRow), id: lastRow.id } };
}

/** Times at or after, and before. Null: no limit. */
export interface TimeRange {
  from: Date | null;
  before: Date | null;
}

export function rangeConditions(at: string, { from, before }: TimeRange, bind: Bind): string[] {
  return [
    ...(from === null ? [] : [`${at} >= ${bind(from)}`]),
    ...(before === null ? [] : [`${at} < ${bind(before)}`]),
  ];
}

/** Rows of links of which an index has the order of the list: from, time, id of the link and conditions, as SQL. */
export interface Piece {
  from: string;
  at: string;
  id: string;
  where: readonly string[];
  /** True if a link has several rows of one time. They are grouped before the limit counts them. */
  isGrouped?: boolean;
}

/** Returns a query for `at` and `id` of the next links of a list, newest first. Plan hint LIMITED_PIECES: each piece is read along its index. */
export function nextLinksSql(
  pieces: readonly Piece[],
  cursor: Cursor | null,
  limit: number | 'all',
  bind: Bind,
): string {
  const place = cursor && `(${bind(new Date(cursor.key))}, ${bind(cursor.id)})`;
  const queries = pieces.map(({ from, at, id, where, isGrouped }) => {
    const conditions = place === null ? where : [...where, `(${at}, ${id}) < ${place}`];
    return `(select ${at} as at, ${id} as id from ${from} where ${conditions.join(' and ')}
      ${isGrouped ? `group by ${at}, ${id}` : ''} order by ${at} desc, ${id} desc limit ${limit})`;
  });
  return `select distinct at, id from (${queries.join(' union all ')}) as pieces order by at desc, id desc limit ${limit}`;
}

/** Returns the conditions on `l` that split a list by location, because an index has the order of each location. */
export function splitByLocation({ locationIds }: Viewer, bind: Bind): string[] {
  if (locationIds === null) return ['true'];
  return locationIds.length === 0 ? ['false'] : locationIds.map((id) => `l.location_id = ${bind(id)}`);
}
