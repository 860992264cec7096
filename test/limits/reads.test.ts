import { expect } from 'chai';
import { addMember, signedIn } from '../console/console.ts';
import { useService } from '../harness/fixtures.ts';
import { createEndpoint, ENDPOINTS } from '../harness/webhooks.ts';

describe('concurrent requests of a practice', () => {
  const service = useService();

  it('sixty requests to API and console that wait hold eight database connections, and other practices are served', async () => {
    const slow = await service.practice();
    const other = await service.practice();
    const person = await signedIn(service, await addMember(service, slow.practiceId, 'owner'));
    const endpoint = await createEndpoint(slow.live, 'https://127.0.0.1:1/hooks');
    const release = await service.lock('lock table webhook_endpoints in access exclusive mode');
    const asked = Array.from({ length: 20 }).flatMap(() => [
      slow.live.get(ENDPOINTS),
      person.get(`/console/${slow.practiceId}/live/developers`),
      person.post(`/console/${slow.practiceId}/live/developers/webhooks/${endpoint.id}/test`),
    ]);
    await service.untilWaiting(8);
    for (let round = 0; round < 5; round++) {
      expect((await other.test.get('/api/v1/payment-links')).status).to.equal(200);
      // Admissions of the sixty requests may still wait for the row of a rate window.
      const waiting = await service.query(`select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and wait_event = 'relation'`);
      expect(waiting.length).to.be.at.most(8);
    }
    await release();
    for (const { status } of await Promise.all(asked)) expect(status).to.be.oneOf([200, 303, 503]);
  });
});
