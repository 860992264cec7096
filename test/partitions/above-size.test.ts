import { expect } from 'chai';
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
});
