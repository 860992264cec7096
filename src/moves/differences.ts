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

/** Input of the comparison of two snapshots. */
export interface Since {
  people: KnownPeople;
  /** Condition of rows that were written since the first snapshot. */
  since: string;
  /** Numbers of rows of the first snapshot, by table. */
  rows: ReadonlyMap<string, number>;
}

/** A table whose changed rows wait in a temporary table of the target; null without such rows. */
interface Staged {
  table: TenantTable;
  changed: string;
  staged: string | null;
  /** Rows that did not change. */
  kept: number;
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
  since: Since,
): Promise<CopiedTable[]> {
  const copiedBefore = tables.filter(isInFirstCopy);
  const staged: Staged[] = [];
  // Rows of some tables are found by their parents, so these go last.
  for (const table of copiedBefore.toReversed()) staged.push(await removeOutdated(cells, table, since, staged.length));
  const copied: CopiedTable[] = [];
  for (const one of staged.toReversed()) copied.push({ table: one.table.name, rows: await insertStaged(cells, one) });
  return copied;
}

/** Removes rows from the target that were changed or deleted in the source. Keeps the changed ones in a temporary table. */
async function removeOutdated(
  cells: Cells,
  table: TenantTable,
  { people, since, rows }: Since,
  number: number,
): Promise<Staged> {
  const { source, target } = cells;
  const { name, key } = table;
  // Rows of people with another id in the target were copied with the former one.
  const changed = `(${since} or ${namesPeople(table, people)})`;
  const found = await source.query<{ changed: number; kept: number }>(
    `select count(*) filter (where ${changed})::integer as changed, count(*) filter (where not ${changed})::integer as kept
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
  if (left > counts.kept) left -= await removeDeleted(cells, table, `not ${changed}`, number);
  if (left !== counts.kept) throw new CopyDiffers(name, `${counts.kept} unchanged rows`, `${left}`);
  return { table, changed, staged, kept: counts.kept };
}

/** Removes rows from the target whose keys the source no longer has. @returns their number */
async function removeDeleted(cells: Cells, table: TenantTable, kept: string, number: number): Promise<number> {
  const { target } = cells;
  const { name, key } = table;
  const keys = `kept_${number}`;
  await newTable(cells, keys, table, key);
  const selected = `select ${key.join(', ')} from ${name} where ${rowsOf(cells, table)} and ${kept}`;
  await copySelected(cells, selected, keys, key);
  await target.query(`analyze ${keys}`);
  const { rowCount } = await target.query(
    `delete from ${name} t where ${rowsOf(cells, table)} and not exists (
       select from ${keys} k where ${key.map((column) => `k.${column} = t.${column}`).join(' and ')})`,
  );
  return rowCount ?? 0;
}

/** Inserts the changed rows, and compares them. @returns the number of rows that the table has now */
async function insertStaged(cells: Cells, { table, changed, staged, kept }: Staged): Promise<number> {
  if (staged === null) return kept;
  const { name, columns, key } = table;
  await cells.target.query(`insert into ${name} (${columns.join(', ')}) select ${columns.join(', ')} from ${staged}`);
  const compared = await compareRows(
    cells,
    table,
    `${rowsOf(cells, table)} and ${changed}`,
    (columns) =>
      `select ${columns} from ${name} where (${key.join(', ')}) in (select ${key.join(', ')} from ${staged})`,
  );
  return kept + compared;
}

/** Creates an empty temporary table of the target, for columns of another table. It ends with the transaction. */
async function newTable({ target }: Cells, name: string, like: TenantTable, columns: readonly string[]): Promise<void> {
  await target.query(
    `create temporary table ${name} on commit drop as select ${columns.join(', ')} from ${like.name} with no data`,
  );
}
