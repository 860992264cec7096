/** A row that a change inserts, or whose fields it updates. */
export interface ChangedRow<Row> {
  row: Row;
  /** Fields with another value than before; null for a new row. */
  changed: Partial<Row> | null;
}

/** Returns the rows that differ from those before, by their ids. Rows are plain data; the same object has not changed. */
export function changedRows<Row extends { id: string }>(
  before: readonly Row[],
  after: readonly Row[],
): ChangedRow<Row>[] {
  const former = new Map(before.map((row) => [row.id, row]));
  return after.flatMap((row): ChangedRow<Row>[] => {
    const old = former.get(row.id);
    if (old === row) return [];
    if (old === undefined) return [{ row, changed: null }];
    const changed = changedFields(old, row);
    return Object.keys(changed).length === 0 ? [] : [{ row, changed }];
  });
}

/** Returns the fields of a row that differ from those before. Times are compared by their value. */
export function changedFields<Row extends object>(before: Row, after: Row): Partial<Row> {
  const names = Object.keys(after) as (keyof Row)[];
  const fields: Partial<Row> = {};
  for (const name of names) {
    if (!isSame(before[name], after[name])) fields[name] = after[name];
  }
  return fields;
}

function isSame(before: unknown, after: unknown): boolean {
  if (before instanceof Date && after instanceof Date) return before.getTime() === after.getTime();
  return before === after;
}

/** Returns the row as a list; none for null. */
export function listOf<Row>(row: Row | null): readonly Row[] {
  return row === null ? [] : [row];
}
