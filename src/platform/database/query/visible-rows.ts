/*
 * Rows that a key or a person sees: of one practice and mode, and of a location, some or all. The arguments are SQL, such as `$1`,
 * and `rows` is the name or alias of the table.
 */

export function ownRowsSql(rows: string, practiceId: string, test: string): string {
  return `${rows}.practice_id = ${practiceId} and ${rows}.test = ${test}`;
}

/** All rows if the location is null. */
export function rowsAtLocationSql(rows: string, locationId: string): string {
  return `(${locationId}::text is null or ${rows}.location_id = ${locationId})`;
}

/** The location is null for a key that is not pinned. */
export function visibleRowsSql(rows: string, practiceId: string, test: string, locationId: string): string {
  return `${ownRowsSql(rows, practiceId, test)} and ${rowsAtLocationSql(rows, locationId)}`;
}

export function rowsAtLocationsSql(rows: string, practiceId: string, test: string, locationIds: string): string {
  return `${ownRowsSql(rows, practiceId, test)} and (${locationIds}::text[] is null or ${rows}.location_id = any (${locationIds}))`;
}
