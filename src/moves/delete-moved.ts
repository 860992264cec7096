import type { Client } from 'pg';
import { connect, inMove, switchTriggersOff } from './connection.ts';
import { setGuards } from './guard.ts';
import { lockMoves, MoveRefused } from './preconditions.ts';
import { COUNT_TABLES, deleteTotals, LATE_REFERENCES, readTenantTables, type TenantTable } from './tables.ts';

/** Rows per transaction. */
const BATCH = 5_000;

/**
 * Deletes what a cell still has of practices that have moved, in batches. Call it when no request reaches this cell for
 * them any more. It can be ended at any time and repeated.
 *
 * @returns the number of deleted rows
 * @throws MoveRefused if a practice is active here
 */
export async function deleteMoved(databaseUrl: string, practiceIds: readonly string[]): Promise<number> {
  const source = await connect(databaseUrl);
  try {
    await lockMoves(source);
    await requireMoved(source, practiceIds);
    const tables = (await readTenantTables(source)).toReversed();
    const counts = tables.filter(({ name }) => COUNT_TABLES.includes(name));
    const others = tables.filter(({ name }) => !COUNT_TABLES.includes(name) && name !== 'practices');
    for (const table of tables) await clearReferences(source, table, practiceIds);
    let deleted = 0;
    // Deleted links and deliveries append to the kept counts, which therefore go last.
    for (const table of [...others, ...counts]) deleted += await deleteRows(source, table, practiceIds);
    await deletePractices(source, counts, practiceIds);
    await setGuards(source);
    return deleted;
  } finally {
    await source.end();
  }
}

async function requireMoved(source: Client, practiceIds: readonly string[]): Promise<void> {
  const { rows } = await source.query<{ id: string }>(
    `select id from practices where id = any ($1) and move_state is distinct from 'moved'`,
    [practiceIds],
  );
  if (rows.length === 0) return;
  throw new MoveRefused(`${rows.map(({ id }) => id).join(', ')} is active in this cell.`, 'Move it first.');
}

/** Clears the references that go against the order of deletion. */
async function clearReferences(source: Client, { name, rows }: TenantTable, practiceIds: readonly string[]) {
  const columns = LATE_REFERENCES[name]?.columns;
  if (columns === undefined) return;
  await inMove(source, () =>
    source.query(
      `update ${name} set ${columns.map((column) => `${column} = null`).join(', ')}
       where ${rows} and num_nonnulls(${columns.join(', ')}) > 0`,
      [practiceIds],
    ),
  );
}

async function deleteRows(
  source: Client,
  { name, rows }: TenantTable,
  practiceIds: readonly string[],
): Promise<number> {
  let total = 0;
  for (;;) {
    const { rowCount } = await inMove(source, async () => {
      await switchTriggersOff(source);
      // The condition stands twice, because partitions of a table may have rows with the same ctid.
      return source.query(
        `delete from ${name} where ctid = any (array(select ctid from ${name} where ${rows} limit ${BATCH})) and ${rows}`,
        [practiceIds],
      );
    });
    total += rowCount ?? 0;
    if (rowCount === 0) return total;
  }
}

/**
 * Deletes the practices themselves, and what jobs have counted in the meantime. Foreign keys are checked here: they refuse it
 * if a row of another table is left.
 */
async function deletePractices(source: Client, counts: readonly TenantTable[], practiceIds: readonly string[]) {
  await inMove(source, async () => {
    await source.query('select lock_list_counts()');
    for (const { name, rows } of counts) await source.query(`delete from ${name} where ${rows}`, [practiceIds]);
    await source.query(
      `delete from processor_notifications where account_id in (
         select processor_account_id from practices where id = any ($1) union select 'sandbox_' || unnest($1::text[]))`,
      [practiceIds],
    );
    // No process adds to them at this time, and none can later: the payments are gone.
    await source.query(`select pg_advisory_xact_lock(hashtextextended('payment_totals', 0))`);
    await deleteTotals(source, practiceIds);
    await source.query('delete from practices where id = any ($1)', [practiceIds]);
    await source.query(
      `update practice_moves set state = 'deleted', changed_at = clock_timestamp()
       where practice_id = any ($1) and side = 'source' and state = 'moved'`,
      [practiceIds],
    );
  });
}
