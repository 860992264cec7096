import { createHash } from 'node:crypto';

/*
 * Plan hints: everything that exists only for the sake of a query plan. docs/decisions/0022-query-plans.md has the
 * measurements. This file has the hints that are code. Hints within a statement stand there, with a comment
 * `Plan hint NAME`; a test compares those names with this list:
 *
 * - ADMISSION_PLANS: settings of SQL functions. Planning anew for each number of requests costs more than the function.
 *   Joins that read whole tables are off, because the plan stays while a small table grows.
 * - CHANGE_PLANS: settings of `write_links`, also for the functions that it calls. Planning anew for each number of links
 *   costs more than the function. Joins that read whole tables are off, as for ADMISSION_PLANS.
 * - CONSTANT_STATUS: statuses are constants of the text. A kept plan with parameters cannot use a partial index.
 * - CREATE_PLANS: a setting of `create_links`, also for the functions that it calls. Their plans of nearly empty tables read
 *   whole tables, and stay until autovacuum has analyzed these.
 * - DEPENDENT_COLUMNS: statistics on several columns of a table.
 * - FENCE: `offset 0` or `materialized` keeps the planner from merging a subquery with the rest of the statement.
 * - LIMITED_PIECES: each piece of a `union all` has the limit of the whole. Without it the planner reads and sorts all rows.
 * - REPLY_BY_PRIMARY_KEY: no condition on the age of a reply, because the index of ages is nearly empty at first.
 * - UNINDEXED_CONDITION: a condition that does not match a partial index, because that index is nearly empty at first.
 */

/** PostgreSQL settings of all sessions that run our statements. */
export const PLAN_HINTS: Readonly<Record<string, string | number>> = {
  // Our statements take milliseconds; just-in-time compilation takes 100 to 500 ms.
  jit: 'off',
  // The list of one practice would take the processors of others. Machines that are busy answer it later with parallel workers.
  max_parallel_workers_per_gather: 0,
  // Pages lie in memory or on disks without moving parts. With the default of 4, whole tables are read where an index can answer alone.
  random_page_cost: 1.1,
};

/** Names of the statements whose plans are kept, by their texts. */
const kept = new Map<string, string>();

/**
 * Makes each connection parse and plan a statement only once: for our most frequent statements that saves half of the time.
 * Only for constant texts whose plan does not depend on their values.
 */
export function keepPlanOf(text: string): void {
  if (!kept.has(text)) kept.set(text, nameFor(text));
}

/** Returns the name under which connections prepare this statement; undefined if its plan is not kept. */
export function preparedName(text: string): string | undefined {
  return kept.get(text);
}

/** Returns the name of a prepared statement, at most 63 bytes. It depends on the text alone and begins with its words. */
function nameFor(text: string): string {
  const words = text.toLowerCase().match(/[a-z_]+/g) ?? [];
  return `${words.join('_').slice(0, 40)}_${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
}

/**
 * Returns the values of a batch as an array of constant length, filled up with nulls. For shorter arrays the planner would
 * make a new plan each time instead of the kept one, and planning costs more than the statement.
 */
export function padded<Item, Value>(
  items: readonly Item[],
  length: number,
  of: (item: Item) => Value,
): (Value | null)[] {
  return Array.from({ length }, (_, index) => {
    const item = items[index];
    return item === undefined ? null : of(item);
  });
}
