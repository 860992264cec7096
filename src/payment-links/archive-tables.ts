import type { Scope } from '../base/scope.ts';
import type { WithoutTimeLimits } from '../database/maintenance.ts';
import { isLockConflict } from '../database/query/errors.ts';
import { type RetryLimits, retryOnLocks } from '../database/query/retry-on-locks.ts';
import { sql } from '../database/query/sql.ts';
import { inTransaction } from '../database/query/transaction.ts';

/* The tables of the archive: how they become children of the present ones, and their statistics. */

/** Tries to attach one pair of tables, each for one and a half seconds. No request waits behind it. */
const ATTACH_TRIES: RetryLimits = { tries: 3, pauseMs: 200 };

/** Longest wait of `analyze` for a table. Autovacuum gives way after one second, unless it prevents a wraparound. */
const ANALYZE_LOCK_TIMEOUT = '5s';

/** Returns the number of archived links that the planner knows of: those of the last `analyze`. */
export async function analyzedLinks({ em }: Scope): Promise<number> {
  const [row] = await sql<{ count: number }>(
    em,
    `select greatest(reltuples, 0)::float8 as count from pg_class
     where relnamespace = 'archive'::regnamespace and relname = 'payment_links'`,
  );
  return row?.count ?? 0;
}

/**
 * Makes the statistics of one table of each pair. Those of a present table are also those of both together. A table that
 * another transaction keeps locked is left to autovacuum.
 */
export async function analyzeTables(withoutTimeLimits: WithoutTimeLimits, schema: 'public' | 'archive'): Promise<void> {
  await withoutTimeLimits(async (scope) => {
    const pairs: { name: string }[] = await sql(
      scope.em,
      `select relname as name from pg_class where relnamespace = 'archive'::regnamespace and relkind = 'r' order by 1`,
    );
    for (const { name } of pairs) {
      try {
        await inTransaction(scope, async ({ em }) => {
          await sql(em, `set local lock_timeout = '${ANALYZE_LOCK_TIMEOUT}'`);
          await sql(em, `analyze ${schema}.${name}`);
        });
      } catch (error) {
        if (!isLockConflict(error)) throw error;
        scope.log.info({ table: `${schema}.${name}` }, 'a table is locked; autovacuum analyzes it later');
      }
    }
  });
}

/**
 * Attaches the archive to the present tables, each pair in its own transaction.
 *
 * @returns `already`: nothing was left to attach; `attached`: this call attached the last table; `locked`: the next run goes on
 */
export async function attachTables({ em, log }: Scope): Promise<'already' | 'attached' | 'locked'> {
  const attachNext = async () => {
    const [next] = await sql<{ attached: number }>(em, 'select attach_archive(1) as attached');
    return next?.attached ?? 0;
  };
  let attached = 0;
  try {
    for (let count = -1; count !== 0; attached += count) count = await retryOnLocks(attachNext, ATTACH_TRIES);
    if (attached === 0) return 'already';
    log.info('the archive of payment links is attached; the next run begins to fill it');
    return 'attached';
  } catch (error) {
    if (!isLockConflict(error)) throw error;
    log.info('a table of the archive is locked; the next run tries again');
    return 'locked';
  }
}
