import type { Scope } from '../../base/scope.ts';
import { type SqlValue, sql } from './sql.ts';

/**
 * A rule that all stored data must satisfy. `paylinks check` verifies it while the service runs, by a statement that finds
 * violations. It changes nothing and waits for no lock.
 */
export interface Invariant {
  name: string;
  /** Next step of an operator. The beginning of a sentence. */
  next: string;
  /** Selects `practiceId` and `problem`, and reads the time as `present.at`. */
  statement: string;
  /** The statement looks at all rows of this table, in chunks whose ids `$2` has. Without it, an index finds the rows. */
  table?: string;
}

export interface Violation {
  practiceId: string;
  problem: string;
}

export interface ReportedViolation extends Violation {
  invariant: string;
  next: string;
}

const MAX_VIOLATIONS = 1_000;

/** A number so small that a statement ends long before its timeout. */
const CHUNK_ROWS = 5_000;

export async function* findViolations(
  { statement, table }: Invariant,
  newScope: () => Scope,
): AsyncIterable<Violation> {
  const find = ({ em, clock }: Scope, ...ids: string[][]) =>
    sql<Violation>(
      em,
      `select "practiceId", problem
       from (select coalesce($1::timestamptz, statement_timestamp()) as at) as present, lateral (${statement}) as violation
       limit ${MAX_VIOLATIONS}`,
      [clock.shared(), ...ids],
    );
  if (table === undefined) return yield* await find(newScope());
  let lastId: string | null = null;
  do {
    const rows: { id: string }[] = await sql(newScope().em, ...chunkAfter(table, lastId));
    const ids = rows.map(({ id }) => id);
    yield* await find(newScope(), ids);
    lastId = ids.length < CHUNK_ROWS ? null : (ids.at(-1) ?? null);
  } while (lastId !== null);
}

/** Returns the statement for the first chunk, or the one after an id, newest first: about the order on disk. Exported for a test. */
export function chunkAfter(table: string, lastId: string | null): [string, SqlValue[]] {
  return [`select id from ${table} where $1::text is null or id < $1 order by id desc limit ${CHUNK_ROWS}`, [lastId]];
}

/** Returns a time as SQL for a problem: `2030-06-15T12:00:00Z`. */
export function formatTimeSql(time: string): string {
  return `to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`;
}
