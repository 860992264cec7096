import { expect } from 'chai';
import { madeForEach, useService } from '../harness/fixtures.ts';
import { createEndpoint, ENDPOINTS } from '../harness/webhooks.ts';

const URL_OK = 'http://127.0.0.1:9/hook';

describe('listWebhookEndpoints', () => {
  const service = useService();
  const practice = madeForEach(() => service.practice());

  it('the list is empty without endpoints', async () => {
    const { body } = await practice.test.get(ENDPOINTS);
    expect(body).to.deep.equal({ object: 'list', data: [], page: 1, pageSize: 50, totalCount: 0, hasMore: false });
  });

  it('endpoints are listed newest first, those of one moment in the reverse order of their creation, without secrets, in pages', async () => {
    const ids: string[] = [];
    for (let count = 0; count < 3; count++) {
      ids.unshift((await createEndpoint(practice.test, URL_OK)).id);
      service.clock.advance({ seconds: count });
    }
    const first = (await practice.test.get(`${ENDPOINTS}?page=1&pageSize=2`)).body;
    const second = (await practice.test.get(`${ENDPOINTS}?page=2&pageSize=2`)).body;
    expect([...first.data, ...second.data].map(({ id }) => id)).to.deep.equal(ids);
    expect([first.totalCount, first.hasMore, second.hasMore]).to.deep.equal([3, true, false]);
    expect(JSON.stringify([first, second]))
      .to.not.include('whsec_')
      .and.not.include('secret');
  });

  it('the list has endpoints of the key’s mode and practice only, disabled ones included, deleted ones not', async () => {
    const kept = await createEndpoint(practice.test, URL_OK);
    const gone = await createEndpoint(practice.test, URL_OK);
    await createEndpoint(practice.live, URL_OK);
    await createEndpoint((await service.practice()).test, URL_OK);
    await practice.test.patch(`${ENDPOINTS}/${kept.id}`, { enabled: false });
    await practice.test.delete(`${ENDPOINTS}/${gone.id}`);
    const { body } = await practice.test.get(ENDPOINTS);
    expect(body.data.map(({ id }: { id: string }) => id)).to.deep.equal([kept.id]);
    expect(body.totalCount).to.equal(1);
  });

  it('a pinned key sees endpoints of its location, and not those of all locations', async () => {
    const { practiceId, locationId } = practice;
    const elsewhere = await service.location(practiceId, 'Uptown');
    await createEndpoint(practice.test, URL_OK);
    await createEndpoint(practice.test, URL_OK, { locationId: elsewhere });
    const own = await createEndpoint(practice.test, URL_OK, { locationId });
    const pinned = await service.key({ practiceId, test: true, locationId });
    const { body } = await pinned.get(ENDPOINTS);
    expect(body.data.map(({ id }: { id: string }) => id)).to.deep.equal([own.id]);
  });
});
