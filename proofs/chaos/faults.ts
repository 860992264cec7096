import { setTimeout as pause } from 'node:timers/promises';
import type { EmbeddedPostgres } from 'development-postgres';
import { ENDPOINT_MAIL_TASK } from '../../src/webhooks/endpoints/admin-mail.ts';
import type { Random } from '../../test/harness/random.ts';
import type { Query } from '../trial/evidence.ts';
import type { ProcessGroup } from '../trial/process-group.ts';

/** The processes and the database that the faults hit. */
export interface Victims {
  processes: ProcessGroup;
  postgres: EmbeddedPostgres;
  query: Query;
  random: Random;
  /** Longer than the lease, so that another worker takes over. */
  freezeMs: number;
  /** Jobs that were locked when a worker was killed, each as its id and the time of its lock. */
  lockedJobs: Set<string>;
}

const FAULTS = {
  killWorker: async (victims: Victims) => {
    const { processes, random } = victims;
    const names = processes.names('worker');
    if (names.length === 0) return;
    await processes.kill(random.pick(names));
    await recordLockedJobs(victims);
  },
  killServe: ({ processes, random }: Victims) => processes.kill(random.pick(processes.names('serve'))),
  crashDatabase: ({ postgres }: Victims) => postgres.restart('immediate'),
  freezeWorker: async ({ processes, random, freezeMs }: Victims) => {
    const names = processes.names('worker');
    // One must be left to take over.
    if (names.length > 1) await processes.freeze(random.pick(names), freezeMs + random.integer(0, 2_000));
  },
  endBackends: ({ query, random }: Victims) =>
    query(
      `select pg_terminate_backend(pid) from (
         select pid from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid() order by md5(pid::text || $1) limit 8
       ) as some`,
      [`${random.next()}`],
    ).catch(() => undefined),
};

export type FaultName = keyof typeof FAULTS;

/** Faults and their moments, in milliseconds from the start. */
export interface FaultPlan {
  atMs: number;
  fault: FaultName;
}

/** Faults other than the kill of a worker, which comes every second. */
const OTHERS: FaultName[] = ['killServe', 'crashDatabase', 'freezeWorker', 'endBackends'];

/** Time in which each of the others happens once. The seed decides about the order and the moments. */
const ROUND_MS = 8_000;

/** A worker dies every second; in every eight seconds each other fault happens once, at a random moment. */
export function planFaults(random: Random, durationMs: number): FaultPlan[] {
  const plan: FaultPlan[] = [];
  for (let atMs = 1_000; atMs < durationMs; atMs += 1_000) plan.push({ atMs, fault: 'killWorker' });
  for (let fromMs = 0; fromMs < durationMs; fromMs += ROUND_MS) {
    for (const fault of OTHERS) {
      const atMs = fromMs + random.integer(500, Math.min(ROUND_MS, durationMs - fromMs));
      if (atMs < durationMs) plan.push({ atMs, fault });
    }
  }
  return plan.sort((a, b) => a.atMs - b.atMs);
}

/** Carries the plan out. Resolves when the last fault is over, frozen workers continue, and the database is up. Returns the number of each fault. */
export async function carryOut(plan: readonly FaultPlan[], victims: Victims): Promise<Record<string, number>> {
  const startedMs = performance.now();
  const lasting: Promise<unknown>[] = [];
  for (const { atMs, fault } of plan) {
    const restMs = startedMs + atMs - performance.now();
    if (restMs > 0) await pause(restMs);
    const over = FAULTS[fault](victims);
    // A stopped worker does not delay the others.
    if (fault === 'freezeWorker') lasting.push(over);
    else await over;
  }
  await Promise.all(lasting);
  return Object.fromEntries(
    Object.keys(FAULTS).map((name) => [name, plan.filter(({ fault }) => fault === name).length]),
  );
}

/**
 * The last fault: ends all workers at once, so that nobody hears of what is due, and only the tables say it. Jobs
 * without content stay, because the workers had some of them locked.
 */
export async function endWorkers(victims: Victims): Promise<void> {
  const { processes, query } = victims;
  await query('select count(graphile_worker.add_job($1, max_attempts := 1)) from generate_series(1, 2000)', [
    ENDPOINT_MAIL_TASK,
  ]);
  await Promise.all(processes.names('worker').map((name) => processes.kill(name)));
  await recordLockedJobs(victims);
}

const LOCKED_JOBS = `select id || ' locked at ' || locked_at as job from graphile_worker.jobs where locked_at is not null`;

/** Records which jobs are locked now. If the database is down, the next kill asks again. */
async function recordLockedJobs({ query, lockedJobs }: Victims): Promise<void> {
  const rows = await query<{ job: string }>(LOCKED_JOBS).catch(() => []);
  for (const { job } of rows) lockedJobs.add(job);
}

/** Returns those of the recorded jobs that are still locked: no worker has run or unlocked them. */
export async function findLockedJobs(query: Query, lockedJobs: ReadonlySet<string>): Promise<string[]> {
  const rows = await query<{ job: string }>(LOCKED_JOBS);
  return rows.map(({ job }) => job).filter((job) => lockedJobs.has(job));
}
