import { until } from '../harness/processes.ts';
import { DatabaseScene, SHORT } from './database-scene.ts';

describe('a worker whose database', function () {
  this.timeout(90_000);
  let scene: DatabaseScene;

  before(async () => {
    scene = await DatabaseScene.set();
  });

  afterEach(() => scene.reset());

  after(() => scene.clear());

  it('a worker whose database is down when it starts delivers as soon as it is there', async () => {
    await scene.proxy.down();
    const worker = scene.process('worker');
    await until(() => worker.log().includes('the job queue is out of reach'), worker.log);
    await scene.proxy.up();
    await scene.untilDelivering(worker.log);
  });

  it('crashes again and again goes on delivering', async () => {
    const worker = scene.process('worker');
    for (let crash = 1; crash <= 3; crash++) {
      await scene.untilDelivering(worker.log);
      await scene.postgres.restart('immediate');
    }
    await scene.untilDelivering(worker.log);
  });

  it('a worker whose database ends its backends at the moment a job is done goes on delivering', async () => {
    const worker = scene.process('worker');
    await scene.untilDelivering(worker.log);
    for (let round = 1; round <= 3; round++) {
      const reached = scene.proxy.stopBefore(/complete_jobs?\/graphile_worker/);
      const delivering = scene.untilDelivering(worker.log);
      await reached;
      await scene.rows(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where application_name in ('paylinks', 'paylinks jobs') and pid <> pg_backend_pid()`,
      );
      scene.proxy.release();
      await delivering;
    }
    await scene.untilDelivering(worker.log);
  });

  it('a worker whose database stops answering on connections that exist goes on by new ones', async () => {
    await scene.worker(SHORT);
    await scene.untilDelivering(() => '');
    scene.proxy.swallow();
    await scene.untilDelivering(() => '');
  });

  it('a worker whose database disappears in a black hole goes on when it is back', async () => {
    await scene.worker(SHORT);
    await scene.untilDelivering(() => '');
    scene.proxy.blackHole(true);
    const before = scene.proxy.accepted;
    // Each of the queue's eight places has tried in vain.
    await until(
      () => scene.proxy.accepted >= before + 8,
      () => 'it does not even try',
    );
    scene.proxy.blackHole(false);
    await scene.untilDelivering(() => '');
  });
});
