/** A row that a change inserts, or whose fields it updates. */
export interface ChangedRow<Row> {
  row: Row;
  /** Fields whose values have changed; null for a new row. */
  changed: Partial<Row> | null;
}

/** Returns the rows that are new or have changed. Rows are plain data, matched by id; an identical object has not changed. */
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

/** Returns the fields whose values have changed. Dates are compared by value, all other fields by identity. */
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

export function listOf<Row>(row: Row | null): readonly Row[] {
  return row === null ? [] : [row];
}
