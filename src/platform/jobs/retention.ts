import type { Scope } from '../base/scope.ts';
import { sql } from '../database/query/sql.ts';

const BATCH_ROWS = 1_000;

/**
 * Deletes jobs that used up their tries a week ago, by the clock of the database. Until then `paylinks_jobs_exhausted`
 * counts them.
 *
 * @returns true when there may be more
 */
export async function purgeEndedJobs(scope: Scope): Promise<boolean> {
  const deleted = await sql(
    scope.em,
    `select id from graphile_worker.complete_jobs(array(
       select id from graphile_worker.jobs
       where attempts >= max_attempts and coalesce(locked_at, updated_at) < now() - interval '7 days'
       limit $1
     ))`,
    [BATCH_ROWS],
  );
  return deleted.length === BATCH_ROWS;
}
