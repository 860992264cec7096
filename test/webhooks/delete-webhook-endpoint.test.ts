import { expect } from 'chai';
import { purgeDeletedEndpoints } from '../../src/webhooks/events/retention.ts';
import { refuse } from '../harness/receiver.ts';
import { outcome } from '../harness/refusal.ts';
import { createEndpoint, DELIVERIES, ENDPOINTS, listDeliveries, paidLink, useEndpoint } from '../harness/webhooks.ts';

describe('deleteWebhookEndpoint', () => {
  const { service, practice, receiver, endpoint, deliver, underWay } = useEndpoint();

  const remove = () => practice.test.delete(`${ENDPOINTS}/${endpoint.id}`);
  const rowsOf = (table: string, column: string) =>
    service.query(`select * from ${table} where ${column} = $1`, [endpoint.id]);

  it('204 without a body; endpoint and deliveries disappear from every read at once', async () => {
    await paidLink(practice.test);
    await deliver();
    const [delivery] = await listDeliveries(practice.test);
    const reply = await remove();
    expect([reply.status, reply.text]).to.deep.equal([204, '']);
    const gone = await Promise.all([
      practice.test.get(`${ENDPOINTS}/${endpoint.id}`),
      practice.test.patch(`${ENDPOINTS}/${endpoint.id}`, { enabled: true }),
      practice.test.post(`${ENDPOINTS}/${endpoint.id}/test`),
      practice.test.post(`${ENDPOINTS}/${endpoint.id}/rotate-secret`),
      practice.test.post(`${ENDPOINTS}/${endpoint.id}/replay`, { since: '2030-06-15T00:00:00Z' }),
      practice.test.get(`${DELIVERIES}/${delivery?.id}`),
      practice.test.post(`${DELIVERIES}/${delivery?.id}/redeliver`),
      remove(),
    ]);
    expect(new Set(gone.map(outcome))).to.deep.equal(new Set(['404 not_found']));
    expect((await practice.test.get(ENDPOINTS)).body.totalCount).to.equal(0);
    for (const search of ['', `?endpointId=${endpoint.id}`, `?paymentLinkId=${delivery?.paymentLinkId}`]) {
      expect((await practice.test.get(`${DELIVERIES}${search}`)).body.totalCount, search).to.equal(0);
    }
  });

  it('deleting erases the endpoint’s secrets and address at once', async () => {
    await practice.test.post(`${ENDPOINTS}/${endpoint.id}/rotate-secret`);
    await remove();
    const [row] = await rowsOf('webhook_endpoints', 'id');
    expect(row).to.deep.include({ secret_ciphertext: '', previous_secret_ciphertext: null, url: '' });
  });

  it('waiting deliveries of a deleted endpoint are not sent', async () => {
    await paidLink(practice.test);
    await remove();
    await paidLink(practice.test);
    await deliver();
    expect(receiver.received).to.have.length(0);
  });

  it('an attempt under way at a deleted endpoint ends without an error', async () => {
    await paidLink(practice.test);
    const { end } = await underWay(200);
    expect((await remove()).status).to.equal(204);
    await end();
    while (await purgeDeletedEndpoints(service.scope()));
    expect(await rowsOf('webhook_endpoints', 'id')).to.deep.equal([]);
  });

  it('the purge deletes the whole history in batches, and nothing of other endpoints', async () => {
    const other = await createEndpoint(practice.test, receiver.url);
    receiver.answer = refuse(500);
    await paidLink(practice.test);
    await deliver();
    await service.query(
      `insert into webhook_deliveries (id, practice_id, endpoint_id, type, test, status, payload, delivery_run, created_at)
       select 'evt_old_' || n, practice_id, endpoint_id, type, test, 'exhausted', payload, delivery_run, created_at
       from webhook_deliveries, generate_series(1, 2500) as n where endpoint_id = $1`,
      [endpoint.id],
    );
    await remove();
    expect(await rowsOf('webhook_deliveries', 'endpoint_id'), 'nobody waits for the history').to.have.length(2501);
    const batches: number[] = [];
    for (let more = true; more; batches.push((await rowsOf('webhook_deliveries', 'endpoint_id')).length)) {
      more = await purgeDeletedEndpoints(service.scope());
    }
    expect(batches).to.deep.equal([1501, 501, 0]);
    expect(await rowsOf('webhook_attempts', 'endpoint_id')).to.deep.equal([]);
    expect(await rowsOf('webhook_endpoints', 'id')).to.deep.equal([]);
    expect(await listDeliveries(practice.test, `endpointId=${other.id}`)).to.have.length(1);
  });

  it('an event that is published at the same moment does not fail', async () => {
    for (let round = 0; round < 8; round++) {
      const doomed = await createEndpoint(practice.test, receiver.url);
      const path = `${ENDPOINTS}/${doomed.id}`;
      const [, deleted] = await Promise.all([paidLink(practice.test), practice.test.delete(path)]);
      expect(deleted.status).to.equal(204);
      while (await purgeDeletedEndpoints(service.scope()));
    }
  });
});
