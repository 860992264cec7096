import { expect } from 'chai';
import { runJobs } from '../../src/platform/jobs/runner.ts';
import { CapturedLog } from '../harness/captured-log.ts';
import { createDatabase, query, testServer } from '../harness/database.ts';
import { until } from '../harness/processes.ts';

describe('a job runner', function () {
  this.timeout(180_000);

  it('a job runner that cannot mark a job as done is replaced although another job hangs, and both jobs run again', async () => {
    const databaseUrl = await createDatabase();
    const maintenanceUrl = Object.assign(new URL((await testServer()).url), { pathname: '/postgres' }).href;
    const database = new URL(databaseUrl).pathname.slice(1);
    const captured = new CapturedLog();
    const { promise: done, resolve: finish } = Promise.withResolvers<void>();
    const { promise: hanging, resolve: goOn } = Promise.withResolvers<void>();
    const runs = { ends: 0, hangs: 0 };
    const tasks = {
      ends: () => {
        runs.ends++;
        return done;
      },
      hangs: () => {
        runs.hangs++;
        return runs.hangs === 1 ? hanging : done;
      },
    };
    await query(databaseUrl, `select graphile_worker.add_job(task) from unnest(array['ends', 'hangs']) as task`);
    const runner = runJobs(databaseUrl, { tasks, recurring: [] }, captured.log);
    await until(() => runs.ends === 1 && runs.hangs === 1, 'the jobs do not start');
    await query(maintenanceUrl, `alter database ${database} allow_connections false`);
    await query(maintenanceUrl, 'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [
      database,
    ]);
    finish();
    await until(() => captured.take(/^Failed to complete jobs/).length > 0, 'the job is marked as done');
    await query(maintenanceUrl, `alter database ${database} allow_connections true`);
    await until(
      () => runs.ends === 2 && runs.hangs === 2,
      () => `the jobs ran ${runs.ends} and ${runs.hangs} times`,
    );
    await runner.stop();
    expect(await query(databaseUrl, 'select from graphile_worker.jobs')).to.have.length(0);
    // Otherwise the first runner would keep this process from ending.
    goOn();
  });

  it('a job runner with more named queues than connections logs nothing above debug when it starts', async () => {
    const captured = new CapturedLog();
    const { promise: done, resolve: finish } = Promise.withResolvers<void>();
    const databaseUrl = await createDatabase();
    await query(databaseUrl, `select graphile_worker.add_job('starts')`);
    const tasks = { starts: () => finish() };
    const runner = runJobs(databaseUrl, { tasks, recurring: [], namedQueueCount: 40 }, captured.log);
    await done;
    await runner.stop();
    expect(captured.take(/maxPoolSize/).map(({ level }) => level)).to.deep.equal([20]);
    expect(captured.lines.filter(({ level }) => Number(level) > 20)).to.deep.equal([]);
  });

  it('a job runner that may not record heartbeats or add recurring jobs says so in warnings', async () => {
    const databaseUrl = await createDatabase();
    await query(databaseUrl, 'drop table job_runner_heartbeats');
    await query(databaseUrl, 'alter function graphile_worker.complete_jobs rename to complete_jobs_hidden');
    const captured = new CapturedLog();
    const recurring = [{ name: 'work', everySeconds: 1, run: async () => undefined }];
    const runner = runJobs(databaseUrl, { tasks: {}, recurring }, captured.log);
    for (const message of [/^the heartbeat of the job runner failed$/, /^the recurring jobs could not be checked$/]) {
      await until(
        () => captured.take(message).some(({ level }) => level === 40),
        () => `nothing says: ${message}`,
      );
    }
    await runner.stop();
  });

  it('a job runner receives notifications of the database, also after its connection was cut', async () => {
    const databaseUrl = await createDatabase();
    const [received, begun]: [string[], number[]] = [[], []];
    const listening = {
      channel: 'tests',
      handle: (payload: string, isOwner: () => boolean) => void (isOwner() && received.push(payload)),
      begin: async () => void begun.push(received.length),
    };
    const runner = runJobs(databaseUrl, { tasks: {}, recurring: [], notifications: listening }, new CapturedLog().log);
    const receives = async (payload: string, times: number) => {
      await until(
        () => begun.length === times,
        () => `it began to listen ${begun.length} times`,
      );
      await query(databaseUrl, `select pg_notify('tests', $1)`, [payload]);
      await until(
        () => received.includes(payload),
        () => `it received ${received.join()}`,
      );
    };
    await receives('one', 1);
    await query(
      databaseUrl,
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and query = 'listen tests'`,
    );
    await receives('two', 2);
    await runner.stop();
  });

  it('a job that was locked while the answer to its runner was lost runs as soon as a connection of that runner has broken', async () => {
    const databaseUrl = await createDatabase();
    const { promise: done, resolve: finish } = Promise.withResolvers<void>();
    const runner = runJobs(databaseUrl, { tasks: { work: () => finish() }, recurring: [] }, new CapturedLog().log);
    const runnerIds = () => query<{ id: string }>(databaseUrl, 'select runner_id as id from job_runner_heartbeats');
    await until(async () => (await runnerIds()).length === 1, 'the runner has no heartbeat');
    const [{ id } = { id: '' }] = await runnerIds();
    await query(databaseUrl, `select graphile_worker.add_job('work', run_at := now() + interval '1 day')`);
    await query(
      databaseUrl,
      'update graphile_worker._private_jobs set run_at = now(), locked_at = now(), locked_by = $1, attempts = 1',
      [id],
    );
    await query(
      databaseUrl,
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name = 'paylinks jobs'`,
    );
    await done;
    await runner.stop();
  });
});
