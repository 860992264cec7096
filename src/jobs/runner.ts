import { EventEmitter } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { type Runner, run, runOnce, type TaskList, type WorkerEvents, type WorkerPool } from 'graphile-worker';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { type Connection, connectionTo } from '../database/connection/connection.ts';
import { createPool } from '../database/connection/pool.ts';
import { DATABASE_LIMITS, type DatabaseLimits } from '../database/connection/service-connection.ts';
import { PLAN_HINTS } from '../database/query/plan-hints.ts';
import { graphileLogger } from './queue-log.ts';

/** A continuous runner of the job queue. */
export interface JobRunner {
  /** Starts no new jobs, and resolves when those under way are done. */
  stop(): Promise<void>;
}

/** The runner of all jobs that are not wake-up jobs. */
export interface JobSweep {
  /** Runs the queued jobs one by one, and resolves when none is left. */
  run(): Promise<void>;
  /** Starts no further job; `run` resolves after the present one. */
  stop(): void;
  /** Closes the connections. Call it when `run` is not under way. */
  close(): Promise<void>;
}

/** Concurrent wake-up jobs. They are short, so a few at once handle thousands a second. */
const CONCURRENCY = 8;

/**
 * Wake-up jobs fetched at once. Five thousand events for one endpoint can mean as many jobs, and other endpoints' jobs wait
 * behind them. Fetching them one by one would take seconds. Fetched jobs of a worker that dies stay locked for hours, so
 * only wake-up jobs are fetched in advance.
 */
const FETCHED = 500;

/** Marks jobs as done in batches. There a failure to do so ends the runner only; without batches it ends the process. */
const MARKED_IN_BATCHES = { completeJobBatchDelay: 0, failJobBatchDelay: 0 };

/** Wait between the end of one runner and the start of the next. */
const RESTART_MS = 1_000;

/**
 * Runs wake-up jobs until it is stopped, and restarts the queue's runner when that ends. The runner ends when it cannot
 * mark a job as done, and does not start while the database is unavailable. Without a restart only the sweeps, seconds
 * late, would start deliveries.
 */
export function runWakeUpJobs(
  databaseUrl: string,
  wakeUpJobs: TaskList,
  log: Logger,
  limits: Partial<DatabaseLimits> = {},
): JobRunner {
  const stopping = new AbortController();
  let runner: Runner | undefined;
  const done = (async () => {
    while (!stopping.signal.aborted) {
      const pool = createPool(jobConnection(databaseUrl, limits), CONCURRENCY + 2, log);
      try {
        runner = await startRunner(pool, wakeUpJobs, log);
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
      // `stop` rejects when the runner is ending already; `done` waits for it in both cases.
      await runner?.stop().catch(() => undefined);
      await done;
    },
  };
}

/**
 * Creates the runner of jobs that no sweep replaces when they are lost: mails, and notifications of the sandbox. It fetches
 * a job only when it runs it. It does not run continuously, because then every wake-up job would wake it, and it would
 * search for its jobs among thousands of those.
 */
export function createJobSweep(
  databaseUrl: string,
  taskList: TaskList,
  log: Logger,
  limits: Partial<DatabaseLimits> = {},
): JobSweep {
  const pool = createPool(jobConnection(databaseUrl, limits), 2, log);
  const preset = { worker: MARKED_IN_BATCHES };
  const events: WorkerEvents = new EventEmitter();
  let running: WorkerPool | undefined;
  let isStopping = false;
  events.on('pool:create', ({ workerPool }) => {
    running = workerPool;
  });
  return {
    async run() {
      if (isStopping) return;
      try {
        await runOnce({ pgPool: pool, taskList, noHandleSignals: true, preset, logger: graphileLogger(log), events });
      } finally {
        running = undefined;
      }
    },
    stop() {
      isStopping = true;
      // If the shutdown fails, `run` rejects, and its caller logs the error.
      Promise.resolve(running?.gracefulShutdown('the worker stops')).catch(() => undefined);
    },
    close: () => pool.end(),
  };
}

function jobConnection(databaseUrl: string, limits: Partial<DatabaseLimits>): Connection {
  const all = { ...DATABASE_LIMITS, ...limits };
  const session = `-c jit=${PLAN_HINTS.jit}`;
  return connectionTo(databaseUrl, { applicationName: 'paylinks jobs', session, limits: all });
}

function startRunner(pool: Pool, taskList: TaskList, log: Logger): Promise<Runner> {
  return run({
    pgPool: pool,
    concurrency: CONCURRENCY,
    // The database notifies the runner of new jobs; it polls for jobs with a later `run_at`.
    pollInterval: 1_000,
    noHandleSignals: true,
    preset: { worker: { ...MARKED_IN_BATCHES, localQueue: { size: FETCHED } } },
    logger: graphileLogger(log),
    taskList,
  });
}
