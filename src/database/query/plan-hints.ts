/*
 * Settings that influence query plans, with their reasons: docs/decisions/0022-query-plans.md. PostgreSQL replans kept
 * plans (`keepPlan`) whenever autovacuum has analyzed a table. At that moment only settings of the whole session, or of an
 * SQL function, apply.
 */

/** PostgreSQL settings of all sessions that run our statements. */
export const PLAN_HINTS: Readonly<Record<string, 'off' | 0>> = {
  // Our statements take milliseconds; just-in-time compilation takes 100 to 500 ms. Up to PostgreSQL 17,
  // `enable_seqscan = off` raises the cost of a needed scan above every threshold for compilation.
  jit: 'off',
  // After a wrong estimate, parallel workers count an empty table: 8 to 11 ms instead of 3.
  max_parallel_workers_per_gather: 0,
  // A plan that was made for a nearly empty table reads the whole table. It is kept while the table grows.
  enable_seqscan: 'off',
  // A join plan that was made for a nearly empty table reads the whole index instead of looking up each row.
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
};

/** Lifetime of a connection. A bad plan ends with its connection. */
export const CONNECTION_LIFETIME_SECONDS = 60;
