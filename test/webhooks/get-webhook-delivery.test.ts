import { expect } from 'chai';
import { accept, refuse } from '../harness/receiver.ts';
import { DELIVERIES, getDelivery, listDeliveries, paidLink, ping, useEndpoint } from '../harness/webhooks.ts';

describe('getWebhookDelivery', () => {
  const { service, practice, receiver, endpoint, deliver, underWay } = useEndpoint();

  it('the reply has the fields of the list, the payload, and no attempts before the first', async () => {
    const { id } = await ping(practice.test, endpoint.id);
    const reply = await practice.test.get(`${DELIVERIES}/${id}`);
    expect(reply.status).to.equal(200);
    const [listed] = await listDeliveries(practice.test);
    expect(reply.body).to.deep.equal({ ...listed, payload: reply.body.payload, attempts: [] });
  });

  it('the payload is the exact text that the receiver gets, at the first attempt and every retry', async () => {
    receiver.answer = refuse(500);
    const description = 'Überweisung „Zähne“ 🦷 \\ " </script>';
    const link = await paidLink(practice.test, { description, metadata: { b: '1', a: '2' } });
    await deliver();
    service.clock.advance({ seconds: 30 });
    receiver.answer = accept;
    await deliver();
    const [delivery] = await listDeliveries(practice.test, `paymentLinkId=${link.id}`);
    const { payload } = await getDelivery(practice.test, delivery?.id ?? '');
    expect(receiver.received.map(({ raw }) => raw)).to.deep.equal([payload, payload]);
    expect(JSON.parse(payload).data.paymentLink.description).to.equal(description);
    expect(payload, 'the keys stand as they were sent').to.include('"metadata":{"b":"1","a":"2"}');
  });

  it('the reply has each attempt with its number, start, duration, status and error', async () => {
    receiver.answer = refuse(500);
    const { id } = await ping(practice.test, endpoint.id);
    const first = service.clock.now().toISOString();
    await deliver();
    service.clock.advance({ seconds: 30 });
    const second = service.clock.now().toISOString();
    receiver.answer = (_, __, request) => void request.socket.destroy();
    await deliver();
    service.clock.advance({ minutes: 2 });
    const third = service.clock.now().toISOString();
    receiver.answer = refuse(204);
    await deliver();
    const delivery = await getDelivery(practice.test, id);
    expect(delivery.attempts.map(({ durationMs: _, ...attempt }) => attempt)).to.deep.equal([
      { number: 1, startedAt: first, responseStatus: 500, error: 'http_status' },
      { number: 2, startedAt: second, responseStatus: null, error: 'connection_error' },
      { number: 3, startedAt: third, responseStatus: 204, error: null },
    ]);
    for (const { durationMs } of delivery.attempts) expect(durationMs).to.be.within(0, 2_000);
    expect(delivery).to.deep.include({
      status: 'delivered',
      attemptCount: 3,
      deliveredAt: third,
      lastAttemptAt: third,
      nextAttemptAt: null,
      lastResponseStatus: 204,
      lastError: null,
    });
  });

  it('an attempt that is under way is shown without an outcome', async () => {
    const { id } = await ping(practice.test, endpoint.id);
    const { end } = await underWay(200);
    const { attempts, status, attemptCount } = await getDelivery(practice.test, id);
    expect([status, attemptCount]).to.deep.equal(['pending', 1]);
    expect(attempts[0]).to.deep.include({ number: 1, durationMs: null, responseStatus: null, error: null });
    await end();
  });

  it('attemptCount and attempts are of one moment, also while an attempt starts', async () => {
    const { id } = await ping(practice.test, endpoint.id);
    const other = await service.session();
    await other.query('begin');
    await other.query('lock table webhook_attempts');
    const reading = getDelivery(practice.test, id);
    await service.untilWaiting();
    await other.query('update webhook_deliveries set attempt_count = 1, run_attempts = 1 where id = $1', [id]);
    const start = `insert into webhook_attempts (delivery_id, practice_id, number, endpoint_id, started_at, lease_epoch)
        select $1, practice_id, 1, $2, now(), 0 from webhook_deliveries where id = $1`;
    await other.query(start, [id, endpoint.id]);
    await other.query('commit');
    const { attemptCount, attempts } = await reading;
    expect(attempts).to.have.length(attemptCount);
  });

  it('the reply has nothing of the receiver’s answer but its status', async () => {
    receiver.answer = (_, response) => void response.writeHead(500, { 'x-secret': 'canary' }).end('canary');
    const { id } = await ping(practice.test, endpoint.id);
    await deliver();
    expect((await practice.test.get(`${DELIVERIES}/${id}`)).text).to.not.include('canary');
  });
});
