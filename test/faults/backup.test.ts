import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { expect } from 'chai';
import { postgresMajor } from '../../scripts/postgres-major.ts';
import { examine } from '../../scripts/trial/checker.ts';
import { serviceEnvironment, startProcess } from '../../scripts/trial/process.ts';
import { queryOn } from '../../scripts/trial/setup.ts';
import { startEmbeddedPostgres } from '../../src/embedded/server.ts';
import { afterThisTest } from '../harness/after-this-test.ts';
import { until } from '../harness/processes.ts';
import { accept, refuse } from '../harness/receiver.ts';
import { newScratchFolder } from '../harness/scratch.ts';
import { DatabaseSetup } from './database-setup.ts';

describe('a backup', function () {
  this.timeout(180_000);
  let setup: DatabaseSetup;
  let restoredTo: string;

  before(async () => {
    setup = await DatabaseSetup.start();
    restoredTo = newScratchFolder('restored');
  });

  after(async () => {
    await setup.close();
    rmSync(restoredTo, { recursive: true, force: true });
  });

  it('restored into a fresh server keeps every rule, and what was waiting is delivered', async () => {
    // One delivered, one in its retry schedule, and one not yet attempted.
    const worker = setup.process('worker', {
      WEBHOOK_RETRY_SECONDS: '60,60,60,60,60,60,60',
      WEBHOOK_TIMEOUT_MS: '20000',
    });
    await setup.untilDelivering(worker.log);
    setup.receiver.answer = refuse(500);
    await setup.createPaidLink();
    await until(async () => (await setup.countOf('retrying')) === 1, worker.log);
    await setup.reset();
    await setup.createPaidLink();
    await setup.rows(`update webhook_deliveries set due_at = now() where due_at is not null`);
    expect([
      await setup.countOf('delivered'),
      await setup.countOf('retrying'),
      await setup.countOf('pending'),
    ]).to.deep.equal([1, 1, 1]);
    await setup.postgres.stop();
    // With owners and modes, which PostgreSQL insists on.
    execFileSync('cp', ['-a', `${setup.directory}/.`, restoredTo]);

    const restored = await startEmbeddedPostgres({ directory: restoredTo, durable: false, major: postgresMajor });
    const query = queryOn(restored.url);
    setup.receiver.answer = accept;
    const successor = startProcess('worker', serviceEnvironment(restored.url));
    afterThisTest(async () => {
      successor.signal('SIGKILL');
      await successor.ended;
      await restored.stop();
    });
    const waiting = () => query(`select from webhook_deliveries where status in ('pending', 'retrying')`);
    await until(async () => (await waiting()).length === 0, successor.log);
    const { results, lost } = await examine(query, null);
    expect(results.filter(({ broken }) => broken.length > 0)).to.deep.equal([]);
    expect(lost).to.equal(0);
    const delivered = await query<{ id: string }>(`select id from webhook_deliveries where status = 'delivered'`);
    const received = new Set(setup.receiver.received.map(({ id }) => id));
    expect(delivered.map(({ id }) => id).filter((id) => received.has(id))).to.have.length(3);
  });
});
