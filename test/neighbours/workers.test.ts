import { expect } from 'chai';
import { type RunningWorker, startWorker } from '../../src/main/processes/worker.ts';
import { createPageService } from '../../src/payment-links/checkout/service.ts';
import { separately } from '../../src/payment-links/store/change.ts';
import { createLogger } from '../../src/platform/base/log/log.ts';
import { createSandbox } from '../../src/processors/sandbox.ts';
import { afterThisTest } from '../harness/after-this-test.ts';
import { Payments, submission } from '../harness/payments.ts';
import { until } from '../harness/processes.ts';
import { createLink } from '../harness/service.ts';
import { createEndpoint, paidLink } from '../harness/webhooks.ts';
import { type LockablePractice, Neighbourhood } from './neighbourhood.ts';

/** Decision on expiry: the event is out within 15 seconds of `expiresAt`. */
const EXPIRY_MS = 15_000;

describe('while another transaction has locked a row of one practice, a worker', function () {
  this.timeout(180_000);
  let neighbourhood: Neighbourhood;
  let worker: RunningWorker | null = null;

  before(async () => {
    neighbourhood = await Neighbourhood.start();
  });

  afterEach(async () => {
    await worker?.stop();
    worker = null;
  });

  after(() => neighbourhood.close());

  /** Starts a worker, whose sweeps all run at once. */
  async function work(): Promise<void> {
    const { config } = neighbourhood.services[0];
    const env = { ...config, webhookTimeoutMs: 2_000 };
    worker = await startWorker(env, createLogger('silent'));
  }

  /** Links that are overdue, of the stuck practice first. */
  async function overdue(...lockables: LockablePractice[]): Promise<string[]> {
    const ids: string[] = [];
    for (const { practice } of lockables) ids.push((await createLink(practice.test)).id);
    await neighbourhood.rows(
      `update payment_links set expires_at = now() - interval '1 hour' + array_position($1, id) * interval '1 second'
       where id = any ($1)`,
      [ids],
    );
    return ids;
  }

  const received = ({ receiver }: LockablePractice, type: string) =>
    receiver.types.filter((one) => one === type).length;

  for (const row of ['practice', 'endpoint', 'link', 'delivery'] as const) {
    it(`a worker beside a locked practice expires and delivers for another practice on time (its ${row})`, async () => {
      const [stuck, neighbour] = [await neighbourhood.lockablePractice(), await neighbourhood.lockablePractice()];
      const [stuckId] = await overdue(stuck, neighbour);
      await paidLink(stuck.practice.test);
      await paidLink(neighbour.practice.test);
      const release = await neighbourhood.lockRow(row === 'link' ? { ...stuck, linkId: stuckId ?? '' } : stuck, row);
      try {
        await work();
        const isServed = () =>
          received(neighbour, 'payment_link.expired') === 1 && received(neighbour, 'payment_link.paid') === 1;
        await until(isServed, () => `the neighbour got ${neighbour.receiver.types}`, EXPIRY_MS);
      } finally {
        await release();
      }
      const isMadeUpFor = () =>
        received(stuck, 'payment_link.expired') === 1 && received(stuck, 'payment_link.paid') > 0;
      await until(isMadeUpFor, () => `the practice itself got ${stuck.receiver.types}`, 40_000);
    });
  }

  it('a worker beside a locked practice sends what is due after a locked delivery, and records it together with successes of other endpoints', async () => {
    const [stuck, neighbour] = [await neighbourhood.lockablePractice(), await neighbourhood.lockablePractice()];
    await createEndpoint(neighbour.practice.test, neighbour.receiver.url);
    const { id } = await paidLink(stuck.practice.test);
    for (const { practice } of [stuck, neighbour]) await paidLink(practice.test);
    const release = await neighbourhood.lock(['select from webhook_deliveries where payment_link_id = $1', [id]]);
    try {
      await work();
      const waiting = async () =>
        (
          await neighbourhood.rows(
            `select from webhook_deliveries where status in ('pending', 'retrying')
             and payment_link_id is distinct from $1 and practice_id = any ($2)`,
            [id, [stuck.practice.practiceId, neighbour.practice.practiceId]],
          )
        ).length;
      await until(async () => (await waiting()) === 0, 'deliveries wait');
    } finally {
      await release();
    }
    const sent = stuck.receiver.received.map((one) => one.id);
    expect(new Set(sent).size, 'what was recorded is not sent again').to.equal(sent.length);
  });

  it('a worker beside a locked practice reconciles the payments of other practices', async () => {
    const [stuck, neighbour] = [await neighbourhood.lockablePractice(), await neighbourhood.lockablePractice()];
    const [service] = neighbourhood.services;
    const payments = new Payments(service);
    const sandbox = createSandbox({ newScope: () => service.scope(), settleSeconds: 1 });
    const pay = async (lockable: LockablePractice) => {
      const link = await payments.link(lockable.practice);
      await createPageService(service.scope(), sandbox, separately).submit(
        link.token,
        submission(link, 'bank_settles'),
      );
      return link;
    };
    for (const { practice, receiver } of [stuck, neighbour]) await createEndpoint(practice.live, receiver.url);
    for (let count = 0; count < 4; count++) await pay(stuck);
    const other = await pay(neighbour);
    const release = await neighbourhood.lock([
      'select from webhook_endpoints where practice_id = $1 and not test',
      [stuck.practice.practiceId],
    ]);
    afterThisTest(() => release());
    await neighbourhood.rows(`update sandbox.payments set final_at = now() - interval '1 second'`);
    await neighbourhood.rows('update transactions set reconcile_at = created_at where reconcile_at is not null');
    await work();
    await until(
      async () => (await payments.events(other)).join() === 'processing,paid',
      () => "the neighbour's debit does not settle",
      EXPIRY_MS,
    );
  });
});
