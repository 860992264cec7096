import type { Invariant, Repair } from '../../base/invariant.ts';
import type { Scope } from '../../base/scope.ts';
import { type SqlValue, sql } from './sql.ts';

/*
 * Invariants that a statement can find violations of. The statements change nothing and wait for no lock, so they are safe
 * beside the running service. Each sees one moment.
 */

/** Most violations that one statement reports. */
const MOST = 1_000;

/** Rows that one statement looks at, so that it ends long before its timeout. */
const CHUNK_ROWS = 5_000;

/** Repair of one violation by the id of its row, or what a person does. */
type Remedy = string | ((id: string, practiceId: string) => Repair);

/**
 * Creates an invariant about rows that wait for something. There are few of them, and an index finds them.
 *
 * @param text selects `id`, `practice_id` and `problem`; `$1` is the practice or null for all, `$2` the present or null
 */
export function waitingInvariant(name: string, remedy: Remedy, text: string): Invariant {
  return {
    name,
    async *find(newScope, { practiceId }) {
      const { em, clock } = newScope();
      const values = [practiceId, clock.shared()];
      const rows = await sql<Row & { practice_id: string }>(em, limited(text), values);
      for (const row of rows) yield violation(row.practice_id, row, remedy);
    },
  };
}

/**
 * Creates an invariant about all rows of a table. They are read in chunks. Those of all practices have the order of the
 * primary key, which is about the order on disk. Those of one practice are read by an index.
 *
 * @param table has `id`, `practice_id`, `test` and `created_at`, with an index in the order of the list
 * @param text selects `id`, `practice_id` and `problem` of each violation among the rows whose ids `$1` has; `present.at` is the time
 */
export function rowInvariant(name: string, table: string, remedy: Remedy, text: string): Invariant {
  return {
    name,
    async *find(newScope, { practiceId }) {
      const lists = practiceId === null ? [null] : [false, true].map((test) => ({ practiceId, test }));
      for (const list of lists) {
        for await (const ids of chunks(newScope, table, list)) {
          const { em, clock } = newScope();
          const rows = await sql<Row & { practice_id: string }>(em, limited(text), [ids, clock.shared()]);
          for (const row of rows) yield violation(row.practice_id, row, remedy);
        }
      }
    },
  };
}

/** `$2` is the time or null. */
function limited(text: string): string {
  return `select found.* from (select coalesce($2::timestamptz, statement_timestamp()) as at) as present, lateral (${text}) as found
    limit ${MOST}`;
}

interface Row {
  id: string;
  problem: string;
}

function violation(practiceId: string, { id, problem }: Row, remedy: Remedy) {
  return { practiceId, problem, remedy: typeof remedy === 'string' ? remedy : remedy(id, practiceId) };
}

/** Rows of one practice and mode; null for all rows. */
type List = { practiceId: string; test: boolean } | null;

/** Place of a row in the order of a list. */
interface Place {
  /** Empty if ids alone are the order. */
  at: string;
  id: string;
}

/** Yields the ids of the rows, newest first. */
async function* chunks(newScope: () => Scope, table: string, list: List) {
  let place: Place | null = null;
  do {
    const rows: Place[] = await sql(newScope().em, ...chunkAfter(table, list, place));
    if (rows.length > 0) yield rows.map(({ id }) => id);
    place = rows.length < CHUNK_ROWS ? null : (rows.at(-1) ?? null);
  } while (place !== null);
}

/** Returns the statement for the chunk after a place, and its values; null for the first chunk. Exported for the test of its plan. */
export function chunkAfter(table: string, list: List, place: Place | null): [string, SqlValue[]] {
  if (list === null) {
    return [
      `select '' as at, t.id from ${table} t where $1::text is null or t.id < $1 order by t.id desc limit ${CHUNK_ROWS}`,
      [place?.id ?? null],
    ];
  }
  return [
    `select t.created_at::text as at, t.id from ${table} t where t.practice_id = $1 and t.test = $2
       and (t.created_at, t.id) < (coalesce($3::timestamptz, 'infinity'), coalesce($4, ''))
     order by t.created_at desc, t.id desc limit ${CHUNK_ROWS}`,
    [list.practiceId, list.test, place?.at ?? null, place?.id ?? null],
  ];
}
