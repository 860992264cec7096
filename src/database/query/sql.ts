import { createHash } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { CompiledQuery } from 'kysely';
import { sqlState } from '../../base/sql-state.ts';
import { DatabaseUnavailable } from './errors.ts';

/** Values of statement parameters. Arrays become PostgreSQL arrays, Dates become timestamps. */
export type SqlValue =
  | (string | number | boolean | null | Date | Buffer)
  | (readonly (string | null)[] | readonly (number | null)[] | readonly (Buffer | null)[]);

/** Names of the prepared statements, by their texts. */
const prepared = new Map<string, string>();

/** Returns the name of a prepared statement, at most 63 bytes. It depends on the text alone and begins with its words. */
function nameFor(text: string): string {
  const words = text.toLowerCase().match(/[a-z_]+/g) ?? [];
  return `${words.join('_').slice(0, 40)}_${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
}

/** Returns the name under which connections prepare this statement; undefined without `keepPlan`. */
export function preparedName(text: string): string | undefined {
  return prepared.get(text);
}

/**
 * Runs one SQL statement with `$1`-style parameters and returns its rows. It runs in the entity manager's transaction, if
 * there is one. Unlike with `em.execute`, values never become part of the statement's text.
 *
 * With `keepPlan`, each connection parses and plans the statement only once. For our most frequent statements, that saves
 * half of the time. Use it only for constant texts whose plan does not depend on their values.
 *
 * The compiler does not check the row type against the SQL. Timestamps and bigints arrive as text.
 *
 * @throws DatabaseUnavailable if the connection failed; the driver's error if the server reported one
 */
export async function sql<Row extends object>(
  em: EntityManager,
  text: string,
  values: readonly SqlValue[] = [],
  { keepPlan = false }: { keepPlan?: boolean } = {},
): Promise<Row[]> {
  if (keepPlan && !prepared.has(text)) prepared.set(text, nameFor(text));
  const executor = em.getTransactionContext<ReturnType<typeof clientOf>>() ?? clientOf(em);
  try {
    const result = await executor.executeQuery<Row>(CompiledQuery.raw(text, [...values]));
    return result.rows;
  } catch (error) {
    throw sqlState(error) === null ? new DatabaseUnavailable(error) : error;
  }
}

function clientOf(em: EntityManager) {
  return em.getConnection().getClient();
}
