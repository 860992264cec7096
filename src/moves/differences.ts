import { type Cells, type CopiedTable, CopyDiffers, compareRows, copyInto, copySelected, rowsOf } from './copy.ts';
import { type KnownPeople, namesPeople } from './shared-rows.ts';
import { isInFirstCopy, type TenantTable } from './tables.ts';

/*
 * Differences of two snapshots of the source. A row of the second snapshot is either one that was written since the
 * first, or a version that the first one has as well. So the target is equal if
 *
 * - the rows of the first snapshot were compared (`makeFirstCopy`), and nobody else sees or changes them in the target,
 * - the rows that were written since replace those with the same keys, and are compared,
 * - and as many rows as in the source are left of the others. They include all that the source still has.
 */

/** The state of the first snapshot, with which the second one is compared. */
export interface FirstSnapshot {
  people: KnownPeople;
  /** Condition of rows that were written after it. */
  writtenSince: string;
  /** Numbers of its rows, by table. */
  rows: ReadonlyMap<string, number>;
}

/** A table of the target without the rows that have changed. Those wait in a temporary table. */
interface StagedTable {
  table: TenantTable;
  /** Condition of the changed rows in the source. */
  changed: string;
  /** Name of the temporary table; null without changed rows. */
  staged: string | null;
  /** Number of rows that did not change. */
  unchanged: number;
}

/**
 * Copies the differences of all tables of the first copy. Triggers and checks of foreign keys are off.
 *
 * @param tables all tables, parents first
 * @returns the numbers of rows that the tables have now
 * @throws CopyDiffers
 */
export async function applyDifferences(
  cells: Cells,
  tables: readonly TenantTable[],
  first: FirstSnapshot,
): Promise<CopiedTable[]> {
  const copiedBefore = tables.filter(isInFirstCopy);
  const staged: StagedTable[] = [];
  // Rows of some tables are found by their parents, so these go last.
  for (const table of copiedBefore.toReversed()) staged.push(await removeOutdated(cells, table, first, staged.length));
  const copied: CopiedTable[] = [];
  for (const one of staged.toReversed()) copied.push({ table: one.table.name, rows: await insertStaged(cells, one) });
  return copied;
}

/** Removes rows from the target that were changed or deleted in the source. Keeps the changed ones in a temporary table. */
async function removeOutdated(
  cells: Cells,
  table: TenantTable,
  { people, writtenSince, rows }: FirstSnapshot,
  number: number,
): Promise<StagedTable> {
  const { source, target } = cells;
  const { name, key } = table;
  // Rows of people with another id in the target were copied with the former one.
  const changed = `(${writtenSince} or ${namesPeople(table, people)})`;
  const found = await source.query<{ changed: number; unchanged: number }>(
    `select count(*) filter (where ${changed})::integer as changed, count(*) filter (where not ${changed})::integer as unchanged
     from ${name} where ${rowsOf(cells, table)}`,
  );
  const [counts] = found.rows;
  if (counts === undefined) throw new Error('an aggregate has a row');
  let left = rows.get(name) ?? 0;
  const staged = counts.changed === 0 ? null : `moving_${number}`;
  if (staged !== null) {
    await newTable(cells, staged, table, table.columns);
    await copyInto(cells, staged, table, changed);
    await target.query(`analyze ${staged}`);
    const { rowCount } = await target.query(
      `delete from ${name} t using ${staged} s where ${key.map((column) => `t.${column} = s.${column}`).join(' and ')}`,
    );
    left -= rowCount ?? 0;
  }
  if (left > counts.unchanged) left -= await removeDeleted(cells, table, `not ${changed}`, number);
  if (left !== counts.unchanged) throw new CopyDiffers(name, `${counts.unchanged} unchanged rows`, `${left}`);
  return { table, changed, staged, unchanged: counts.unchanged };
}

/** Removes rows from the target whose keys the source no longer has. @returns their number */
async function removeDeleted(cells: Cells, table: TenantTable, unchanged: string, number: number): Promise<number> {
  const { target } = cells;
  const { name, key } = table;
  const keys = `kept_${number}`;
  await newTable(cells, keys, table, key);
  const selected = `select ${key.join(', ')} from ${name} where ${rowsOf(cells, table)} and ${unchanged}`;
  await copySelected(cells, selected, keys, key);
  await target.query(`analyze ${keys}`);
  const { rowCount } = await target.query(
    `delete from ${name} t where ${rowsOf(cells, table)} and not exists (
       select from ${keys} k where ${key.map((column) => `k.${column} = t.${column}`).join(' and ')})`,
  );
  return rowCount ?? 0;
}

/** Inserts the changed rows, and compares them. @returns the number of rows that the table has now */
async function insertStaged(cells: Cells, { table, changed, staged, unchanged }: StagedTable): Promise<number> {
  if (staged === null) return unchanged;
  const { name, columns, key } = table;
  await cells.target.query(`insert into ${name} (${columns.join(', ')}) select ${columns.join(', ')} from ${staged}`);
  const compared = await compareRows(
    cells,
    table,
    `${rowsOf(cells, table)} and ${changed}`,
    (columns) =>
      `select ${columns} from ${name} where (${key.join(', ')}) in (select ${key.join(', ')} from ${staged})`,
  );
  return unchanged + compared;
}

/** Creates an empty temporary table of the target, for columns of another table. It ends with the transaction. */
async function newTable({ target }: Cells, name: string, like: TenantTable, columns: readonly string[]): Promise<void> {
  await target.query(
    `create temporary table ${name} on commit drop as select ${columns.join(', ')} from ${like.name} with no data`,
  );
}
