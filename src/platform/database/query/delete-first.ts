import type { Scope } from '../../base/scope.ts';
import { type SqlValue, sql } from './sql.ts';

/** Locks are short, and a worker can stop between two statements. */
const BATCH_ROWS = 5_000;

/**
 * Deletes the first rows of a table that nobody has locked, up to a batch.
 *
 * @param which condition and order of the rows, as SQL
 * @returns true if there may be more
 */
export async function deleteFirst(
  { em }: Pick<Scope, 'em'>,
  table: string,
  which: string,
  values: readonly SqlValue[] = [],
  batch = BATCH_ROWS,
): Promise<boolean> {
  const deleted = await sql(
    em,
    `delete from ${table} where ctid = any (array(
       select ctid from ${table} where ${which} limit ${batch} for update skip locked
     )) returning 1`,
    values,
  );
  return deleted.length === batch;
}
