import { expect } from 'chai';
import { weeksWithPartition } from '../../src/webhooks/partitions/weeks.ts';
import { insertDeliveries } from '../harness/partitions.ts';
import { startPaylinks } from '../harness/processes.ts';
import { TestService } from '../harness/service.ts';
import { createEndpoint } from '../harness/webhooks.ts';

describe('paylinks partitions', function () {
  this.timeout(240_000);
  let service: TestService;

  before(async () => {
    service = await TestService.start();
  });

  after(() => service.close());

  async function run(...args: string[]) {
    const env = { ...process.env, DATABASE_URL: service.config.databaseUrl, PROCESSOR: 'sandbox' };
    const { code, stdout, stderr } = await startPaylinks([...args, '--json'], env).finished;
    return { code, stderr, data: stdout === '' ? [] : JSON.parse(stdout).data };
  }

  it('paylinks partitions enable makes partitions for four weeks, list shows them, and check finds deliveries outside', async () => {
    const enabled = await run('partitions', 'enable');
    expect(enabled.stderr).to.equal('');
    const names = enabled.data.map(({ name }: { name: string }) => name);
    expect(names[0]).to.equal('first');
    expect(names.at(-1)).to.equal(weeksWithPartition(new Date()).at(-1)?.name);
    expect(names.length).to.be.within(3, 5);
    expect((await run('partitions', 'list')).data).to.deep.equal(enabled.data);
    const { practiceId, test } = await service.practice();
    const { id: endpointId } = await createEndpoint(test, 'http://127.0.0.1:9/');
    const createdAt = service.clock.now();
    await insertDeliveries(service, [{ practiceId, endpointId, createdAt, status: 'delivered' }]);
    const { code, data } = await run('check');
    expect(code).to.equal(1);
    expect(data).to.have.length(1);
    expect(data[0]).to.include({ invariant: 'deliveries_are_in_partitions', practiceId, repaired: false });
    expect(data[0].problem).to.match(/^1 deliveries are in the default partition/);
  });
});
