import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { expect } from 'chai';
import { ENDPOINT_MAIL_TASK } from '../../src/webhooks/endpoints/admin-mail.ts';
import { until } from '../harness/processes.ts';
import { accept } from '../harness/receiver.ts';
import type { ServiceProcess } from '../harness/service-process.ts';
import { paidLink } from '../harness/webhooks.ts';
import { useDatabaseSetup } from './database-setup.ts';

/** Longest wait for a sweep to notice that the database is silent. Its statement times out after 20 seconds. */
const NOTICED_MS = 60_000;

/** Time to stop that the documentation promises to supervisors. */
const STOP_MS = 20_000;

describe('a process that gets a signal to end', function () {
  this.timeout(120_000);
  const setup = useDatabaseSetup();

  async function expectToEnd(child: ServiceProcess): Promise<void> {
    const startedMs = performance.now();
    child.signal('SIGTERM');
    expect(await child.ended, child.log()).to.equal(0);
    expect(performance.now() - startedMs, 'milliseconds').to.be.lessThan(STOP_MS);
  }

  it('a worker ends within 20 seconds while mail server and receiver are silent, has the attempt on record, and the mails wait', async () => {
    const sockets = new Set<Socket>();
    const mailServer: Server = createServer((socket) => void sockets.add(socket.on('error', () => undefined)));
    await new Promise<void>((resolve) => mailServer.listen(0, '127.0.0.1', resolve));
    const [endpoint] = await setup.rows<{ id: string }>('select id from webhook_endpoints limit 1');
    for (let mail = 1; mail <= 3; mail++) {
      await setup.rows('select graphile_worker.add_job($1, $2)', [
        ENDPOINT_MAIL_TASK,
        { endpointId: endpoint?.id, deliveryId: `evt_${mail}`, exhaustedInARow: 10 },
      ]);
    }
    let asked = 0;
    setup.receiver.answer = () => {
      asked += 1;
    };
    const { id: linkId } = await paidLink(setup.practice.test);
    const { port } = mailServer.address() as AddressInfo;
    const smtp = { SMTP_URL: `smtp://127.0.0.1:${port}`, MAIL_FROM: 'a@pay.example.com' };
    const worker = setup.process('worker', { ...smtp, WEBHOOK_TIMEOUT_MS: '10000' });
    await until(() => sockets.size > 0 && asked > 0, worker.log);
    await expectToEnd(worker);
    const waiting = await setup.rows(
      `select from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
       where t.identifier = $1 and j.locked_at is null`,
      [ENDPOINT_MAIL_TASK],
    );
    expect(waiting).to.have.length(3);
    const attempts = await setup.rows<{ error: string }>(
      `select a.error from webhook_attempts a join webhook_deliveries d on d.id = a.delivery_id
       where d.payment_link_id = $1`,
      [linkId],
    );
    expect(attempts.map(({ error }) => error)).to.deep.equal(['timeout']);
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => mailServer.close(resolve));
    await setup.rows(`select graphile_worker.complete_jobs(array(select id from graphile_worker._private_jobs))`);
    setup.receiver.answer = accept;
  });

  it('worker and API end within 20 seconds while their database is silent, and the API has answered all received requests', async () => {
    const worker = setup.process('worker');
    const { serve, client } = await setup.serve();
    await setup.untilDelivering(worker.log);
    expect((await setup.create(client)).status).to.equal(201);
    const reached = setup.proxy.stop('before', /admit_requests/);
    const replies = Promise.all([setup.create(client), setup.create(client)]);
    await reached;
    setup.proxy.blackHole(true);
    await expectToEnd(serve);
    expect((await replies).map(({ status }) => status)).to.deep.equal([503, 503]);
    // The worker's sweeps have noticed.
    await until(() => /"level":[45]0/.test(worker.log()), worker.log, NOTICED_MS);
    await expectToEnd(worker);
  });
});
