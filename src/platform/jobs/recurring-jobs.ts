import type { JobHelpers, TaskList } from 'graphile-worker';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { logRepeated } from '../base/log/log-repeated.ts';
import type { Scope } from '../base/scope.ts';
import { onConnection } from '../database/connection/pool.ts';
import { sql } from '../database/query/sql.ts';
import { reportJob } from './queue-log.ts';

/**
 * Work that one process of the whole cluster does at a time. A run beside a hung one is possible, so it must be safe to
 * run twice at once.
 */
export interface RecurringJob {
  name: string;
  /** Pause after a run. The queue adds up to a second. */
  everySeconds: number;
  /** Work in batches asks `shouldContinue` before each batch. */
  run(shouldContinue: () => boolean): Promise<unknown>;
}

/** The largest number that the queue stores. A job only fails if its successor cannot be added. */
const MAX_ATTEMPTS = 32_767;

/** Recurring jobs go before all others, so that thousands of overdue jobs do not delay them. */
const PRIORITY = -1;

/** A run must end by itself, and the next one goes on. */
const RUN_LIMIT_MS = 5 * 60_000;

/** A run that hangs gets a successor, which may run beside it. All work has own deadlines. */
const HUNG_AFTER_MS = 2 * RUN_LIMIT_MS;

/** Each handler logs a failure, and adds the job's successor. Only if that fails, the queue repeats the job itself. */
export function recurringTasks(jobs: readonly RecurringJob[], log: Logger, shouldContinue: () => boolean): TaskList {
  const handler = (job: RecurringJob) => async (_payload: unknown, helpers: JobHelpers) => {
    const endsMs = performance.now() + RUN_LIMIT_MS;
    const { promise: hung, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(new Error(`${job.name} does not end`)), HUNG_AFTER_MS);
    try {
      const run = () => job.run(() => shouldContinue() && performance.now() < endsMs);
      await reportJob(job.name, () => Promise.race([run(), hung]));
    } catch (err) {
      logRepeated(log, 'error', { err, job: job.name }, 'a recurring job failed; it runs again after its pause');
    } finally {
      clearTimeout(timer);
    }
    await addSuccessor(helpers, job);
  };
  return Object.fromEntries(jobs.map((job) => [job.name, handler(job)]));
}

/** The present job loses its key to the next one, so both exist until it is completed. */
async function addSuccessor({ withPgClient }: JobHelpers, { name, everySeconds }: RecurringJob): Promise<void> {
  await withPgClient((client) =>
    client.query(
      `select graphile_worker.add_job($1, '{}'::json, job_key := $1, max_attempts := $2::integer,
         priority := $3::integer, run_at := now() + make_interval(secs => $4))`,
      [name, MAX_ATTEMPTS, PRIORITY, everySeconds],
    ),
  );
}

/**
 * Adds the recurring jobs that are missing, to run at once. Every process may call this at any time. Removes jobs
 * without a try left: their worker died after it had added their successor. A job that would wait longer than its pause
 * runs at once. The queue repeats a failed job after up to six hours, and the database's clock may have been set back.
 */
export async function ensureRecurringJobs(pool: Pool, jobs: readonly RecurringJob[]): Promise<void> {
  const names = jobs.map(({ name }) => name);
  const pausesSeconds = jobs.map(({ everySeconds }) => everySeconds);
  await onConnection(pool, async (client) => {
    await client.query(
      `select graphile_worker.complete_jobs(array(
         select id from graphile_worker.jobs
         where task_identifier = any ($1) and attempts >= max_attempts and locked_at is null
       ))`,
      [names],
    );
    await client.query(
      `select graphile_worker.add_job(name, '{}'::json, job_key := name, job_key_mode := 'unsafe_dedupe',
         max_attempts := $2::integer, priority := $3::integer)
       from unnest($1::text[]) as name
       where not exists (select from graphile_worker.jobs where key = name)
       order by name`,
      [names, MAX_ATTEMPTS, PRIORITY],
    );
    await client.query(
      `select graphile_worker.reschedule_jobs(array(
         select id from graphile_worker.jobs join unnest($1::text[], $2::float[]) as j (name, pause_seconds) on key = name
         where locked_at is null and run_at > clock_timestamp() + make_interval(secs => pause_seconds)
       ), run_at := now(), attempts := 0)`,
      [names, pausesSeconds],
    );
  });
}

const BATCH_ROWS = 1_000;

/** Deletes jobs that used up their tries. `paylinks_jobs_exhausted` counts them for a week. Returns true if there may be more. */
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
