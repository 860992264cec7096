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

/** A runner of the job queue, kept running. */
export interface Listener {
  /** Takes no new jobs and resolves when those under way are done. */
  stop(): Promise<void>;
}

/** The jobs that are more than doorbells. */
export interface JobRound {
  /** Does what is queued, job by job, and resolves when nothing is left. */
  run(): Promise<void>;
  /** Begins no further job; the round under way ends with the present one. */
  stop(): void;
  /** To be called when no round is under way. */
  close(): Promise<void>;
}

/** Wake-up jobs are short; a few at once keep up with thousands a second. */
const CONCURRENCY = 8;

/**
 * Wake-up jobs fetched at once. Five thousand events for one endpoint are as many doorbells, and those of everybody else
 * wait behind them: fetched one by one that would take seconds. Those that die with the worker stay locked for hours,
 * which is why nothing but doorbells is fetched in advance.
 */
const FETCHED = 500;

/** In batches, because only there a job that can't be marked as done ends the runner; alone it ends the process. */
const MARKED_IN_BATCHES = { completeJobBatchDelay: 0, failJobBatchDelay: 0 };

/** Between the end of one runner and the start of the next: soon enough to be missed by nobody but the log. */
const RESTART_MS = 1_000;

/**
 * Hears doorbells until it is stopped. The queue's runner ends itself when the database is away at the wrong moment (a
 * job that can't be marked as done), and can't start while it is away; without this the worker would go on by its
 * sweeps alone, seconds late, or end with it.
 */
export function runWakeUpJobs(
  databaseUrl: string,
  doorbells: TaskList,
  log: Logger,
  limits: Partial<DatabaseLimits> = {},
): Listener {
  const stopping = new AbortController();
  let runner: Runner | undefined;
  const done = (async () => {
    while (!stopping.signal.aborted) {
      const pool = createPool(jobConnection(databaseUrl, limits), CONCURRENCY + 2, log);
      try {
        runner = await startRunner(pool, doorbells, log);
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

/**
 * Rounds over the jobs that nothing makes up for when they are lost: mails, what the sandbox has to tell. Fetched when
 * they are done and not before. By rounds and not by a runner that listens: it would be woken by every doorbell, and look
 * for its own jobs among thousands of those.
 */
export function createJobRounds(
  databaseUrl: string,
  taskList: TaskList,
  log: Logger,
  limits: Partial<DatabaseLimits> = {},
): JobRound {
  const pool = createPool(jobConnection(databaseUrl, limits), 2, log);
  const preset = { worker: MARKED_IN_BATCHES };
  const events: WorkerEvents = new EventEmitter();
  let round: WorkerPool | undefined;
  let isStopping = false;
  events.on('pool:create', ({ workerPool }) => {
    round = workerPool;
  });
  return {
    async run() {
      if (isStopping) return;
      try {
        await runOnce({ pgPool: pool, taskList, noHandleSignals: true, preset, logger: graphileLogger(log), events });
      } finally {
        round = undefined;
      }
    },
    stop() {
      isStopping = true;
      // Should it fail, so does `run`, which tells of it.
      Promise.resolve(round?.gracefulShutdown('the worker ends')).catch(() => undefined);
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
    // Wake-up jobs arrive by notification; polling is for those of the future.
    pollInterval: 1_000,
    noHandleSignals: true,
    preset: { worker: { ...MARKED_IN_BATCHES, localQueue: { size: FETCHED } } },
    logger: graphileLogger(log),
    taskList,
  });
}
