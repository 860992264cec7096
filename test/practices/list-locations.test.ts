import { expect } from 'chai';
import { deactivateLocation, updatePractice } from '../../src/practices/service.ts';
import { madeOnce, useService } from '../harness/fixtures.ts';
import { outcome } from '../harness/refusal.ts';
import type { TestPractice } from '../harness/service.ts';

const PATH = '/api/v1/locations';

describe('listLocations', () => {
  const service = useService();
  const practice = madeOnce(() => service.practice());

  /** A practice whose locations have these names, beside the first, Downtown. */
  async function practiceWith(...names: string[]): Promise<TestPractice & { ids: string[] }> {
    const own = await service.practice();
    const ids = [];
    for (const name of names) ids.push(await service.location(own.practiceId, name));
    return { ...own, ids };
  }

  describe('200', () => {
    it('the list of locations shows a location as documented', async () => {
      const reply = await practice.test.get(PATH);
      expect(reply.body).to.deep.equal({
        object: 'list',
        data: [
          {
            id: practice.locationId,
            object: 'location',
            name: 'Downtown',
            city: 'Springfield',
            state: 'IL',
            timeZone: 'America/Chicago',
          },
        ],
        page: 1,
        pageSize: 50,
        totalCount: 1,
        hasMore: false,
      });
    });

    it('the list of locations is ordered by name, and the same for keys of both modes and without any scope for it', async () => {
      const { practiceId, test, live } = await practiceWith('Westside', 'Airport', 'Eastside');
      const limited = await service.key({ practiceId, test: true, scopes: ['webhooks:manage'] });
      for (const client of [test, live, limited]) {
        const names = (await client.get(PATH)).body.data.map(({ name }: { name: string }) => name);
        expect(names).to.deep.equal(['Airport', 'Downtown', 'Eastside', 'Westside']);
      }
    });

    it('the list of locations omits deactivated ones and those of other practices', async () => {
      const { test, locationId, ids } = await practiceWith('Closed');
      await deactivateLocation(service.scope(), ids[0] ?? '');
      const { data, totalCount } = (await test.get(PATH)).body;
      expect([data.map(({ id }: { id: string }) => id), totalCount]).to.deep.equal([[locationId], 1]);
    });

    it('the list of locations has exactly one for a pinned key, and none after that is deactivated', async () => {
      const { practiceId, ids } = await practiceWith('Eastside');
      const [locationId = ''] = ids;
      const pinned = await service.key({ practiceId, test: true, locationId });
      const { data, totalCount, hasMore } = (await pinned.get(PATH)).body;
      expect([data.map(({ id }: { id: string }) => id), totalCount, hasMore]).to.deep.equal([[locationId], 1, false]);
      await deactivateLocation(service.scope(), locationId);
      expect((await pinned.get(PATH)).body).to.deep.include({ data: [], totalCount: 0 });
    });

    it('paging returns every location exactly once, also with equal names', async () => {
      const { test, ids, locationId } = await practiceWith('Twin', 'Twin', 'Twin', 'Annex');
      const seen: string[] = [];
      for (const [page, count, hasMore] of [
        [1, 2, true],
        [2, 2, true],
        [3, 1, false],
        [4, 0, false],
      ] as const) {
        const { body } = await test.get(`${PATH}?page=${page}&pageSize=2`);
        expect([body.page, body.pageSize, body.totalCount, body.hasMore]).to.deep.equal([page, 2, 5, hasMore]);
        expect(body.data).to.have.length(count);
        seen.push(...body.data.map(({ id }: { id: string }) => id));
      }
      expect(new Set(seen)).to.deep.equal(new Set([...ids, locationId]));
    });

    it('the list of locations accepts the largest page number and both bounds of pageSize', async () => {
      for (const query of ['page=1000000000&pageSize=100', 'pageSize=1', 'pageSize=100']) {
        expect((await practice.test.get(`${PATH}?${query}`)).status, query).to.equal(200);
      }
    });
  });

  it('403 api_access_disabled from the next request on, which shows the limit of the key and does not count towards it', async () => {
    const own = await service.practice();
    const client = await service.key({ practiceId: own.practiceId, test: true, requestsPerMinute: 2 });
    const switchAccess = (apiAccessEnabled: boolean) =>
      updatePractice(service.scope(), own.practiceId, { apiAccessEnabled });
    const limits = async () => {
      const reply = await client.get(PATH);
      const { headers } = reply;
      return [outcome(reply), headers['ratelimit-limit'], headers['ratelimit-remaining'], headers['ratelimit-reset']];
    };
    expect(await limits()).to.deep.equal(['200', '2', '1', '60']);
    await switchAccess(false);
    for (let request = 0; request < 3; request++) {
      expect(await limits()).to.deep.equal(['403 api_access_disabled', '2', '1', '60']);
    }
    await switchAccess(true);
    expect(await limits()).to.deep.equal(['200', '2', '0', '60']);
    await switchAccess(false);
    expect(await limits(), 'API access precedes the limit').to.deep.equal(['403 api_access_disabled', '2', '0', '60']);
  });
});
