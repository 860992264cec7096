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
