import { expect } from 'chai';
import pg from 'pg';
import { firstIdAt } from '../../src/base/ids.ts';
import { query } from '../harness/database.ts';
import { deliveriesByPartition, expectSound, insertDeliveries, maintain } from '../harness/partitions.ts';
import { TestService } from '../harness/service.ts';
import { createEndpoint } from '../harness/webhooks.ts';

describe('partitions above a configured number of deliveries', function () {
  this.timeout(120_000);

  let service: TestService;

  beforeEach(async () => {
    service = await TestService.start();
    service.clock.set('2030-06-12T09:00:00.000Z');
    const { practiceId, test } = await service.practice();
    const { id: endpointId } = await createEndpoint(test, 'https://example.com/webhooks');
    const createdAt = new Date('2030-06-11T00:00:00.000Z');
    const delivery = { practiceId, endpointId, createdAt, status: 'delivered' as const };
    await insertDeliveries(service, [delivery, delivery, delivery]);
    await query(service.config.databaseUrl, 'analyze webhook_deliveries');
  });

  afterEach(() => service.close());

  const partitionsWithRows = async () => Object.keys(await deliveriesByPartition(service));

  it('a worker leaves tables whole without the setting, and with as many deliveries as it says', async () => {
    await maintain(service);
    await maintain(service, 3);
    expect(await partitionsWithRows()).to.deep.equal(['webhook_deliveries']);
  });

  it('a worker partitions tables with one delivery more, and adds the partitions of the next weeks', async () => {
    await maintain(service, 2);
    expect(await partitionsWithRows()).to.deep.equal(['first']);
    const weeks = await query(service.config.databaseUrl, `select from delivery_partitions where from_id is not null`);
    expect(weeks.length).to.be.at.least(4);
    await maintain(service, 2);
    await expectSound(service);
  });

  it('a worker that does not get its lock, or finds another conversion under way, leaves tables whole for its next run', async () => {
    const client = new pg.Client({ connectionString: service.config.databaseUrl });
    await client.connect();
    try {
      for (const other of [
        `lock table webhook_deliveries in access share mode`,
        `select pg_advisory_lock(hashtextextended('partition_deliveries', 0))`,
      ]) {
        await client.query(`begin; ${other}`);
        await maintain(service, 2);
        expect(await partitionsWithRows()).to.deep.equal(['webhook_deliveries']);
        await client.query('rollback; select pg_advisory_unlock_all()');
      }
    } finally {
      await client.end();
    }
    await maintain(service, 2);
    expect(await partitionsWithRows()).to.deep.equal(['first']);
    await expectSound(service);
  });

  it('tables are not exchanged when their constraints are no longer validated, because they would be read under the lock', async () => {
    const { databaseUrl } = service.config;
    const toId = firstIdAt('event', new Date('2030-06-17T00:00:00.000Z'));
    await query(databaseUrl, 'select bound_whole_deliveries($1)', [toId]);
    const exchanged = await query(databaseUrl, 'select partition_deliveries($1)', [toId]).then(() => null, String);
    expect(exchanged).to.include('are not valid any more');
    expect(await partitionsWithRows()).to.deep.equal(['webhook_deliveries']);
  });
});
