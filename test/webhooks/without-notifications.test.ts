import { expect } from 'chai';
import { startWorker } from '../../src/main/processes/worker.ts';
import { createLogger } from '../../src/platform/base/log/log.ts';
import { FUNCTION_FILES } from '../../src/platform/database/schema-files.ts';
import { afterThisTest } from '../harness/after-this-test.ts';
import { madeForEach, useReceiver, useService } from '../harness/fixtures.ts';
import { until } from '../harness/processes.ts';
import { refuse } from '../harness/receiver.ts';
import { createEndpoint, listDeliveries, paidLink, ping } from '../harness/webhooks.ts';

const NOTIFY = `pg_notify('webhooks_due', endpoint_id)`;

describe('deliveries without notifications of the database', () => {
  const service = useService();
  const practice = madeForEach(() => service.practice());
  const receiver = useReceiver();

  before(async () => {
    const { text = '' } = FUNCTION_FILES.find(({ name }) => name.endsWith('queue-deliveries')) ?? {};
    expect(text).to.include(NOTIFY);
    await service.query(text.replace(NOTIFY, 'endpoint_id'));
  });

  async function work(retrySeconds = service.config.webhookRetrySeconds): Promise<void> {
    const worker = await startWorker({ ...service.config, webhookRetrySeconds: retrySeconds }, createLogger('silent'), {
      clock: service.clock,
    });
    afterThisTest(() => worker.stop());
  }

  it('every event still arrives, by a job of the queue', async () => {
    await work();
    const endpoints = await Promise.all(Array.from({ length: 3 }, () => createEndpoint(practice.test, receiver.url)));
    await paidLink(practice.test);
    await until(() => receiver.received.length === endpoints.length, 'events wait');
    await until(
      async () => (await listDeliveries(practice.test)).every(({ status }) => status === 'delivered'),
      'deliveries are not recorded',
    );
    const jobs = await service.query(`select from graphile_worker.jobs where task_identifier = 'deliver_webhooks'`);
    expect(jobs).to.have.length(0);
  });

  it('retries are made by jobs of the queue, until the run is exhausted', async () => {
    await work([1, 1]);
    receiver.answer = refuse(500);
    const endpoint = await createEndpoint(practice.test, receiver.url);
    const { id } = await ping(practice.test, endpoint.id);
    await until(async () => {
      service.clock.advance({ seconds: 1 });
      const [delivery] = await listDeliveries(practice.test, `endpointId=${endpoint.id}`);
      return delivery?.status === 'exhausted';
    }, 'the run does not end');
    expect(receiver.received.map((one) => one.id)).to.deep.equal([id, id, id]);
  });
});
