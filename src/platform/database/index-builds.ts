import type { Pool } from 'pg';
import { onConnection } from './connection/pool.ts';

export interface CreatedIndex {
  name: string;
  table: string;
  statement: string;
}

const COMMENT = /--[^\n]*/g;
const STATEMENT = /\bcreate\s+(unique\s+)?index\s+(?:if\s+not\s+exists\s+)?(\w+)\s+on\s+([\w.]+)([^;]*);/g;

export function parseIndexes(text: string): CreatedIndex[] {
  return [...text.replaceAll(COMMENT, '').matchAll(STATEMENT)].map(([statement, , name = '', table = '']) => ({
    name: qualifyName(name, table),
    table,
    statement: statement.slice(0, -1),
  }));
}

/** Writes the name as `regclass` shows it: an index lies in the schema of its table. */
function qualifyName(name: string, table: string): string {
  return table.includes('.') ? `${table.slice(0, table.indexOf('.'))}.${name}` : name;
}

/** Leaves out the statements that create these indexes. */
export function withoutIndexes(text: string, names: readonly string[]): string {
  if (!parseIndexes(text).some(({ name }) => names.includes(name))) return text;
  return text
    .replaceAll(COMMENT, '')
    .replaceAll(STATEMENT, (statement: string, _: string, name: string, table: string) =>
      names.includes(qualifyName(name, table)) ? '' : statement,
    );
}

/**
 * Builds the indexes of a migration on tables that exist, without a lock that writers wait for. An index that an
 * interrupted build left behind is built again. The build waits for older transactions, and can be repeated.
 */
export async function buildIndexes(pool: Pool, text: string): Promise<void> {
  for (const { name, table, statement } of parseIndexes(text)) {
    await onConnection(pool, async (client) => {
      const { rows } = await client.query<{ exists: boolean; is_valid: boolean | null }>(
        `select to_regclass($1) is not null as exists,
           (select indisvalid from pg_index where indexrelid = to_regclass($2)) as is_valid`,
        [table, name],
      );
      const [state] = rows;
      if (state?.exists !== true || state.is_valid === true) return;
      if (state.is_valid === false) await client.query(`drop index concurrently ${name}`);
      await client.query(statement.replace(/\bindex\s+(if\s+not\s+exists\s+)?/, 'index concurrently '));
    });
  }
}
