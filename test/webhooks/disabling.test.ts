import { expect } from 'chai';
import type pg from 'pg';
import { createLink } from '../harness/service.ts';
import { getDelivery, listDeliveries, ping, useEndpoint } from '../harness/webhooks.ts';

/*
 * Disabling races with other changes. The tests keep the disabling transaction open, as a slow database would. They
 * continue when the other side either waits for its lock or has finished.
 */

describe('disabling an endpoint concurrently', () => {
  const { service, practice, endpoint, underWay } = useEndpoint();
  let other: pg.Client;

  beforeEach(async () => {
    other = await service.session();
  });

  /** Does the work of a PATCH up to its commit. */
  async function disableWithoutCommit(): Promise<void> {
    await other.query('begin');
    await other.query('select from webhook_endpoints where id = $1 for update', [endpoint.id]);
    await other.query(`update webhook_endpoints set status = 'disabled' where id = $1`, [endpoint.id]);
  }

  /** Resolves when another transaction waits for a lock, or the condition is true. */
  async function untilWaitingOr(condition: () => Promise<boolean>): Promise<void> {
    const waiting = 'select from pg_stat_activity where wait_event_type = $1 and datname = current_database()';
    while ((await service.query(waiting, ['Lock'])).length === 0) {
      if (await condition()) return;
    }
  }

  // Cancels are written by a SQL function, and refunds by the ORM.
  for (const change of ['cancel', 'refund'] as const) {
    it(`an event that is published while its endpoint is being disabled is skipped, not left pending (${change})`, async () => {
      const { id } = await createLink(practice.test);
      const link = `/api/v1/payment-links/${id}`;
      if (change === 'refund') await practice.test.post(`${link}/simulate`, { outcome: 'paid' });
      await disableWithoutCommit();
      const changed = practice.test.post(
        change === 'cancel' ? `${link}/cancel` : `/api/v1/test-helpers/payment-links/${id}/refund`,
      );
      let isDone = false;
      void changed.then(() => {
        isDone = true;
      });
      await untilWaitingOr(async () => isDone);
      await other.query('commit');
      expect((await changed).status).to.equal(200);
      const type = change === 'cancel' ? 'payment_link.cancelled' : 'payment_link.refunded';
      const deliveries = await listDeliveries(practice.test, `paymentLinkId=${id}&type=${type}`);
      expect(deliveries.map(({ status }) => status)).to.deep.equal(['skipped']);
    });
  }

  it('a delivery that fails while its endpoint is being disabled is skipped, not retried', async () => {
    const { id } = await ping(practice.test, endpoint.id);
    const { deliverer, release } = await underWay(500);
    await disableWithoutCommit();
    release();
    await untilWaitingOr(async () => (await getDelivery(practice.test, id)).status !== 'pending');
    await other.query('commit');
    await deliverer.idle();
    expect(await getDelivery(practice.test, id)).to.deep.include({ status: 'skipped', nextAttemptAt: null });
  });

  it('a link changes while the waiting deliveries of its endpoint are being skipped', async () => {
    const { id } = await createLink(practice.test);
    const waiting = await ping(practice.test, endpoint.id);
    const release = await service.lock('select from webhook_deliveries where id = $1 for update', [waiting.id]);
    const patched = practice.test.patch(`/api/v1/webhook-endpoints/${endpoint.id}`, { enabled: false });
    await service.untilWaiting(1, 'webhook_deliveries');
    // What a change of a link asks for.
    await service.query('select from webhook_endpoints where id = $1 for key share nowait', [endpoint.id]);
    expect((await practice.test.post(`/api/v1/payment-links/${id}/cancel`)).status).to.equal(200);
    await release();
    await patched;
    const [delivery] = await listDeliveries(practice.test, `paymentLinkId=${id}`);
    expect(delivery?.status).to.equal('skipped');
  });

  for (const act of ['disabled', 'enabled', 'deleted'] as const) {
    it(`a link changes while its endpoint is being ${act}, until the commit alone is left`, async () => {
      const path = `/api/v1/webhook-endpoints/${endpoint.id}`;
      if (act === 'enabled') await practice.test.patch(path, { enabled: false });
      // An event that is being published makes the change of the endpoint wait at its last statement.
      const publish = await service.lock('select from webhook_endpoints where id = $1 for key share', [endpoint.id]);
      const changed =
        act === 'deleted' ? practice.test.delete(path) : practice.test.patch(path, { enabled: act === 'enabled' });
      await service.untilWaiting(1, 'for update');
      await service.query('select from webhook_endpoints where id = $1 for key share nowait', [endpoint.id]);
      const writers = await service.query(
        `select from pg_locks where mode = 'RowExclusiveLock' and relation = 'webhook_endpoints'::regclass
           and database = (select oid from pg_database where datname = current_database())`,
      );
      expect(writers, 'the change is written already').to.have.length(1);
      await publish();
      expect((await changed).status).to.be.oneOf([200, 204]);
    });
  }

  it('disabling waits for an event that is being published, and skips it', async () => {
    const link = await createLink(practice.test);
    await other.query('begin');
    await other.query('select from webhook_endpoints where id = $1 for key share', [endpoint.id]);
    const patched = practice.test.patch(`/api/v1/webhook-endpoints/${endpoint.id}`, { enabled: false });
    await untilWaitingOr(async () => false);
    await other.query(
      `insert into webhook_deliveries (id, practice_id, endpoint_id, payment_link_id, type, test, status, payload,
         delivery_run, due_at, created_at)
       values ('evt_late', $1, $2, $3, 'payment_link.paid', true, 'pending', '{}', 'automatic', now(), now())`,
      [practice.practiceId, endpoint.id, link.id],
    );
    await other.query('commit');
    expect((await patched).status).to.equal(200);
    const [delivery] = await listDeliveries(practice.test, `paymentLinkId=${link.id}`);
    expect(delivery?.status).to.equal('skipped');
  });
});
