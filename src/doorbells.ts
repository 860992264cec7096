import { setTimeout as pause } from 'node:timers/promises';
import { type Runner, run, type TaskList } from 'graphile-worker';
import { Pool } from 'pg';
import type { Logger } from 'pino';
import { ImpatientClient } from './impatient-client.ts';
import { DATABASE_LIMITS, type DatabaseLimits } from './orm.ts';
import { graphileLogger } from './tasks.ts';

/** A runner of the job queue, kept running. */
export interface Listener {
  /** Takes no new jobs and resolves when those under way are done. */
  stop(): Promise<void>;
}

/** How a runner takes its jobs. */
interface Manner {
  /** Jobs at once. */
  concurrency: number;
  /** Jobs fetched in advance, or one by one. */
  localQueue?: { size: number };
}

/**
 * Doorbells fetched at once. Five thousand events for one endpoint are as many doorbells, and those of everybody else
 * wait behind them: fetched one by one that would take seconds. Those that die with the worker stay locked for hours,
 * which is why nothing but doorbells is fetched in advance.
 */
const DOORBELLS: Manner = { concurrency: 8, localQueue: { size: 500 } };

/** Mails and the like: nothing makes up for one that is lost, so it is fetched when it is done and not before. */
const JOBS: Manner = { concurrency: 2 };

/** Between the end of one runner and the start of the next: soon enough to be missed by nobody but the log. */
const RESTART_MS = 1_000;

/** Hears doorbells until it is stopped. */
export function listenForDoorbells(...from: Source): Listener {
  return listen(DOORBELLS, ...from);
}

/** Does the jobs that are more than doorbells, until it is stopped. */
export function listenForJobs(...from: Source): Listener {
  return listen(JOBS, ...from);
}

type Source = [databaseUrl: string, tasks: TaskList, log: Logger, limits?: Partial<DatabaseLimits>];

/**
 * Keeps a runner going. The queue's runner ends itself when the database is away at the wrong moment (a
 * job that can't be marked as done), and can't start while it is away; without this the worker would go on by its
 * sweeps alone, seconds late, or end with it.
 */
function listen(manner: Manner, ...[databaseUrl, tasks, log, limits = {}]: Source): Listener {
  const stopping = new AbortController();
  let runner: Runner | undefined;
  const done = (async () => {
    while (!stopping.signal.aborted) {
      const pool = createPool(databaseUrl, log, { ...limits, max: manner.concurrency + 2 });
      try {
        runner = await startRunner(pool, manner, tasks, log);
        if (stopping.signal.aborted) await runner.stop();
        await runner.promise;
      } catch (err) {
        log.warn({ err }, 'the job queue is out of reach');
      } finally {
        runner = undefined;
        await pool.end();
      }
      await pause(RESTART_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  })();
  return {
    async stop() {
      stopping.abort();
      // One that is ending by itself says so by rejecting; `done` waits for it either way.
      await runner?.stop().catch(() => undefined);
      await done;
    },
  };
}

function createPool(databaseUrl: string, log: Logger, limits: Partial<DatabaseLimits> & { max: number }): Pool {
  const pool = new Pool({
    connectionString: databaseUrl,
    Client: ImpatientClient,
    application_name: 'paylinks jobs',
    ...DATABASE_LIMITS,
    ...limits,
  });
  // Both kinds of connections report a break as an event, which would end the process if nobody listened.
  pool.on('error', (err) => log.debug({ err }, 'an idle connection of the job queue broke'));
  pool.on('connect', (client) => {
    client.on('error', (err) => log.debug({ err }, 'a connection of the job queue broke'));
  });
  return pool;
}

function startRunner(pool: Pool, { concurrency, ...manner }: Manner, taskList: TaskList, log: Logger): Promise<Runner> {
  return run({
    pgPool: pool,
    concurrency,
    // Doorbells arrive by notification; polling is for those of the future.
    pollInterval: 1_000,
    noHandleSignals: true,
    // In batches, because only there a job that can't be marked as done ends the runner; alone it ends the process.
    preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0, ...manner } },
    logger: graphileLogger(log),
    taskList,
  });
}
