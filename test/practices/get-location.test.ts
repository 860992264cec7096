import { expect } from 'chai';
import { madeOnce, useService } from '../harness/fixtures.ts';

const PATH = '/api/v1/locations';

describe('getLocation', () => {
  const service = useService();
  const practice = madeOnce(() => service.practice());

  it('200 with the location, for keys of both modes and without any scope for it', async () => {
    const { practiceId, locationId, test, live } = practice;
    const limited = await service.key({ practiceId, test: true, scopes: ['webhooks:manage'] });
    const pinned = await service.key({ practiceId, test: false, locationId });
    for (const client of [test, live, limited, pinned]) {
      const reply = await client.get(`${PATH}/${locationId}`);
      expect(reply.body).to.deep.equal({
        id: locationId,
        object: 'location',
        name: 'Downtown',
        city: 'Springfield',
        state: 'IL',
        timeZone: 'America/Chicago',
      });
    }
  });
});
