import { EventEmitter, once } from 'node:events';
import { mock } from 'node:test';
import { expect } from 'chai';
import { type Runner, run } from 'graphile-worker';
import type { Pool } from 'pg';
import { createLogger } from '../../src/platform/base/log/log.ts';
import { serviceConnection } from '../../src/platform/database/connection/connection.ts';
import { createPool } from '../../src/platform/database/connection/pool.ts';
import { graphileLogger } from '../../src/platform/jobs/queue-log.ts';
import { ensureRecurringJobs, type RecurringJob, recurringTasks } from '../../src/platform/jobs/recurring-jobs.ts';
import { createDatabase } from '../harness/database.ts';

const log = createLogger('silent');

describe('recurring jobs', () => {
  let pool: Pool;
  const runners: Runner[] = [];

  beforeEach(async () => {
    pool = createPool(serviceConnection(await createDatabase()), 10, log);
  });

  afterEach(async () => {
    // A run that begins with the real timer may never end, so runners stop first.
    for (const runner of runners.splice(0)) await runner.stop();
    mock.restoreAll();
    await pool.end();
  });

  async function start(jobs: readonly RecurringJob[]): Promise<Runner> {
    await ensureRecurringJobs(pool, jobs);
    const runner = await run({
      pgPool: pool,
      taskList: recurringTasks(jobs, log, () => true),
      concurrency: 2,
      pollInterval: 100,
      noHandleSignals: true,
      logger: graphileLogger(log),
    });
    runners.push(runner);
    return runner;
  }

  async function waiting(name: string): Promise<number> {
    const { rows } = await pool.query('select count(*)::integer as n from graphile_worker.jobs where key = $1', [name]);
    return rows[0].n;
  }

  /** A job that counts its runs; `ran` resolves when it has run so often. */
  function counting(everySeconds: number, work: () => Promise<unknown> = async () => undefined) {
    const runs = new EventEmitter();
    let count = 0;
    const job: RecurringJob = {
      name: 'count',
      everySeconds,
      run: () => {
        runs.emit(`run ${++count}`);
        return work();
      },
    };
    return { job, count: () => count, ran: (times: number) => once(runs, `run ${times}`) };
  }

  it('recurring jobs are waiting once in the whole cluster, however many processes start', async () => {
    const { job, ran, count } = counting(3_600);
    const first = ran(1);
    await Promise.all([start([job]), start([job]), start([job])]);
    await first;
    for (const runner of runners.splice(0)) await runner.stop();
    await ensureRecurringJobs(pool, [job]);
    expect([await waiting('count'), count()]).to.deep.equal([1, 1]);
  });

  it('recurring jobs run again and again, in one process at a time', async () => {
    let running = 0;
    let most = 0;
    const { job, ran } = counting(0, async () => {
      most = Math.max(most, ++running);
      await pool.query('select pg_sleep(0.02)');
      running--;
    });
    const tenth = ran(10);
    await Promise.all([start([job]), start([job]), start([job])]);
    await tenth;
    expect(most).to.equal(1);
  });

  it('recurring jobs run again after a run that failed', async () => {
    const { job, ran } = counting(0, () => Promise.reject(new Error('the work failed')));
    const second = ran(2);
    await start([job]);
    await second;
  });

  it('recurring jobs run again although a run never ends', async () => {
    const { job, ran } = counting(0, () => new Promise(() => undefined));
    const second = ran(2);
    const startTimer = setTimeout;
    const shorten = (end: () => void, ms: number) => startTimer(end, ms === 600_000 ? 50 : ms);
    mock.method(globalThis, 'setTimeout', shorten);
    await start([job]);
    await second;
  });

  it('recurring jobs must end after a limited time, and go on in the next run', async () => {
    let shouldStillContinue: (() => boolean) | undefined;
    const runs = new EventEmitter();
    const began = once(runs, 'began');
    const ended = once(runs, 'ended');
    const job: RecurringJob = {
      name: 'limited',
      everySeconds: 3_600,
      run: async (shouldContinue) => {
        shouldStillContinue ??= shouldContinue;
        runs.emit('began');
        while (shouldContinue()) await pool.query('select 1');
        runs.emit('ended');
      },
    };
    await start([job]);
    await began;
    const laterMs = performance.now() + 300_000;
    mock.method(performance, 'now', () => laterMs);
    await ended;
    expect(shouldStillContinue?.()).to.equal(false);
  });

  it('recurring jobs that wait longer than their pause run at once, after failures or when the clock was set back', async () => {
    const { job, ran } = counting(3_600);
    const first = ran(1);
    await ensureRecurringJobs(pool, [job]);
    await pool.query(
      `update graphile_worker._private_jobs set attempts = 12, run_at = now() + interval '3660 seconds'`,
    );
    await start([job]);
    await first;
  });

  it('recurring jobs that wait for their pause go on waiting, with the tries they have had', async () => {
    const { job } = counting(3_600);
    await ensureRecurringJobs(pool, [job]);
    await pool.query(`update graphile_worker._private_jobs set attempts = 3, run_at = now() + interval '3599 seconds'`);
    await ensureRecurringJobs(pool, [job]);
    const { rows } = await pool.query('select attempts, run_at > now() as waits from graphile_worker.jobs');
    expect(rows).to.deep.equal([{ attempts: 3, waits: true }]);
  });

  it('recurring jobs that died after they added their successor are removed, and the successor stays', async () => {
    const { job } = counting(3_600);
    await ensureRecurringJobs(pool, [job]);
    await pool.query(`select graphile_worker.add_job('count', max_attempts := 1)`);
    await pool.query('update graphile_worker._private_jobs set attempts = max_attempts where key is null');
    await ensureRecurringJobs(pool, [job]);
    const { rows } = await pool.query('select key from graphile_worker.jobs');
    expect(rows).to.deep.equal([{ key: 'count' }]);
  });

  it('recurring jobs go before overdue jobs of other kinds', async () => {
    await pool.query(`select graphile_worker.add_job('other', run_at := now() - interval '1 hour')`);
    const { job } = counting(3_600);
    await ensureRecurringJobs(pool, [job]);
    const { rows } = await pool.query('select key from graphile_worker.jobs order by priority, run_at');
    expect(rows.map(({ key }) => key)).to.deep.equal(['count', null]);
  });
});
