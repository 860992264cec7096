import type { Invariant, Violation } from '../../base/invariant.ts';
import type { Scope } from '../../base/scope.ts';
import { type SqlValue, sql } from './sql.ts';

/*
 * Invariants that a statement can find violations of. The statements change nothing and wait for no lock, so they are
 * safe beside the running service. They select `practiceId` and `problem`, and read the time as `present.at`.
 */

const MAX_VIOLATIONS = 1_000;

/** A number so small that a statement ends long before its timeout. */
const CHUNK_ROWS = 5_000;

/** Creates an invariant about rows that wait for something. There are few of them, and an index finds them. */
export function waitingInvariant(name: string, next: string, statement: string): Invariant {
  return {
    name,
    next,
    async *find(newScope) {
      yield* await findViolations(newScope(), statement);
    },
  };
}

/**
 * Creates an invariant about all rows of a table, read in chunks.
 *
 * @param statement looks at the rows whose ids `$2` has
 */
export function rowInvariant(name: string, table: string, next: string, statement: string): Invariant {
  return {
    name,
    next,
    async *find(newScope) {
      let last: string | null = null;
      do {
        const rows: { id: string }[] = await sql(newScope().em, ...chunkAfter(table, last));
        const ids = rows.map(({ id }) => id);
        yield* await findViolations(newScope(), statement, ids);
        last = ids.length < CHUNK_ROWS ? null : (ids.at(-1) ?? null);
      } while (last !== null);
    },
  };
}

function findViolations({ em, clock }: Scope, statement: string, ...ids: string[][]): Promise<Violation[]> {
  return sql<Violation>(
    em,
    `select "practiceId", problem from (select coalesce($1::timestamptz, statement_timestamp()) as at) as present, lateral (${statement}) as found
     limit ${MAX_VIOLATIONS}`,
    [clock.shared(), ...ids],
  );
}

/**
 * Returns the statement for the chunk after an id, newest first: about the order on disk. Exported for the test of its
 * plan.
 *
 * @param last null for the first chunk
 */
export function chunkAfter(table: string, last: string | null): [string, SqlValue[]] {
  return [`select id from ${table} where $1::text is null or id < $1 order by id desc limit ${CHUNK_ROWS}`, [last]];
}

/** Returns a time as SQL for a problem: `2030-06-15T12:00:00Z`. */
export function formatTimeSql(time: string): string {
  return `to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`;
}
