import type { Invariant, Repair } from '../../base/invariant.ts';
import type { Scope } from '../../base/scope.ts';
import { sql } from './sql.ts';

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
      const rows = await sql<Row & { practice_id: string }>(em, `${text} limit ${MOST}`, values);
      for (const row of rows) yield violation(row.practice_id, row, remedy);
    },
  };
}

/**
 * Creates an invariant about all rows of a table. They are read in chunks, practice by practice.
 *
 * @param text selects `id` and `problem` of each violation among the rows whose ids `$1` has
 */
export function rowInvariant(
  name: string,
  table: 'payment_links' | 'webhook_deliveries',
  remedy: Remedy,
  text: string,
): Invariant {
  return {
    name,
    async *find(newScope, { practiceId }) {
      for (const id of await findPracticeIds(newScope(), practiceId)) {
        for (const test of [false, true]) {
          for await (const ids of chunks(newScope, table, id, test)) {
            const rows = await sql<Row>(newScope().em, `${text} limit ${MOST}`, [ids]);
            for (const row of rows) yield violation(id, row, remedy);
          }
        }
      }
    },
  };
}

interface Row {
  id: string;
  problem: string;
}

function violation(practiceId: string, { id, problem }: Row, remedy: Remedy) {
  return { practiceId, problem, remedy: typeof remedy === 'string' ? remedy : remedy(id, practiceId) };
}

/** Returns the ids of all practices, or the given one. */
export async function findPracticeIds({ em }: Scope, practiceId: string | null): Promise<string[]> {
  const rows = await sql<{ id: string }>(em, 'select id from practices where $1::text is null or id = $1 order by id', [
    practiceId,
  ]);
  return rows.map(({ id }) => id);
}

/** Yields the ids of a practice's rows, newest first, in the order of an index. */
async function* chunks(newScope: () => Scope, table: string, practiceId: string, test: boolean) {
  let before: { created_at: string; id: string } | null = null;
  do {
    const rows: { created_at: string; id: string }[] = await sql(
      newScope().em,
      `select created_at::text, id from ${table} where practice_id = $1 and test = $2
         and (created_at, id) < (coalesce($3::timestamptz, 'infinity'), coalesce($4, ''))
       order by created_at desc, id desc limit ${CHUNK_ROWS}`,
      [practiceId, test, before?.created_at ?? null, before?.id ?? null],
    );
    if (rows.length > 0) yield rows.map(({ id }) => id);
    before = rows.length < CHUNK_ROWS ? null : (rows.at(-1) ?? null);
  } while (before !== null);
}
