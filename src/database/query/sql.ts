import { createHash } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { CompiledQuery } from 'kysely';
import { sqlState } from '../../base/sql-state.ts';
import { DatabaseUnavailable } from './errors.ts';

/** Values a statement takes; arrays travel as PostgreSQL arrays, Dates as timestamps. */
export type SqlValue =
  | (string | number | boolean | null | Date | Buffer)
  | (readonly (string | null)[] | readonly (number | null)[] | readonly (Buffer | null)[]);

/** Names of the statements whose plans connections keep, by their texts. */
const prepared = new Map<string, string>();

/** By its text alone, the same in every process, and recognisable in `pg_prepared_statements`; 63 bytes at most. */
function nameFor(text: string): string {
  const words = text.toLowerCase().match(/[a-z_]+/g) ?? [];
  return `${words.join('_').slice(0, 40)}_${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
}

/** The name under which a connection should keep this statement prepared, if it was asked for. */
export function preparedName(text: string): string | undefined {
  return prepared.get(text);
}

/**
 * Runs one hand-written statement with `$1`-style parameters and returns its rows. It joins the entity manager's
 * transaction when there is one. Unlike `em.execute`, values never become part of the statement's text.
 *
 * @throws DatabaseUnavailable when the connection failed; the driver's own error when the server reported one
 *
 * With `keepPlan` each connection parses and plans the statement once and keeps it, which for our hot statements costs as
 * much as running them. Only for constant texts whose plan doesn't hang on their values.
 *
 * The row type is the caller's word for what its own SQL returns: timestamps arrive as text, bigints as text.
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
