import type { EntityManager } from '@mikro-orm/postgresql';
import { CompiledQuery } from 'kysely';
import { sqlState } from '../../base/sql-state.ts';
import { DatabaseUnavailable } from './errors.ts';
import { rememberPlan } from './plan-hints.ts';

/** Values of statement parameters. Arrays become PostgreSQL arrays, Dates become timestamps. */
export type SqlValue =
  | (string | number | boolean | null | Date | Buffer)
  | (readonly (string | number | null)[] | readonly (Buffer | null)[]);

/** Adds a value to a statement, and returns its placeholder, such as `$3`. */
export type Bind = (value: SqlValue) => string;

export function createBindings(): { values: SqlValue[]; bind: Bind } {
  const values: SqlValue[] = [];
  return { values, bind: (value) => `$${values.push(value)}` };
}

/**
 * Runs one SQL statement, in the transaction of the entity manager, if there is one. Timestamps and bigints arrive as text,
 * and nothing checks the row type. `keepPlan`: see `rememberPlan`.
 *
 * @throws DatabaseUnavailable if the connection failed; the driver's error if the server reported one
 */
export async function sql<Row extends object>(
  em: EntityManager,
  text: string,
  values: readonly SqlValue[] = [],
  { keepPlan = false }: { keepPlan?: boolean } = {},
): Promise<Row[]> {
  if (keepPlan) rememberPlan(text);
  const executor = em.getTransactionContext<ReturnType<typeof getClient>>() ?? getClient(em);
  try {
    const result = await executor.executeQuery<Row>(CompiledQuery.raw(text, [...values]));
    return result.rows;
  } catch (error) {
    throw sqlState(error) === null ? new DatabaseUnavailable(error) : error;
  }
}

function getClient(em: EntityManager) {
  return em.getConnection().getClient();
}
