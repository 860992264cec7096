import { setTimeout as pause } from 'node:timers/promises';
import { type Runner, run, type TaskList } from 'graphile-worker';
import { Pool } from 'pg';
import type { Logger } from 'pino';
import { ImpatientClient } from './impatient-client.ts';
import { DATABASE_LIMITS, type DatabaseLimits } from './orm.ts';
import { graphileLogger } from './tasks.ts';

/** The job queue's runner, kept running. */
export interface Doorbells {
  /** Takes no new jobs and resolves when those under way are done. */
  stop(): Promise<void>;
}

/** Doorbells are short; a few at once keep up with thousands a second. */
const JOB_CONCURRENCY = 8;

/**
 * Jobs fetched at once. Five thousand events for one endpoint are as many doorbells, and those of everybody else wait
 * behind them: fetched one by one that would take seconds.
 */
const JOBS_FETCHED = 500;

/** Between the end of one runner and the start of the next: soon enough to be missed by nobody but the log. */
const RESTART_MS = 1_000;

/**
 * Hears doorbells until it is stopped. The queue's runner ends itself when the database is away at the wrong moment (a
 * job that can't be marked as done), and can't start while it is away; without this the worker would go on by its
 * sweeps alone, seconds late, or end with it.
 */
export function listenForDoorbells(
  databaseUrl: string,
  jobs: TaskList,
  log: Logger,
  limits: Partial<DatabaseLimits> = {},
): Doorbells {
  const stopping = new AbortController();
  let runner: Runner | undefined;
  const done = (async () => {
    while (!stopping.signal.aborted) {
      const pool = createPool(databaseUrl, log, limits);
      try {
        runner = await startRunner(pool, jobs, log);
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

function createPool(databaseUrl: string, log: Logger, limits: Partial<DatabaseLimits>): Pool {
  const pool = new Pool({
    connectionString: databaseUrl,
    max: JOB_CONCURRENCY + 2,
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

function startRunner(pool: Pool, jobs: TaskList, log: Logger): Promise<Runner> {
  return run({
    pgPool: pool,
    concurrency: JOB_CONCURRENCY,
    // Doorbells arrive by notification; polling is for those of the future.
    pollInterval: 1_000,
    noHandleSignals: true,
    // In batches, because only there a job that can't be marked as done ends the runner; alone it ends the process.
    preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0, localQueue: { size: JOBS_FETCHED } } },
    logger: graphileLogger(log),
    taskList: jobs,
  });
}
