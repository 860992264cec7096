import { expect } from 'chai';
import { checkout, start } from '../harness/processes.ts';

/** Tests of deliveries that must pass on partitioned tables as well. They know nothing of partitions. */
const FILES = ['attempts', 'claim', 'delivery-run', 'events', 'list-webhook-deliveries', 'redeliver-webhook-delivery'];

describe('partitioned deliveries', function () {
  this.timeout(300_000);

  it('partitioned deliveries pass the tests of whole ones', async () => {
    const { TEST_POSTGRES: _, TEST_POSTGRES_TEMPLATE: __, ...env } = process.env;
    const files = FILES.map((file) => `test/webhooks/${file}.test.ts`);
    const { code, stdout } = await start(
      process.execPath,
      ['node_modules/mocha/bin/mocha.js', ...files, '--reporter', 'min'],
      {
        cwd: checkout,
        env: { ...env, PARTITIONED: '1' },
      },
    ).finished;
    expect(code, stdout).to.equal(0);
  });
});
