import type { Scope } from '../base/scope.ts';
import { sql } from '../database/query/sql.ts';
import { DELIVER_TASK } from './wake-up.ts';

/** Jobs per statement. */
const BATCH = 1_000;

/**
 * Deletes jobs that used up their tries. A wake-up job used up its only try because its worker died, and a recurring job has
 * replaced it long before. Others, such as mails, stay for a week, so that an operator sees them in `paylinks_jobs_exhausted`. The job queue refuses to delete a locked job for
 * four hours. All times are by the database's clock.
 *
 * @returns true when there may be more.
 */
export async function purgeEndedJobs(scope: Scope): Promise<boolean> {
  const deleted = await sql(
    scope.em,
    `select id from graphile_worker.complete_jobs(array(
       select id from graphile_worker.jobs
       where attempts >= max_attempts and coalesce(locked_at, updated_at)
         < now() - case task_identifier when $1 then interval '4 hours' else interval '7 days' end
       limit $2
     ))`,
    [DELIVER_TASK, BATCH],
  );
  return deleted.length === BATCH;
}
