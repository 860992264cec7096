import { until } from '../harness/processes.ts';
import { SHORT, useDatabaseSetup } from './database-setup.ts';

describe('a worker whose database', function () {
  this.timeout(180_000);
  const setup = useDatabaseSetup();

  it('a worker whose database is down when it starts delivers as soon as it is there', async () => {
    await setup.proxy.down();
    const worker = setup.process('worker');
    await until(() => worker.log().includes('the job queue is out of reach'), worker.log);
    await setup.proxy.up();
    await setup.untilDelivering(worker.log);
  });

  it('a worker whose database ends its backends at the moment a job is done goes on delivering', async () => {
    const worker = setup.process('worker');
    await setup.untilDelivering(worker.log);
    for (let round = 1; round <= 3; round++) {
      const reached = setup.proxy.stop('before', /complete_jobs?\/graphile_worker/);
      const delivering = setup.untilDelivering(worker.log);
      await reached;
      await setup.rows(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where application_name in ('paylinks', 'paylinks jobs') and pid <> pg_backend_pid()`,
      );
      setup.proxy.release();
      await delivering;
    }
    await setup.untilDelivering(worker.log);
  });

  it('a worker whose database disappears in a black hole goes on when it is back', async () => {
    await setup.worker(SHORT);
    await setup.untilDelivering(() => '');
    setup.proxy.blackHole(true);
    const before = setup.proxy.accepted;
    // Each of the queue's eight places has tried in vain.
    await until(() => setup.proxy.accepted >= before + 8, 'it does not even try');
    setup.proxy.blackHole(false);
    await setup.untilDelivering(() => '');
  });
});
