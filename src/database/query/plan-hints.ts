/*
 * The settings that exist for the sake of query plans, each with its reason: docs/decisions/0022-query-plans.md. Kept
 * plans (`keepPlan`) are replanned whenever autovacuum has analyzed a table, so only settings of the whole session, or of
 * an SQL function, still hold at that moment.
 */

/** PostgreSQL's settings for sessions that run our statements. */
export const PLAN_HINTS: Readonly<Record<string, 'off' | 0>> = {
  // All of ours take milliseconds, and compiling takes 100 to 500. Up to PostgreSQL 17 `enable_seqscan = off` prices what must
  // scan above every threshold of the compiler, so that an empty table without an index was compiled for.
  jit: 'off',
  // A wrong estimate would start workers to count nothing: 8 to 11 ms instead of 3.
  max_parallel_workers_per_gather: 0,
  // A plan made while a table was nearly empty reads all of it; it is kept while the table grows.
  enable_seqscan: 'off',
  // The same through an index: of an empty table a join reads the whole index instead of looking up each row.
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
};

/** How long a connection lives: a plan that is bad nevertheless is forgotten with it. */
export const CONNECTION_LIFETIME_SECONDS = 60;
