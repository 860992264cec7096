import { expect } from 'chai';
import { addUser, signedIn } from '../console/console.ts';
import { useService } from '../harness/fixtures.ts';
import { ENDPOINTS } from '../harness/webhooks.ts';

describe('concurrent reads of a practice', () => {
  const service = useService();

  it('forty reads of API and console that wait hold four database connections, and other practices are served', async () => {
    const slow = await service.practice();
    const other = await service.practice();
    const person = await signedIn(service, await addUser(service, slow.practiceId, 'owner'));
    const release = await service.lock('lock table webhook_endpoints in access exclusive mode');
    const asked = Array.from({ length: 20 }).flatMap(() => [
      slow.live.get(ENDPOINTS),
      person.get(`/console/${slow.practiceId}/live/developers`),
    ]);
    await service.untilWaiting(4);
    for (let round = 0; round < 5; round++) {
      expect((await other.test.get('/api/v1/payment-links')).status).to.equal(200);
      const waiting = await service.query(`select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`);
      expect(waiting.length).to.be.at.most(4);
    }
    await release();
    for (const { status } of await Promise.all(asked)) expect(status).to.be.oneOf([200, 503]);
  });
});
