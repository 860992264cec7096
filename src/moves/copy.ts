import { finished, pipeline } from 'node:stream/promises';
import type { Client } from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { LATE_REFERENCES, type TenantTable, UNGUARDED_TABLES } from './tables.ts';

/** Rows of a table that were copied. */
export interface CopiedTable {
  table: string;
  rows: number;
}

/** Both databases of a move, each in a transaction of the caller, and the practices. */
export interface Cells {
  source: Client;
  target: Client;
  practiceIds: readonly string[];
  /** Called before each statement of a copy. It limits statements to the time that is left; absent: no limit. */
  limit?: () => Promise<void>;
}

/** Thrown if the target does not hold what the source held. Nothing of the copy stays. */
export class CopyDiffers extends Error {
  constructor(table: string, source: string, target: string) {
    super(`The copy of ${table} differs: ${source} in the source, ${target} in the target. Nothing was moved.`);
    this.name = 'CopyDiffers';
  }
}

/**
 * Copies all rows of the practices in a table, and compares them.
 *
 * @returns the number of rows
 * @throws CopyDiffers
 */
export async function copyTable(cells: Cells, table: TenantTable): Promise<number> {
  // For each inserted row, triggers of the target have appended a change to the kept counts. The counts of the source include
  // these rows already. If the practice was in this cell before, late rows of that time may be left.
  if (UNGUARDED_TABLES.includes(table.name)) {
    await cells.limit?.();
    await cells.target.query(`delete from ${table.name} where ${table.rows}`, [cells.practiceIds]);
  }
  await copyInto(cells, table.name, table);
  const condition = rowsOf(cells, table);
  return compareRows(cells, table, condition, (columns) => `select ${columns} from ${table.name} where ${condition}`);
}

/**
 * Copies rows into a table of the target. `COPY` keeps the exact text of every value. References to rows that are copied
 * later become null.
 *
 * @param into a table with the same columns
 * @param condition of the rows, in addition to that of the practices
 */
export async function copyInto(cells: Cells, into: string, table: TenantTable, condition = 'true'): Promise<void> {
  const late = LATE_REFERENCES[table.name]?.columns ?? [];
  const values = table.columns.map((column, index) => (late.includes(column) ? 'null' : table.values[index]));
  const selected = `select ${values.join(', ')} from ${table.name} where ${rowsOf(cells, table)} and ${condition}
    ${table.order === null ? '' : `order by ${table.order}`}`;
  await copySelected(cells, selected, into, table.columns);
}

/**
 * Copies what a statement selects in the source into columns of a table in the target. If the target fails, the rest of the
 * rows is read. The connection to the source would otherwise answer no later statement.
 */
export async function copySelected(
  { source, target, limit }: Pick<Cells, 'source' | 'target' | 'limit'>,
  selected: string,
  into: string,
  columns: readonly string[],
): Promise<void> {
  await limit?.();
  const from = source.query(copyTo(`copy (${selected}) to stdout`));
  let hasFailed = false;
  from.on('error', () => (hasFailed = true));
  const to = target.query(copyFrom(`copy ${into} (${columns.join(', ')}) from stdin`));
  try {
    await pipeline(from.iterator({ destroyOnReturn: false }), to);
  } catch (error) {
    if (!hasFailed && !from.readableEnded) await finished(from.resume()).catch(() => undefined);
    throw error;
  }
}

/** Returns the condition of the practices' rows with their ids, because `COPY` takes no parameters. */
export function rowsOf({ source, practiceIds }: Pick<Cells, 'source' | 'practiceIds'>, { rows }: TenantTable): string {
  return `(${rows.replaceAll('$1', `${source.escapeLiteral(`{${practiceIds.join()}}`)}::text[]`)})`;
}

/**
 * Compares rows of both cells by their number and by the sum of their hashes, whatever their order.
 *
 * @param condition of the rows in the source
 * @param selectInTarget returns the statement that selects these columns of the same rows in the target
 * @returns the number of rows
 * @throws CopyDiffers
 */
export async function compareRows(
  { source, target, limit }: Cells,
  table: TenantTable,
  condition: string,
  selectInTarget: (columns: string) => string,
): Promise<number> {
  const late = LATE_REFERENCES[table.name]?.columns ?? [];
  const compared = table.columns
    .map((column, index) => ({ column, value: table.values[index] }))
    .filter(({ column }) => !late.includes(column));
  const sumOf = async (client: Client, selected: string) => {
    const { rows } = await client.query<{ rows: number; sum: string }>(
      `select count(*)::integer as rows, coalesce(sum(('x' || left(md5(r::text), 15))::bit(60)::bigint), 0)::text as sum
       from (${selected}) as r`,
    );
    return { rows: rows[0]?.rows ?? 0, described: `${rows[0]?.rows} rows with sum ${rows[0]?.sum}` };
  };
  const values = compared.map(({ value }) => value).join(', ');
  await limit?.();
  const [inSource, inTarget] = await Promise.all([
    sumOf(source, `select ${values} from ${table.name} where ${condition}`),
    sumOf(target, selectInTarget(compared.map(({ column }) => column).join(', '))),
  ]);
  if (inSource.described !== inTarget.described) {
    throw new CopyDiffers(table.name, inSource.described, inTarget.described);
  }
  return inSource.rows;
}

/**
 * Sets the references to rows that were copied later. Few rows have them.
 *
 * @param condition of the rows, in addition to that of the practices
 */
export async function setLateReferences(cells: Cells, table: TenantTable, condition = 'true'): Promise<void> {
  const { source, target, limit } = cells;
  const columns = LATE_REFERENCES[table.name]?.columns;
  if (columns === undefined) return;
  await limit?.();
  const { rows } = await source.query<{ found: string; rows: number }>(
    `select coalesce(json_agg(r), '[]')::text as found, count(*)::integer as rows
     from (select id, ${columns.join(', ')} from ${table.name}
       where ${rowsOf(cells, table)} and ${condition} and num_nonnulls(${columns.join(', ')}) > 0) as r`,
  );
  await limit?.();
  const { rowCount } = await target.query(
    `update ${table.name} t set ${columns.map((column) => `${column} = r.${column}`).join(', ')}
     from json_populate_recordset(null::${table.name}, $1) as r where t.id = r.id`,
    [rows[0]?.found],
  );
  if (rowCount !== rows[0]?.rows) throw new CopyDiffers(table.name, `${rows[0]?.rows} references`, `${rowCount}`);
}
