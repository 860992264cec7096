import { expect } from 'chai';
import { PaymentLink } from '../../src/payment-links/model/payment-link.entity.ts';
import { useService } from '../harness/fixtures.ts';
import { createEndpoint } from '../harness/webhooks.ts';
import { bothStores } from '../payment-links/store/both.ts';
import { randomNumbers } from './faults.ts';
import { World } from './world.ts';

const from = Number(process.env.SEED ?? Date.now() % 1_000_000);

describe(`serial histories of links in memory and in PostgreSQL (SEED=${from})`, () => {
  const HISTORIES = 10;
  const STEPS = 60;
  const service = useService();
  it('both stores read the same states, and end each write alike, with the same events and mails', async () => {
    const tables = { attempts: 'payment_attempts', transactions: 'transactions' };
    for (let seed = from; seed < from + HISTORIES; seed++) {
      const { practiceId, locationId, live } = await service.practice();
      // PostgreSQL queues mails about payments for recipients only.
      await service.query(`insert into notification_recipients values ($1, 'each_payment', 'desk@elm.example')`, [
        practiceId,
      ]);
      const { id: endpointId } = await createEndpoint(live, 'http://127.0.0.1:9/hook');
      const world = new World({
        owner: { practiceId, locationId, endpointId },
        beside: {
          join: (memory) => bothStores(memory, () => service.scope()),
          async mark(part, id, reconcileAt) {
            await service.query(`update ${tables[part]} set reconcile_at = $2 where id = $1`, [id, reconcileAt]);
          },
        },
      });
      for (const { id } of world.links) await service.scope().em.insert(PaymentLink, { ...world.memory.rows(id).link });
      const next = randomNumbers(seed);
      for (let step = 0; step < STEPS; step++) await world.step(next());
      await world.settle();
      for (const { id, sent } of world.links) {
        const events = await service.query<{ type: string; count: number }>(
          `select replace(type, 'payment_link.', '') as type, count(*)::integer as count from webhook_deliveries
           where payment_link_id = $1 group by 1`,
          [id],
        );
        expect(events.map(({ type, count }) => [type, count])).to.have.deep.members([...sent.events]);
        const mails = await service.query<{ mail: string }>(
          `select kind || ' ' || subject_id as mail from payment_admin_mails where payment_link_id = $1`,
          [id],
        );
        expect(mails.map(({ mail }) => mail)).to.have.members([...sent.mails]);
      }
    }
  });
});
