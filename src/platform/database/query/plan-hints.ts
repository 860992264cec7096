import { createHash } from 'node:crypto';

/*
 * Plan hints: everything that exists only for the sake of a query plan. docs/decisions/0022-query-plans.md has the
 * measurements. This file has the hints that are code. Hints within a statement stand there, with a comment
 * `Plan hint NAME`; a test compares those names with this list:
 *
 * - ADMISSION_PLANS: settings of SQL functions. Their plans are kept, and use no joins that read whole tables.
 * - CHANGE_PLANS: the same for `write_links`, and for the functions that it calls.
 * - CONSTANT_STATUS: statuses are constants of the text. A kept plan with parameters cannot use a partial index.
 * - CREATE_PLANS: a setting of `create_links`, whose plans of nearly empty tables would stay until autovacuum.
 * - DEPENDENT_COLUMNS: statistics on several columns of a table.
 * - FENCE: `offset 0` or `materialized` keeps the planner from merging a subquery with the rest of the statement.
 * - LIMITED_PIECES: each piece of a list has the limit of the whole. Without it the planner reads and sorts all rows.
 * - REPLY_BY_PRIMARY_KEY: no condition on the age of a reply, because the index of ages is nearly empty at first.
 * - UNINDEXED_CONDITION: a condition that does not match a partial index, because that index is nearly empty at first.
 */

/** PostgreSQL settings of all sessions that run our statements. */
export const PLAN_HINTS = {
  // Our statements take milliseconds; just-in-time compilation takes 100 to 500 ms.
  jit: 'off',
  // The list of one practice would take the processors of others. Machines that are busy answer it later with parallel workers.
  max_parallel_workers_per_gather: '0',
  // Pages lie in memory or on disks without moving parts. With the default of 4, whole tables are read where an index can answer alone.
  random_page_cost: '1.1',
};

const planNames = new Map<string, string>();

/** Makes each connection plan a statement once. Only for constant texts whose plan does not depend on their values. */
export function rememberPlan(text: string): void {
  if (!planNames.has(text)) planNames.set(text, nameFor(text));
}

export function preparedName(text: string): string | undefined {
  return planNames.get(text);
}

/** Returns at most 63 bytes. */
function nameFor(text: string): string {
  const words = text.toLowerCase().match(/[a-z_]+/g) ?? [];
  return `${words.join('_').slice(0, 40)}_${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
}

type Value = string | number | null;

export type BatchStatement = Record<'one' | 'more', string>;

/**
 * Writes a statement whose plans are kept, for one item and for more. The planner knows that one item is one row, so it finds
 * everything by indexes. More items are arrays of constant length, filled up with nulls. For shorter arrays the planner would
 * make a new plan each time instead of the kept one, and planning costs more than the statement.
 *
 * @param columns types of the items' columns, by name; `$3` is the parameter of the first one
 * @param write returns the statement that reads the items from this table expression
 */
export function batchStatement(
  columns: Readonly<Record<string, string>>,
  write: (items: string) => string,
): BatchStatement {
  const parameters = (suffix: string) => Object.values(columns).map((type, index) => `$${index + 3}::${type}${suffix}`);
  const alias = `as asked (${Object.keys(columns).join(', ')})`;
  return {
    one: write(`(values (${parameters('').join(', ')})) ${alias}`),
    more: write(`unnest(${parameters('[]').join(', ')}) ${alias}`),
  };
}

/** @param items values of each item, in the order of the columns */
export function bindItems(
  { one, more }: BatchStatement,
  items: readonly (readonly Value[])[],
  size: number,
): { text: string; values: (Value | Value[])[] } {
  const [first = []] = items;
  if (items.length === 1) return { text: one, values: [...first] };
  const rows = Array.from({ length: size }, (_, index) => items[index]);
  return { text: more, values: first.map((_, column) => rows.map((row) => row?.[column] ?? null)) };
}
