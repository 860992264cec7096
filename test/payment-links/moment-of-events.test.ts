import { expect } from 'chai';
import { SettableClock } from '../harness/clock.ts';
import { madeOnce, useReceiver, useService } from '../harness/fixtures.ts';
import { createLink } from '../harness/service.ts';
import { DELIVERIES, ENDPOINTS } from '../harness/webhooks.ts';

/** A clock that moves on whenever it is read. */
class TickingClock extends SettableClock {
  override now(): Date {
    this.advance({ ms: 1 });
    return super.now();
  }
}

describe('the moment of events', () => {
  const service = useService({ clock: new TickingClock() });
  const practice = madeOnce(() => service.practice());
  const receiver = useReceiver();

  for (const outcome of ['processing_then_paid', 'failed']) {
    it(`events of one change have one moment, and their deliveries say the same: ${outcome}`, async () => {
      await practice.test.post(ENDPOINTS, { url: receiver.url });
      const { id } = await createLink(practice.test);
      await practice.test.post(`/api/v1/payment-links/${id}/simulate`, { outcome });
      const rows = await service.query<{ id: string; created_at: Date; at: string }>(
        `select id, created_at, payload::json ->> 'createdAt' as at from webhook_deliveries where payment_link_id = $1 order by id`,
        [id],
      );
      expect(rows).to.have.length.above(1);
      const { body: list } = await practice.test.get(`${DELIVERIES}?paymentLinkId=${id}`);
      const moments = [
        ...rows.flatMap(({ at, created_at }) => [at, new Date(created_at).toISOString()]),
        ...list.data.map(({ createdAt }: { createdAt: string }) => createdAt),
      ];
      expect([...new Set(moments)]).to.have.length(1);
    });
  }
});
