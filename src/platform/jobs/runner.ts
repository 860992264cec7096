import { EventEmitter, once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { type Runner, run, type Task, type TaskList, type WorkerEventMap, type WorkerEvents } from 'graphile-worker';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { type ConnectionLimits, jobConnection } from '../database/connection/connection.ts';
import { createPool } from '../database/connection/pool.ts';
import { chooseOwner, startHeartbeats, unlockRunners } from './heartbeat.ts';
import { graphileLogger, logFault, reportJob, reportOutcome } from './queue-log.ts';
import { ensureRecurringJobs, type RecurringJob, recurringTasks } from './recurring-jobs.ts';

export interface JobRunner {
  stop(): Promise<void>;
}

export interface Jobs {
  tasks: TaskList;
  recurring: readonly RecurringJob[];
  /** Tasks that only wake up others. Traces have no span of them. */
  wakeUps?: readonly string[];
  notifications?: NotificationHandler;
  /** Named queues; 0 by default. Each adds one to the concurrency. Their jobs use no connection while they run. */
  namedQueueCount?: number;
}

/** Handler of a channel of the database's notifications (`NOTIFY`). */
export interface NotificationHandler {
  channel: string;
  /** @param isOwner returns true if this runner owns notifications of this payload, and so acts on it alone */
  handle(payload: string, isOwner: () => boolean): void;
  /** Called whenever the runner has begun to listen, because it missed what was sent before. */
  begin(): Promise<void>;
}

const POLL_MS = 1_000;

/** A few handle thousands a second. Each recurring job and each named queue adds one, because their jobs may take seconds. */
const SHORT_JOB_CONCURRENCY = 8;

/** For short and recurring jobs at once; one that named queues share, one that hears of new jobs, one for heartbeats. */
export const JOB_CONNECTIONS = 21;

const NEXT_OF_QUEUE_MS = 20;

/** A worker that is frozen holds the jobs that it has fetched until it counts as dead. */
const FETCHED_JOBS = 32;

/** A failure to mark a batch as done ends the runner only; without batches it ends the process. */
const MARKED_IN_BATCHES = { completeJobBatchDelay: 0, failJobBatchDelay: 0 };

/** A mail may take ten seconds. A runner of graphile-worker 0.18.0 sometimes never ends after its connections were cut. */
const END_MS = { afterFailure: 5_000, atStop: 12_000 };

const RESTART_MS = 1_000;
const ENSURE_MS = 10_000;

const HEARTBEAT_LIMITS: ConnectionLimits = {
  connectionTimeoutMillis: 2_000,
  statement_timeout: 2_000,
  answerTimeoutMillis: 3_000,
};

/** The runner of this process. Its ids are null while there is none. */
interface RunnerState {
  runner: Runner | null;
  id: string | null;
  /** Id of the runner before it, whose jobs are still locked. */
  formerId: string | null;
}

/**
 * Runs jobs until it is stopped, and restarts the queue's runner when that ends. It ends when it cannot mark a job as
 * done, and when one of its connections breaks. Then the answer to a fetch of jobs may be lost, and they are locked
 * under its id. A runner that does not end in time is left alone; its jobs are unlocked.
 */
export function runJobs(databaseUrl: string, jobs: Jobs, log: Logger, limits: ConnectionLimits = {}): JobRunner {
  const { recurring, notifications } = jobs;
  const stopping = new AbortController();
  const { signal } = stopping;
  const state: RunnerState = { runner: null, id: null, formerId: null };
  const options = runnerOptions(jobs, log, signal);
  const ownPool = createPool(jobConnection(databaseUrl, { ...limits, ...HEARTBEAT_LIMITS }), 1, log);
  const heartbeats = startHeartbeats(ownPool, () => state.id, log);
  const isOwner = (payload: string) =>
    state.id === null || chooseOwner(payload, [...heartbeats.living(), state.id]) === state.id;
  const loop = (async () => {
    while (!signal.aborted) {
      const pool = createPool(jobConnection(databaseUrl, limits), JOB_CONNECTIONS - 1, log);
      const events: WorkerEvents = new EventEmitter();
      events.on('job:complete', lookForNext);
      if (notifications !== undefined) listen(events, notifications, isOwner, log);
      await runUntilEnd(state, { ...options, pgPool: pool, events }, signal).catch((err) =>
        log.warn({ err }, 'the job queue is out of reach'),
      );
      // The pool ends when the last connection is given back. A runner that was left alone may keep one.
      await Promise.race([pool.end(), pause(RESTART_MS, undefined, { ref: false })]);
      await pause(RESTART_MS, undefined, { signal }).catch(() => undefined);
    }
  })();
  const stopEnsuring = keepRecurringJobs(ownPool, recurring, log);
  return {
    async stop() {
      stopping.abort();
      stopEnsuring();
      endRunner(state);
      await loop;
      await heartbeats.stop();
      await ownPool.end();
    },
  };
}

function runnerOptions(
  { tasks, recurring, wakeUps = [], namedQueueCount = 0 }: Jobs,
  log: Logger,
  signal: AbortSignal,
) {
  const connectionCount = SHORT_JOB_CONCURRENCY + recurring.length + 1;
  if (connectionCount > JOB_CONNECTIONS - 2) throw new Error(`JOB_CONNECTIONS must be ${connectionCount + 2} at least`);
  const concurrency = SHORT_JOB_CONCURRENCY + recurring.length + namedQueueCount;
  return {
    concurrency,
    // The database notifies the runner of new jobs; it polls for jobs with a later `run_at`.
    pollInterval: POLL_MS,
    noHandleSignals: true,
    preset: { worker: { ...MARKED_IN_BATCHES, localQueue: { size: Math.max(FETCHED_JOBS, concurrency) } } },
    logger: graphileLogger(log),
    taskList: { ...withReports(tasks, wakeUps), ...recurringTasks(recurring, log, () => !signal.aborted) },
  };
}

async function runUntilEnd(
  state: RunnerState,
  options: ReturnType<typeof runnerOptions> & { pgPool: Pool; events: WorkerEvents },
  signal: AbortSignal,
): Promise<void> {
  const { pgPool: pool, events } = options;
  events.on('pool:create', ({ workerPool }) => {
    state.id = workerPool.id;
  });
  let isBroken = false;
  onBrokenConnection(pool, () => {
    isBroken = true;
    endRunner(state);
  });
  const timeToEnd = once(events, 'pool:gracefulShutdown').then(() =>
    pause(signal.aborted ? END_MS.atStop : END_MS.afterFailure, undefined, { ref: false }),
  );
  try {
    if (state.formerId !== null) await unlockRunners(pool, [state.formerId]);
    state.formerId = null;
    const runner = await run(options);
    state.runner = runner;
    if (signal.aborted || isBroken) endRunner(state);
    await Promise.race([runner.promise, timeToEnd]);
  } finally {
    state.runner = null;
    // The runner that follows unlocks the jobs that this one could not mark as done. If this worker ends instead,
    // another one unlocks them, because the heartbeats have ended.
    state.formerId = state.id ?? state.formerId;
    state.id = null;
  }
}

/** It rejects when the runner is ending already. */
function endRunner({ runner }: RunnerState): void {
  runner?.stop().catch(() => undefined);
}

function onBrokenConnection(pool: Pool, end: () => void): void {
  pool.on('error', end);
  pool.on('connect', (client) => client.on('error', end));
}

/** Looks for the next job of a named queue. The runner would look a second later. */
function lookForNext({ job, worker }: WorkerEventMap['job:complete']): void {
  if (job.job_queue_id !== null) setTimeout(() => worker.workerPool.nudge(1), NEXT_OF_QUEUE_MS).unref();
}

/** Listens on the runner's own connection, and again on each that replaces it. */
function listen(
  events: WorkerEvents,
  { channel, handle, begin }: NotificationHandler,
  isOwner: (payload: string) => boolean,
  log: Logger,
): void {
  events.on('pool:listen:success', ({ client }) => {
    // After the runner's own statement, which it sends right after this event.
    client.once('drain', () => {
      const begun = client.query(`listen ${channel}`).then(begin);
      begun.catch((err) => logFault(log, err, 'the notifications of the database are not heard'));
    });
  });
  events.on('pool:listen:notification', ({ message }) => {
    const { payload } = message;
    if (message.channel === channel && payload !== undefined) handle(payload, () => isOwner(payload));
  });
}

function withReports(tasks: TaskList, wakeUps: readonly string[]): TaskList {
  const handlers = Object.entries(tasks).flatMap(([task, handle]) => {
    if (handle === undefined) return [];
    const report = wakeUps.includes(task) ? reportOutcome : reportJob;
    const handler: Task = (payload, helpers) => report(task, async () => handle(payload, helpers));
    return [[task, handler]];
  });
  return Object.fromEntries(handlers);
}

/** Adds missing recurring jobs: after a restored backup, for example. */
function keepRecurringJobs(pool: Pool, recurring: readonly RecurringJob[], log: Logger): () => void {
  const ensure = () => {
    ensureRecurringJobs(pool, recurring).catch((err) => logFault(log, err, 'the recurring jobs could not be checked'));
  };
  ensure();
  const timer = setInterval(ensure, ENSURE_MS);
  return () => clearInterval(timer);
}
