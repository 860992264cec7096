import { expect } from 'chai';
import { itRefusesStrangers } from '../harness/common-refusals.ts';
import { outcome, withoutRequestId } from '../harness/refusal.ts';
import { type TestPractice, TestService } from '../harness/service.ts';
import { createEndpoint, ENDPOINTS, type Endpoint } from '../harness/webhooks.ts';

const URL_OK = 'http://127.0.0.1:9/hook';

describe('getWebhookEndpoint', () => {
  let service: TestService;
  let practice: TestPractice;
  let endpoint: Endpoint;

  before(async () => {
    service = await TestService.start();
    practice = await service.practice();
    endpoint = await createEndpoint(practice.test, URL_OK, { description: 'Billing' });
  });

  after(() => service.close());

  it('200 with everything but the secret', async () => {
    const { secret: _, ...shown } = endpoint;
    const reply = await practice.test.get(`${ENDPOINTS}/${endpoint.id}`);
    expect(reply.status).to.equal(200);
    expect(reply.body).to.deep.equal(shown);
  });

  it('200 without a usable SECRETS_KEY', async () => {
    const { databaseUrl } = service.config;
    const keyless = await TestService.start({ databaseUrl, clock: service.clock, env: { SECRETS_KEY: '' } });
    expect((await keyless.client(practice.test.key).get(`${ENDPOINTS}/${endpoint.id}`)).status).to.equal(200);
    await keyless.close();
  });

  it('400 unknown_parameter for a query', async () => {
    const reply = await practice.test.get(`${ENDPOINTS}/${endpoint.id}?expand=secret`);
    expect(outcome(reply)).to.equal('400 unknown_parameter expand');
  });

  it('the same 404 for an id that is unknown, malformed, deleted, of another kind, mode, practice or pin', async () => {
    const { practiceId, locationId } = practice;
    const pinned = await service.key({ practiceId, test: true, locationId });
    const foreign = await createEndpoint((await service.practice()).test, URL_OK);
    const live = await createEndpoint(practice.live, URL_OK);
    const deleted = await createEndpoint(practice.test, URL_OK);
    await practice.test.delete(`${ENDPOINTS}/${deleted.id}`);
    const ids = [
      'we_00000000000000000000000000',
      'we_',
      'nonsense',
      '%00',
      foreign.id,
      live.id,
      deleted.id,
      practiceId,
    ];
    const replies = await Promise.all(ids.map((id) => practice.test.get(`${ENDPOINTS}/${id}`)));
    replies.push(await pinned.get(`${ENDPOINTS}/${endpoint.id}`));
    expect(new Set(replies.map(outcome))).to.deep.equal(new Set(['404 not_found']));
    expect(new Set(replies.map(withoutRequestId)).size).to.equal(1);
  });

  itRefusesStrangers({
    service: () => service,
    practice: () => practice,
    send: (client) => client.get(`${ENDPOINTS}/${endpoint.id}`),
  });
});
