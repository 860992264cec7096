import { expect } from 'chai';
import { checkout, start } from '../harness/processes.ts';

/** Tests that must pass with an archive as well. They know nothing of it. */
const FILES = [
  ...['payment-links/list-payment-links', 'payment-links/pay-together', 'payment-links/expire-due-links'],
  ...['payment-links/after-payment', 'http/long-lists'],
];

describe('tables with an archive', function () {
  this.timeout(300_000);

  it('tables with an archive pass the tests of tables without one', async () => {
    const { TEST_POSTGRES: _, TEST_POSTGRES_TEMPLATE: __, ...env } = process.env;
    const { code, stdout } = await start(
      process.execPath,
      ['node_modules/mocha/bin/mocha.js', ...FILES.map((file) => `test/${file}.test.ts`), '--reporter', 'min'],
      { cwd: checkout, env: { ...env, ARCHIVED: '1' } },
    ).finished;
    expect(code, stdout).to.equal(0);
  });
});
