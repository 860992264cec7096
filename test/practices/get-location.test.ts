import { expect } from 'chai';
import { deactivateLocation } from '../../src/practices/service.ts';
import { outcome } from '../harness/refusal.ts';
import { type TestPractice, TestService } from '../harness/service.ts';

const PATH = '/api/v1/locations';

describe('getLocation', () => {
  let service: TestService;
  let practice: TestPractice;

  before(async () => {
    service = await TestService.start();
    practice = await service.practice();
  });

  after(() => service.close());

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

  it('400 unknown_parameter for any query parameter', async () => {
    expect(outcome(await practice.test.get(`${PATH}/${practice.locationId}?page=1`))).to.equal(
      '400 unknown_parameter page',
    );
  });

  it('401 invalid_api_key without a key', async () => {
    const client = practice.test.as(null);
    expect(outcome(await client.get(`${PATH}/${practice.locationId}`))).to.equal('401 invalid_api_key');
  });

  it('404 not_found after the location is deactivated', async () => {
    const own = await service.practice();
    await deactivateLocation(service.scope(), own.locationId);
    expect(outcome(await own.test.get(`${PATH}/${own.locationId}`))).to.equal('404 not_found');
  });

  it('404 not_found outside the pin and in another practice', async () => {
    const { practiceId, locationId } = practice;
    const eastside = await service.location(practiceId, 'Eastside');
    const pinned = await service.key({ practiceId, test: true, locationId: eastside });
    expect(outcome(await pinned.get(`${PATH}/${locationId}`))).to.equal('404 not_found');
    expect(outcome(await pinned.get(`${PATH}/${eastside}`))).to.equal('200');
    const foreign = await service.practice();
    expect(outcome(await practice.test.get(`${PATH}/${foreign.locationId}`))).to.equal('404 not_found');
  });

  it('429 rate_limited beyond the limit of the key', async () => {
    const client = await service.key({ practiceId: practice.practiceId, test: true, requestsPerMinute: 1 });
    await client.get(`${PATH}/${practice.locationId}`);
    expect(outcome(await client.get(`${PATH}/${practice.locationId}`))).to.equal('429 rate_limited');
  });
});
