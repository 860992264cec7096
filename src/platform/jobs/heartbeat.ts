import { hash } from 'node:crypto';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { onConnection } from '../database/connection/pool.ts';
import { logFault } from './queue-log.ts';

const HEARTBEAT_MS = 1_000;

/** After a longer pause, a runner must not unlock jobs of others: the database was slow for them as well. */
const GAP_MS = 3_000;

/** Twice the gap, so that a slow database is no reason. */
const DEAD_AFTER_SECONDS = 6;

const FORGOTTEN_AFTER_SECONDS = 60;

/**
 * The queue would unlock the jobs of a dead process after four hours. With heartbeats it takes about eight seconds.
 *
 * @param runnerId returns null while there is no runner
 */
export function startHeartbeats(pool: Pool, runnerId: () => string | null, log: Logger) {
  let steadySinceMs = Number.POSITIVE_INFINITY;
  let beatAtMs = Number.NEGATIVE_INFINITY;
  let living: readonly string[] = [];
  const beat = async () => {
    const id = runnerId();
    if (id === null) return;
    living = await recordHeartbeat(pool, id);
    const nowMs = performance.now();
    if (nowMs - beatAtMs > GAP_MS) steadySinceMs = nowMs;
    beatAtMs = nowMs;
    if (nowMs - steadySinceMs < DEAD_AFTER_SECONDS * 1_000) return;
    const unlocked = await unlockDeadRunners(pool);
    if (unlocked > 0) log.warn({ jobs: unlocked }, 'unlocked the jobs of a worker that died');
  };
  let underWay: Promise<void> | null = null;
  const timer = setInterval(() => {
    underWay ??= beat()
      .catch((err) => logFault(log, err, 'the heartbeat of the job runner failed'))
      .finally(() => {
        underWay = null;
      });
  }, HEARTBEAT_MS);
  return {
    /** Records a heartbeat, and unlocks the jobs of dead runners if its own heartbeats had no gap. */
    beat,
    living: () => living,
    /** Jobs that the runner still has locked are then unlocked by another process. */
    async stop() {
      clearInterval(timer);
      await underWay;
    },
  };
}

async function recordHeartbeat(pool: Pool, runnerId: string): Promise<string[]> {
  const { rows } = await onConnection(pool, (client) =>
    client.query<{ id: string }>(
      `with beat as (
         insert into job_runner_heartbeats (runner_id, seen_at) values ($1, clock_timestamp())
         on conflict (runner_id) do update set seen_at = excluded.seen_at
       )
       select runner_id as id from job_runner_heartbeats
       where runner_id <> $1 and seen_at > clock_timestamp() - make_interval(secs => $2::integer)`,
      [runnerId, DEAD_AFTER_SECONDS],
    ),
  );
  return rows.map(({ id }) => id);
}

/**
 * Returns the owner of notifications about a subject: the runner with the highest hash of both. All runners agree
 * without asking, and most owners stay the same when a runner comes or goes. While they disagree, or the owner is dead,
 * the recurring job finds what is due.
 */
export function chooseOwner(subject: string, runnerIds: readonly string[]): string | undefined {
  const hashes = new Map(runnerIds.map((id) => [id, hash('sha1', `${subject} ${id}`)]));
  return runnerIds.toSorted((a, b) => ((hashes.get(a) ?? '') < (hashes.get(b) ?? '') ? 1 : -1))[0];
}

/** A job that was locked a moment ago stays locked: its runner's first heartbeat may follow. Returns the number of jobs. */
export async function unlockDeadRunners(pool: Pool): Promise<number> {
  const deadIds = await onConnection(pool, async (client) => {
    // Queues whose runner has none of their jobs: one that counted as dead may complete a job that another has by then. The age is
    // checked again if a runner locks the queue at this moment. Its job would not be seen then.
    await client.query(
      `update graphile_worker._private_job_queues q set locked_at = null, locked_by = null
       where locked_at < clock_timestamp() - make_interval(secs => $1::integer) and not exists (
         select from graphile_worker._private_jobs j where j.job_queue_id = q.id and j.locked_by = q.locked_by)`,
      [DEAD_AFTER_SECONDS],
    );
    await client.query(
      'delete from job_runner_heartbeats where seen_at < clock_timestamp() - make_interval(secs => $1::integer)',
      [FORGOTTEN_AFTER_SECONDS],
    );
    const { rows } = await client.query<{ id: string }>(
      `select distinct locked_by as id from graphile_worker.jobs
       where locked_at < clock_timestamp() - make_interval(secs => $1::integer) and not exists (
         select from job_runner_heartbeats h
         where h.runner_id = locked_by and h.seen_at > clock_timestamp() - make_interval(secs => $1::integer))`,
      [DEAD_AFTER_SECONDS],
    );
    return rows.map(({ id }) => id);
  });
  return deadIds.length === 0 ? 0 : unlockRunners(pool, deadIds);
}

/** A job in its last try gets one more; the queue would never run it again. Returns the number of jobs. */
export function unlockRunners(pool: Pool, runnerIds: readonly string[]): Promise<number> {
  return onConnection(pool, async (client) => {
    // In one transaction, because a job that is unlocked without a try left would be lost.
    await client.query('begin');
    const { rows } = await client.query<{ id: string }>(
      'select id from graphile_worker.jobs where locked_by = any ($1::text[])',
      [runnerIds],
    );
    await client.query('select graphile_worker.force_unlock_workers($1::text[])', [runnerIds]);
    await client.query(
      `select graphile_worker.reschedule_jobs(array[id], attempts := max_attempts - 1) from graphile_worker.jobs
       where id = any ($1::bigint[]) and attempts >= max_attempts and locked_at is null`,
      [rows.map(({ id }) => id)],
    );
    await client.query('commit');
    return rows.length;
  });
}
