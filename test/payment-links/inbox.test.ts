import { expect } from 'chai';
import { runOnce } from 'graphile-worker';
import { createJobs } from '../../src/main/processes/tasks.ts';
import { createInbox } from '../../src/payment-links/payments/notifications.ts';
import { separately } from '../../src/payment-links/store/change.ts';
import { createLogger } from '../../src/platform/base/log/log.ts';
import { graphileLogger } from '../../src/platform/jobs/queue-log.ts';
import type { Processor } from '../../src/processors/processor.ts';
import { SettableClock } from '../harness/clock.ts';
import { madeOnce, useService } from '../harness/fixtures.ts';
import { Gate } from '../harness/gate.ts';
import { type PayableLink, Payments } from '../harness/payments.ts';
import { until } from '../harness/processes.ts';

describe('notifications of a slow processor', function () {
  this.timeout(180_000);
  const service = useService({ clock: new SettableClock(new Date().toISOString()) });
  const practice = madeOnce(() => service.practice());
  const payments = new Payments(service);
  const gate = new Gate();
  /** Questions that wait at the gate, and the most that ever did. */
  let asking = 0;
  let most = 0;
  /** The sandbox, which answers about payments only while the gate is open. */
  const processor: Processor = {
    ...payments.sandbox,
    async retrieve(...asked) {
      most = Math.max(most, ++asking);
      await gate.pass();
      asking--;
      return payments.sandbox.retrieve(...asked);
    },
  };

  beforeEach(() => {
    gate.close();
    most = 0;
  });

  /** Creates payments whose notifications are stored, and not processed yet. */
  async function notified(count: number): Promise<PayableLink[]> {
    const links: PayableLink[] = [];
    for (let index = 0; index < count; index++) {
      const link = await payments.link(practice);
      await payments.pay(link, 'crash_after_charge').catch(() => {});
      links.push(link);
    }
    await service.query(
      `insert into processor_notifications (processor, id, account_id, subject, received_at, due_at)
       select 'sandbox', 'notified_' || reference, account, json_build_object('kind', 'payment', 'reference', reference), $2, $2
       from sandbox.payments p join payment_attempts a on a.id = p.attempt where a.payment_link_id = any ($1)`,
      [links.map(({ id }) => id), service.clock.now()],
    );
    return links;
  }

  const paid = async (links: PayableLink[]) =>
    (
      await service.query(`select 1 from payment_links where status = 'paid' and id = any ($1)`, [
        links.map((l) => l.id),
      ])
    ).length;

  it('notifications of a slow processor do not occupy the job queue', async () => {
    const newScope = () => service.scope();
    const inbox = createInbox(() => ({ ...newScope(), processor, ...separately }));
    const mailer = { send: async () => {} };
    const { tasks } = createJobs({ newScope, processor, inbox, deliverer: service.deliverer(), mailer });
    const links = await notified(10);
    await service.query(`select graphile_worker.add_job('processor_notification') from generate_series(1, 10)`);
    const logger = graphileLogger(createLogger('silent'));
    await runOnce({ connectionString: service.config.databaseUrl, taskList: tasks, logger });
    await until(
      () => asking === 8,
      () => `${asking} are asking`,
    );
    gate.open();
    await inbox.idle();
    expect([most, await paid(links)]).to.deep.equal([8, 10]);
  });

  it('the inbox processes a limited number at once, and finishes the running ones before it stops', async () => {
    const inbox = createInbox(() => ({ ...service.scope(), processor, ...separately }), 2);
    const links = await notified(6);
    for (const _ of links) inbox.wakeUp();
    await until(
      () => asking === 2,
      () => `${asking} are asking`,
    );
    const stopped = inbox.stop();
    gate.open();
    await stopped;
    expect([most, await paid(links)]).to.deep.equal([2, 2]);
    await payments.sweep();
    expect(await paid(links), 'the sweep takes up the rest').to.equal(6);
  });

  it('a notification that fails does not stop the inbox', async () => {
    const scope = service.scope();
    const inbox = createInbox(() => ({ ...scope, em: scope.em.fork(), processor: payments.sandbox, ...separately }), 1);
    const links = await notified(1);
    await service.query('alter table processor_notifications rename to away');
    inbox.wakeUp();
    await inbox.idle();
    await service.query('alter table away rename to processor_notifications');
    inbox.wakeUp();
    await inbox.idle();
    expect(await paid(links)).to.equal(1);
  });
});
