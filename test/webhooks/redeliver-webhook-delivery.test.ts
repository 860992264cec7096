import { expect } from 'chai';
import type { Client } from '../harness/client.ts';
import { refuse } from '../harness/receiver.ts';
import { outcome } from '../harness/refusal.ts';
import {
  DELIVERIES,
  ENDPOINTS,
  exhaust,
  followRetrySchedule,
  getDelivery,
  listDeliveries,
  ping,
  setExhaustedInARow,
  useEndpoint,
} from '../harness/webhooks.ts';

describe('redeliverWebhookDelivery', () => {
  const { service, practice, receiver, endpoint, deliver } = useEndpoint();

  const redeliver = (id: string, client: Client = practice.test) => client.post(`${DELIVERIES}/${id}/redeliver`);
  const switchTo = (enabled: boolean) => practice.test.patch(`${ENDPOINTS}/${endpoint.id}`, { enabled });

  /** The id of an event that has been delivered. */
  async function delivered(): Promise<string> {
    const { id } = await ping(practice.test, endpoint.id);
    await deliver();
    return id;
  }

  it('a delivery that a key queues again has one entry in the audit log, and one that already waits has none', async () => {
    const id = await delivered();
    await redeliver(id);
    await redeliver(id);
    const entries = await service.query(
      `select actor_kind, target_id, before->>'status' as before, after->>'status' as after from audit_log
       where practice_id = $1 and action = 'delivery.redelivered'`,
      [practice.practiceId],
    );
    expect(entries).to.deep.equal([{ actor_kind: 'api_key', target_id: id, before: 'delivered', after: 'pending' }]);
  });

  it('a delivered event is queued again, with its id and bytes, and delivered once more', async () => {
    const id = await delivered();
    const before = await getDelivery(practice.test, id);
    const reply = await redeliver(id);
    expect(reply.status).to.equal(202);
    const { payload: _, attempts: __, ...shown } = before;
    expect(reply.body).to.deep.equal({ ...shown, status: 'pending' });
    await deliver();
    expect(receiver.received.map(({ raw }) => raw)).to.deep.equal([before.payload, before.payload]);
    expect(await getDelivery(practice.test, id)).to.deep.include({ status: 'delivered', attemptCount: 2 });
  });

  it('ten concurrent requests queue a delivery once', async () => {
    const id = await delivered();
    const replies = await Promise.all(Array.from({ length: 10 }, () => redeliver(id)));
    expect(new Set(replies.map(({ status }) => status))).to.deep.equal(new Set([202]));
    await deliver();
    expect((await getDelivery(practice.test, id)).attemptCount).to.equal(2);
  });

  it('an exhausted delivery gets eight new attempts, whose end does not count towards disabling; numbers continue', async () => {
    receiver.answer = refuse(500);
    const deliverer = service.deliverer();
    await exhaust(service, deliverer, practice.test, endpoint.id, 1);
    await setExhaustedInARow(service, endpoint.id, 19);
    const [exhausted] = await listDeliveries(practice.test, 'status=exhausted');
    await redeliver(exhausted?.id ?? '');
    await followRetrySchedule(service, deliverer, endpoint.id);
    const again = await getDelivery(practice.test, exhausted?.id ?? '');
    expect(again).to.deep.include({ status: 'exhausted', attemptCount: 16 });
    expect(again.attempts.map(({ number }) => number)).to.deep.equal(Array.from({ length: 16 }, (_, i) => i + 1));
    expect((await practice.test.get(`${ENDPOINTS}/${endpoint.id}`)).body.status).to.equal('enabled');
  });

  it('409 endpoint_disabled, and nothing is queued', async () => {
    const id = await delivered();
    await switchTo(false);
    expect(outcome(await redeliver(id))).to.equal('409 endpoint_disabled');
    expect((await getDelivery(practice.test, id)).status).to.equal('delivered');
  });
});
