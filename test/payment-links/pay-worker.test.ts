import { expect } from 'chai';
import { type RunningWorker, startWorker } from '../../src/main/processes/worker.ts';
import { createPageService } from '../../src/payment-links/checkout/service.ts';
import { separately } from '../../src/payment-links/store/change.ts';
import { createLogger } from '../../src/platform/base/log/log.ts';
import { createSandbox } from '../../src/processors/sandbox.ts';
import { SettableClock } from '../harness/clock.ts';
import { submission, usePayments } from '../harness/payments.ts';
import { until } from '../harness/processes.ts';

describe('payments with a worker', function () {
  this.timeout(180_000);
  // The worker goes by the real time, for jobs do.
  const clock = new SettableClock(new Date().toISOString());
  const { service, practice, payments } = usePayments({ clock, env: { SANDBOX_SETTLE_SECONDS: '1' } });
  let worker: RunningWorker;

  before(async () => {
    worker = await startWorker(service.config, createLogger('silent'));
  });

  after(() => worker.stop());

  async function pay(methodToken: string) {
    const sandbox = createSandbox({ newScope: () => service.scope(), settleSeconds: 1 });
    const link = await payments.link(practice);
    const pages = createPageService(service.scope(), sandbox, separately);
    await pages.submit(link.token, submission(link, methodToken)).catch(() => 'crashed');
    return link;
  }

  async function becomes(methodToken: string, events: string[]): Promise<void> {
    const link = await pay(methodToken);
    const explain = () => `${methodToken} did not end in ${events.join(', ')}`;
    await until(async () => (await payments.events(link)).join() === events.join(), explain);
    expect(await payments.charges(link)).to.be.lessThanOrEqual(1);
  }

  it('a bank debit settles by itself', () => becomes('bank_settles', ['processing', 'paid']));

  it('a bank debit is returned by itself', () => becomes('bank_returns', ['processing', 'failed']));

  it('a charge whose answer was lost in a crash is found within moments', () =>
    becomes('crash_after_charge', ['paid']));
});
