/*
 * Rows that a key or a person sees: of one practice and mode, and of a location, some or all. The arguments are SQL, such as `$1`,
 * and `rows` is the name or alias of the table.
 */

/** Returns the condition of the rows of a practice and mode. */
export function ownRowsSql(rows: string, practiceId: string, test: string): string {
  return `${rows}.practice_id = ${practiceId} and ${rows}.test = ${test}`;
}

/** Returns the condition of the rows at the location; of all rows if it is null. */
export function rowsAtLocationSql(rows: string, locationId: string): string {
  return `(${locationId}::text is null or ${rows}.location_id = ${locationId})`;
}

/** Returns the condition of the rows that a key sees. The location is null for a key that is not pinned. */
export function visibleRowsSql(rows: string, practiceId: string, test: string, locationId: string): string {
  return `${ownRowsSql(rows, practiceId, test)} and ${rowsAtLocationSql(rows, locationId)}`;
}

/** Returns the condition of the rows that a person sees. The array of locations is null for all. */
export function rowsAtLocationsSql(rows: string, practiceId: string, test: string, locationIds: string): string {
  return `${ownRowsSql(rows, practiceId, test)} and (${locationIds}::text[] is null or ${rows}.location_id = any (${locationIds}))`;
}
