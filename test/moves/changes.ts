import type { Client } from 'pg';
import type { TenantTable } from '../../src/moves/tables.ts';

/** Ways in which a row can differ between two snapshots. */
export const KINDS = ['insert', 'update', 'delete'] as const;

/** A change of one row. */
export interface Change {
  kind: (typeof KINDS)[number];
  /** Number of the table, and of the row in the order of its key; both wrap around. */
  table: number;
  row: number;
}

/** Texts that make values of unique columns differ. */
let made = 0;

/**
 * Applies a change to a row of a practice, as a subtransaction of the caller's transaction. Triggers are off, so it need not obey
 * foreign keys.
 *
 * @returns false if the table has no row, or if a constraint refuses the change
 */
export async function applyChange(
  client: Client,
  tables: readonly TenantTable[],
  practiceId: string,
  { kind, table: tableNumber, row }: Change,
): Promise<boolean> {
  const table = tables[tableNumber % tables.length];
  if (table === undefined) throw new Error('a database has tables');
  const { name, rows, key } = table;
  const found = await client.query<{ ctid: string }>(
    `select ctid::text from ${name} where ${rows} order by ${key.length > 0 ? key.join(', ') : 'ctid'}`,
    [[practiceId]],
  );
  const chosen = found.rows[row % found.rows.length]?.ctid;
  if (chosen === undefined || (name === 'practices' && kind !== 'update')) return false;
  const at = `ctid = '${chosen}'`;
  switch (kind) {
    case 'delete':
      return (await tryEach(client, [`delete from ${name} where ${at}`])) !== null;
    case 'update':
      return (await tryEach(client, await updates(client, table, at))) !== null;
    case 'insert':
      return (await tryEach(client, [await insertion(client, table, at)])) !== null;
    default:
      kind satisfies never;
      throw new Error('a change has an unknown kind');
  }
}

/** Runs the first statement that constraints allow. @returns its number; null if there is none */
async function tryEach(client: Client, statements: readonly string[]): Promise<number | null> {
  for (const [number, statement] of statements.entries()) {
    await client.query('savepoint change');
    try {
      await client.query(statement);
      await client.query('release change');
      return number;
    } catch (error) {
      await client.query('rollback to change');
      // Integrity constraints, and the conversion of a value.
      if (!/^(23|22)/.test(String((error as { code?: string }).code))) throw error;
    }
  }
  return null;
}

interface Column {
  name: string;
  type: string;
  isUnique: boolean;
}

async function columnsOf(client: Client, { name, columns }: TenantTable): Promise<Column[]> {
  const { rows } = await client.query<Column>(
    `select attname as name, format_type(atttypid, null) as type, exists (
       select from pg_index i where indrelid = attrelid and indisunique and indkey[indnkeyatts - 1] = attnum) as "isUnique"
     from pg_attribute where attrelid = $1::regclass and attname = any ($2) order by attnum`,
    [name, columns],
  );
  return rows;
}

/** Returns updates of each column whose type has another value. */
async function updates(client: Client, table: TenantTable, at: string): Promise<string[]> {
  const columns = await columnsOf(client, table);
  return columns.flatMap(({ name, type }) => {
    const value = table.key.includes(name) ? null : otherValue(name, type);
    return value === null ? [] : [`update ${table.name} set ${name} = ${value} where ${at}`];
  });
}

/** Returns the statement that inserts a copy of a row, with other values in unique columns. */
async function insertion(client: Client, table: TenantTable, at: string): Promise<string> {
  const columns = await columnsOf(client, table);
  const values = columns.map(({ name, type, isUnique }) =>
    isUnique && !['practice_id', 'api_key_id', 'payment_link_id'].includes(name) ? otherValue(name, type) : name,
  );
  return `insert into ${table.name} (${columns.map(({ name }) => name).join(', ')})
    select ${values.join(', ')} from ${table.name} where ${at}`;
}

/** Returns an expression that differs from the column's value; null for other types. */
function otherValue(name: string, type: string): string | null {
  switch (type) {
    case 'text':
      return `${name} || '_${++made}'`;
    case 'integer':
    case 'bigint':
      return `${name} + ${++made + 1_000}`;
    case 'date':
      return `${name} + ${++made + 1_000}`;
    case 'bytea':
      return `${name} || '_${++made}'::bytea`;
    case 'timestamp with time zone':
      return `${name} + interval '${++made} ms'`;
    default:
      return null;
  }
}
