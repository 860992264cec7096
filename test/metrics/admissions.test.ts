import { expect } from 'chai';
import { updatePractice } from '../../src/practices/service.ts';
import { afterThisTest } from '../harness/after-this-test.ts';
import { TestService, unknownKey } from '../harness/service.ts';
import { Counters } from './counters.ts';

describe('metrics of admissions', () => {
  it('refused requests are counted by their reason, which the code of the error may leave open', async () => {
    const service = await TestService.start({ env: { IP_REQUESTS_PER_MINUTE: '10' } });
    const counters = new Counters('api');
    afterThisTest(() => service.close());
    const open = await service.practice();
    const closed = await service.practice();
    await updatePractice(service.scope(), closed.practiceId, { apiAccessEnabled: false });
    const limited = await service.key({ practiceId: open.practiceId, test: true, requestsPerMinute: 1 });
    const statuses: number[] = [];
    const refused = async () => {
      for (const client of [limited, limited, closed.test, service.client(unknownKey()), service.client(null)]) {
        statuses.push((await client.get('/api/v1/payment-links')).status);
      }
      for (let count = 5; count <= 10; count++) statuses.push((await open.test.get('/api/v1/payment-links')).status);
    };
    expect(await counters.growth(['paylinks_admissions_refused_total'], refused)).to.deep.equal({
      'reason="key_limited"': 1,
      'reason="access_disabled"': 1,
      'reason="unknown_key"': 1,
      'reason="no_key"': 1,
      'reason="address_limited"': 1,
    });
    expect(statuses).to.deep.equal([200, 429, 403, 401, 401, 200, 200, 200, 200, 200, 429]);
  });
});
