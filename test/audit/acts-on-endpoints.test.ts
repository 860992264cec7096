import { expect } from 'chai';
import { madeOnce, useReceiver, useService } from '../harness/fixtures.ts';
import { createEndpoint, ENDPOINTS } from '../harness/webhooks.ts';

describe('acts of keys on endpoints', () => {
  const service = useService();
  const practice = madeOnce(() => service.practice());
  const receiver = useReceiver();

  it('everything that a key does with an endpoint has an entry with key and address, and no secret', async () => {
    const { id, secret } = await createEndpoint(practice.test, receiver.url);
    const path = `${ENDPOINTS}/${id}`;
    await practice.test.patch(path, { description: 'Front desk' });
    await practice.test.patch(path, { enabled: false });
    await practice.test.patch(path, { enabled: true });
    const rotated = await practice.test.post(`${path}/rotate-secret`);
    await practice.test.post(`${path}/test`);
    const since = service.clock.now().toISOString();
    expect((await practice.test.post(`${path}/replay`, { since })).status).to.equal(202);
    await practice.test.get(path);
    await practice.test.delete(path);
    const entries = await service.query<{ action: string; actor: string; address: string; text: string }>(
      `select action, actor_kind as actor, address, audit_log::text as text from audit_log
       where practice_id = $1 and target_id = $2 order by id`,
      [practice.practiceId, id],
    );
    expect(entries.map(({ action }) => action)).to.deep.equal([
      'endpoint.created',
      'endpoint.changed',
      'endpoint.disabled',
      'endpoint.enabled',
      'endpoint.secret_rotated',
      'endpoint.tested',
      'endpoint.replayed',
      'endpoint.deleted',
    ]);
    for (const { actor, address, text } of entries) {
      expect([actor, address]).to.deep.equal(['api_key', '127.0.0.1']);
      for (const hidden of [secret, rotated.body.secret]) expect(text).to.not.include(hidden);
    }
  });
});
