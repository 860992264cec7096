import { expect } from 'chai';
import { madeOnce, useService } from '../harness/fixtures.ts';
import { createEndpoint, ENDPOINTS } from '../harness/webhooks.ts';

const URL_OK = 'http://127.0.0.1:9/hook';

describe('getWebhookEndpoint', () => {
  const service = useService();
  const practice = madeOnce(() => service.practice());
  const endpoint = madeOnce(() => createEndpoint(practice.test, URL_OK, { description: 'Billing' }));

  it('200 with everything but the secret', async () => {
    const { secret: _, ...shown } = endpoint;
    const reply = await practice.test.get(`${ENDPOINTS}/${endpoint.id}`);
    expect(reply.status).to.equal(200);
    expect(reply.body).to.deep.equal(shown);
  });
});
