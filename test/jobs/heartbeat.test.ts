import { mock } from 'node:test';
import { expect } from 'chai';
import pg from 'pg';
import { createLogger } from '../../src/platform/base/log/log.ts';
import { chooseOwner, startHeartbeats, unlockDeadRunners } from '../../src/platform/jobs/heartbeat.ts';
import { type Jobs, runJobs } from '../../src/platform/jobs/runner.ts';
import { createDatabase } from '../harness/database.ts';
import { until } from '../harness/processes.ts';

const log = createLogger('silent');

describe('heartbeats of job runners', () => {
  let databaseUrl: string;
  let pool: pg.Pool;

  beforeEach(async () => {
    databaseUrl = await createDatabase();
    pool = new pg.Pool({ connectionString: databaseUrl });
    pool.on('error', () => undefined);
  });

  afterEach(() => pool.end());

  /** Adds a job that a runner has locked for this many seconds, during its last try. */
  async function locked(runner: string, seconds: number, queue: string | null = null): Promise<void> {
    await pool.query(`select graphile_worker.add_job('work', queue_name := $1, max_attempts := 3)`, [queue]);
    await pool.query(
      `update graphile_worker._private_jobs set locked_by = $1, locked_at = now() - make_interval(secs => $2), attempts = 3`,
      [runner, seconds],
    );
    await pool.query(
      'update graphile_worker._private_job_queues set locked_by = $1, locked_at = now() - make_interval(secs => $2)',
      [runner, seconds],
    );
  }

  async function seen(runner: string, secondsAgo: number): Promise<void> {
    await pool.query('insert into job_runner_heartbeats values ($1, clock_timestamp() - make_interval(secs => $2))', [
      runner,
      secondsAgo,
    ]);
  }

  const isLocked = async () =>
    (await pool.query('select from graphile_worker.jobs where locked_by is not null')).rowCount === 1;

  /** Runs jobs as a worker does, until the work is done. */
  async function runUntil(jobs: Jobs, isDone: () => boolean): Promise<void> {
    const runner = runJobs(databaseUrl, jobs, log);
    await until(isDone, () => 'the job does not run');
    await runner.stop();
  }

  it('heartbeats unlock a job whose runner has none, with its queue, and give it one more try after its last', async () => {
    await locked('dead', 7, 'mails');
    expect(await unlockDeadRunners(pool)).to.equal(1);
    let attempts = 0;
    const work = async (_: unknown, { job }: { job: { attempts: number } }) => {
      attempts = job.attempts;
    };
    await runUntil({ tasks: { work }, recurring: [] }, () => attempts > 0);
    expect(attempts).to.equal(3);
  });

  it('heartbeats leave the jobs of a living runner locked, however long they take, and a job that was locked a moment ago', async () => {
    await locked('alive', 3_600);
    await seen('alive', 2);
    expect(await unlockDeadRunners(pool)).to.equal(0);
    // Its first heartbeat may follow.
    await locked('new', 1);
    expect(await unlockDeadRunners(pool)).to.equal(0);
  });

  it('heartbeats unlock a queue whose living runner lost its job to a runner that counted as dead', async () => {
    await locked('alive', 7, 'letters');
    await seen('alive', 0);
    await pool.query('delete from graphile_worker._private_jobs');
    await pool.query(`select graphile_worker.add_job('work', queue_name := 'letters')`);
    await unlockDeadRunners(pool);
    let hasRun = false;
    const work = async () => {
      hasRun = true;
    };
    await runUntil({ tasks: { work }, recurring: [] }, () => hasRun);
  });

  it('heartbeats leave the queue of a job that runs locked, however long it takes', async () => {
    await locked('alive', 3_600, 'letters');
    await seen('alive', 0);
    await unlockDeadRunners(pool);
    const { rowCount } = await pool.query(
      'select from graphile_worker._private_job_queues where locked_by is not null',
    );
    expect(rowCount).to.equal(1);
  });

  it('heartbeats are forgotten after a minute', async () => {
    await seen('dead', 61);
    await seen('late', 30);
    await unlockDeadRunners(pool);
    const { rows } = await pool.query('select runner_id from job_runner_heartbeats');
    expect(rows).to.deep.equal([{ runner_id: 'late' }]);
  });

  it('heartbeats judge others only after six seconds without a gap of more than three', async () => {
    const now = mock.method(performance, 'now');
    const heartbeats = startHeartbeats(pool, () => 'judge', log);
    await locked('dead', 3_600);
    for (const ms of [0, 2_000, 5_000, 8_001, 10_000, 13_000]) {
      now.mock.mockImplementation(() => ms);
      await heartbeats.beat();
      expect(await isLocked(), `${ms} ms`).to.equal(true);
    }
    now.mock.mockImplementation(() => 14_001);
    await heartbeats.beat();
    now.mock.restore();
    expect(await isLocked()).to.equal(false);
    await heartbeats.stop();
  });

  it('heartbeats return the other runners that are alive', async () => {
    await seen('alive', 1);
    await seen('dead', 7);
    const heartbeats = startHeartbeats(pool, () => 'own', log);
    await heartbeats.beat();
    expect(heartbeats.living()).to.deep.equal(['alive']);
    await heartbeats.stop();
  });

  it('one runner owns each subject in the view of all, and most owners stay when a runner ends', () => {
    const runners = ['a', 'b', 'c', 'd'];
    const subjects = Array.from({ length: 400 }, (_, index) => `we_${index}`);
    const owners = subjects.map((subject) => chooseOwner(subject, runners));
    expect(subjects.map((subject) => chooseOwner(subject, runners.toReversed()))).to.deep.equal(owners);
    for (const runner of runners) expect(owners.filter((owner) => owner === runner).length).to.be.within(50, 150);
    const left = runners.slice(1);
    const moved = subjects.filter((subject, index) => chooseOwner(subject, left) !== owners[index]);
    expect(moved.length).to.equal(owners.filter((owner) => owner === 'a').length);
  });

  it('heartbeats are recorded under the id that locks jobs, and end with the runner', async () => {
    const { promise: entered, resolve: enter } = Promise.withResolvers<void>();
    const { promise: left, resolve: leave } = Promise.withResolvers<void>();
    const work = async () => {
      enter();
      await left;
    };
    await pool.query(`select graphile_worker.add_job('work')`);
    const runner = runJobs(databaseUrl, { tasks: { work }, recurring: [] }, log);
    await entered;
    await until(async () => {
      const { rowCount } = await pool.query(
        'select from graphile_worker.jobs j join job_runner_heartbeats h on h.runner_id = j.locked_by',
      );
      return rowCount === 1;
    }, 'the runner has no heartbeat');
    leave();
    await runner.stop();
    expect(await isLocked()).to.equal(false);
  });
});
