import { expect } from 'chai';
import { skipWaiting } from '../../src/webhooks/endpoints/disable.ts';
import type { Client } from '../harness/client.ts';
import { until } from '../harness/processes.ts';
import { Receiver, refuse } from '../harness/receiver.ts';
import { outcome } from '../harness/refusal.ts';
import {
  DELIVERIES,
  ENDPOINTS,
  exhaust,
  listDeliveries,
  paidLink,
  ping,
  setExhaustedInARow,
  useEndpoint,
} from '../harness/webhooks.ts';

describe('updateWebhookEndpoint', () => {
  const { service, practice, receiver, endpoint, deliver, underWay } = useEndpoint({ description: 'Billing' });

  const patch = (body: unknown, client: Client = practice.test) => client.patch(`${ENDPOINTS}/${endpoint.id}`, body);

  it('omitted fields do not change, and the secret is not shown', async () => {
    const { secret: _, ...before } = endpoint;
    const changed = await patch({ enabledEvents: ['payment_link.paid'] });
    expect(changed.status).to.equal(200);
    expect(changed.body).to.deep.equal({ ...before, enabledEvents: ['payment_link.paid'] });
    expect((await patch({})).body, 'an empty body changes nothing').to.deep.equal(changed.body);
    for (const enabledEvents of [[], null]) {
      await patch({ enabledEvents: ['payment_link.paid'] });
      expect((await patch({ enabledEvents, description: null })).body).to.deep.equal({
        ...before,
        description: null,
      });
    }
  });

  it('all later attempts go to a new url, retries of older events included', async () => {
    receiver.answer = refuse(500);
    await paidLink(practice.test);
    await deliver();
    const moved = await new Receiver().start();
    expect((await patch({ url: moved.url })).body.url).to.equal(moved.url);
    service.clock.advance({ seconds: 30 });
    await deliver();
    expect(moved.received.map(({ id }) => id)).to.deep.equal(receiver.received.map(({ id }) => id));
    await moved.close();
  });

  it('new enabledEvents apply to later events, not to waiting deliveries', async () => {
    await paidLink(practice.test);
    await patch({ enabledEvents: ['payment_link.expired'] });
    await paidLink(practice.test);
    await deliver();
    expect(receiver.types).to.deep.equal(['payment_link.paid']);
  });

  it('enabled: false keeps the secret, and skips waiting deliveries and later events', async () => {
    receiver.answer = refuse(500);
    await paidLink(practice.test);
    await deliver();
    await paidLink(practice.test);
    expect((await patch({ enabled: false })).body.status).to.equal('disabled');
    await paidLink(practice.test);
    const skipped = await listDeliveries(practice.test, `endpointId=${endpoint.id}`);
    expect(skipped.map(({ status }) => status)).to.deep.equal(['skipped', 'skipped', 'skipped']);
    expect(skipped.map(({ nextAttemptAt }) => nextAttemptAt)).to.deep.equal([null, null, null]);
    expect((await patch({ enabled: false })).body.status, 'again changes nothing').to.equal('disabled');
  });

  it('enabled: true resets the count of exhausted events', async () => {
    receiver.answer = refuse(500);
    const deliverer = service.deliverer();
    const statuses: string[] = [];
    for (const enableFirst of [true, false]) {
      await setExhaustedInARow(service, endpoint.id, 19);
      if (enableFirst) await patch({ enabled: true });
      await exhaust(service, deliverer, practice.test, endpoint.id, 1);
      statuses.push((await practice.test.get(`${ENDPOINTS}/${endpoint.id}`)).body.status);
    }
    expect(statuses).to.deep.equal(['enabled', 'disabled']);
  });

  it('an attempt under way while disabling ends by its outcome, and a failure makes its delivery skipped', async () => {
    const endings: string[] = [];
    for (const status of [200, 500]) {
      await patch({ enabled: true });
      const link = await paidLink(practice.test);
      const { end } = await underWay(status);
      await patch({ enabled: false });
      await end();
      endings.push(...(await listDeliveries(practice.test, `paymentLinkId=${link.id}`)).map((one) => one.status));
    }
    expect(endings).to.deep.equal(['delivered', 'skipped']);
  });

  /** Queues this many deliveries. One statement skips 5,000. */
  async function queueBacklog(size: number): Promise<void> {
    const first = await paidLink(practice.test);
    await service.query(
      `insert into webhook_deliveries (id, practice_id, endpoint_id, payment_link_id, type, test, status, payload,
         delivery_run, due_at, created_at)
       select 'evt_' || gen_random_uuid(), practice_id, endpoint_id, payment_link_id, type, test, status, payload,
         delivery_run, due_at, created_at
       from webhook_deliveries, generate_series(2, $1::integer) as n where payment_link_id = $2`,
      [size, first.id],
    );
  }

  /** Returns the numbers of pending and of skipped deliveries. */
  async function backlog(): Promise<number[]> {
    const count = async (status: string) =>
      (await practice.test.get(`${DELIVERIES}?endpointId=${endpoint.id}&status=${status}`)).body.totalCount;
    return [await count('pending'), await count('skipped')];
  }

  /** Changes the endpoint as clients do: on a busy machine the database may be too slow for one request, which answers 503. */
  async function patchUntilDone(body: { enabled: boolean }): Promise<void> {
    let answer = await patch(body);
    while (answer.status === 503) answer = await patch(body);
    expect([answer.status, answer.body.status]).to.deep.equal([200, body.enabled ? 'enabled' : 'disabled']);
  }

  it('a backlog of thousands is skipped: what one statement leaves, the next rounds skip, and nothing is sent', async () => {
    await queueBacklog(6_000);
    await patchUntilDone({ enabled: false });
    await until(async () => {
      await deliver();
      return (await backlog())[0] === 0;
    }, 'deliveries of a disabled endpoint wait');
    expect(await backlog()).to.deep.equal([0, 6_000]);
    expect(receiver.received).to.have.length(0);
  });

  it('a backlog of thousands is skipped, too, if the endpoint is enabled again before any round', async () => {
    await queueBacklog(11_000);
    await patchUntilDone({ enabled: false });
    await patchUntilDone({ enabled: true });
    expect(await backlog()).to.deep.equal([0, 11_000]);
  });

  it('an endpoint is disabled although the database is too slow to skip, and the repeated request or a round skips', async () => {
    for (const skip of [() => patchUntilDone({ enabled: false }), deliver]) {
      await patchUntilDone({ enabled: true });
      const { id } = await ping(practice.test, endpoint.id);
      const release = await service.lock('select from webhook_deliveries where id = $1 for update', [id]);
      expect(outcome(await patch({ enabled: false }))).to.equal('503 service_unavailable');
      expect((await practice.test.get(`${ENDPOINTS}/${endpoint.id}`)).body.status).to.equal('disabled');
      expect((await backlog())[0]).to.equal(1);
      await release();
      await skip();
      expect((await backlog())[0]).to.equal(0);
    }
    expect(receiver.received).to.have.length(0);
  });

  it('a round that found the endpoint disabled skips nothing of it once it is enabled, nor does enabling it again', async () => {
    await ping(practice.test, endpoint.id);
    await patch({ enabled: true });
    await skipWaiting(service.scope(), endpoint.id);
    expect(await backlog()).to.deep.equal([1, 0]);
  });

  for (const [body, expected] of [
    [{ url: 'https://user@hooks.example.com/' }, '400 validation_error url'],
    [{ url: 'https://10.0.0.1/' }, '400 validation_error url'],
    [{ url: null }, '400 validation_error url'],
    [{ enabled: 'false' }, '400 validation_error enabled'],
    [{ enabled: null }, '400 validation_error enabled'],
    [{ description: 'x'.repeat(501) }, '400 validation_error description'],
    [{ locationId: 'loc_1' }, '400 unknown_parameter locationId'],
    [{ status: 'disabled' }, '400 unknown_parameter status'],
    [{ secret: 'whsec_1' }, '400 unknown_parameter secret'],
  ] as const) {
    it(`${expected} for ${JSON.stringify(body).slice(0, 60)}, and nothing changes`, async () => {
      expect(outcome(await patch({ ...body }))).to.equal(expected);
      expect((await practice.test.get(`${ENDPOINTS}/${endpoint.id}`)).body.url).to.equal(receiver.url);
    });
  }
});
