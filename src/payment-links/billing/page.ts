/* Pages of lists of links. Each begins at a cursor, so that it costs the same however long the list is. */

/** Place in a list: only rows after it are wanted. */
export interface Cursor {
  /** Milliseconds of the time by which the list is ordered, or cents, negative. */
  key: number;
  /** Id of the link. */
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
  const last = rows.length > size ? rows[size - 1] : undefined;
  return { rows: rows.slice(0, size), next: last === undefined ? null : { key: keyOf(last), id: last.id } };
}
