import { expect } from 'chai';
import { afterThisTest } from '../harness/after-this-test.ts';
import type { Client } from '../harness/client.ts';
import { madeForEach, useService } from '../harness/fixtures.ts';
import { outcome } from '../harness/refusal.ts';
import { TestService } from '../harness/service.ts';
import { createEndpoint, ENDPOINTS } from '../harness/webhooks.ts';
import { scriptedResolver } from './fixtures/scripted-resolver.ts';

const URL_OK = 'https://hooks.example.com/payments?source=paylinks';

describe('createWebhookEndpoint', () => {
  const env = { WEBHOOK_ALLOWED_NETWORKS: '' };
  const service = useService({ env, resolver: scriptedResolver(['93.184.216.34']) });
  const practice = madeForEach(() => service.practice());

  const create = async (body: unknown, client: Client = practice.test) => outcome(await client.post(ENDPOINTS, body));

  it('a url alone creates an enabled endpoint for every type and location, with its secret', async () => {
    const reply = await practice.test.post(ENDPOINTS, { url: URL_OK });
    expect(reply.status).to.equal(201);
    expect(reply.body.secret).to.match(/^whsec_[A-Za-z0-9]{43}$/);
    expect(reply.body).to.deep.equal({
      id: reply.body.id,
      object: 'webhook_endpoint',
      url: URL_OK,
      enabledEvents: [],
      description: null,
      locationId: null,
      status: 'enabled',
      test: true,
      createdAt: service.clock.now().toISOString(),
      secret: reply.body.secret,
    });
  });

  it('the reply repeats a complete body, and the mode is that of the key', async () => {
    const body = {
      url: URL_OK,
      enabledEvents: ['payment_link.paid', 'payment_link.failed'],
      description: 'Billing system\nsecond line',
      locationId: practice.locationId,
    };
    expect((await practice.live.post(ENDPOINTS, body)).body).to.deep.include({ ...body, test: false });
  });

  it('null means absent for every optional field', async () => {
    const body = { url: URL_OK, enabledEvents: null, description: null, locationId: null };
    const made = await practice.test.post(ENDPOINTS, body);
    expect(made.body).to.deep.include({ ...body, enabledEvents: [] });
  });

  it('a pinned key restricts the endpoint to its location, also without locationId', async () => {
    const { practiceId, locationId } = practice;
    const pinned = await service.key({ practiceId, test: true, locationId });
    expect((await createEndpoint(pinned, URL_OK)).locationId).to.equal(locationId);
  });

  it('two endpoints may share a url, and never share a secret', async () => {
    const [one, two] = [await createEndpoint(practice.test, URL_OK), await createEndpoint(practice.test, URL_OK)];
    expect(one.id).to.not.equal(two.id);
    expect(one.secret).to.not.equal(two.secret);
  });

  const FIELDS: [body: object, param: string, why: string][] = [
    [{ url: 'http://hooks.example.com/' }, 'url', 'not https'],
    [{ url: 'https://db.internal/' }, 'url', 'an internal name'],
    [{ url: 'https://[::ffff:10.0.0.1]/' }, 'url', 'a mapped private address'],
    [{ url: 42 }, 'url', 'a number'],
    [{ url: null }, 'url', 'null'],
    [{ url: undefined }, 'url', 'no url at all'],
    [{ enabledEvents: ['payment_link.stolen'] }, 'enabledEvents.0', 'a type that does not exist'],
    [{ enabledEvents: ['ping'] }, 'enabledEvents.0', 'ping, which is not to be subscribed to'],
    [{ enabledEvents: ['payment_link.paid', 'payment_link.paid'] }, 'enabledEvents', 'a type twice'],
    [{ enabledEvents: 'payment_link.paid' }, 'enabledEvents', 'a text instead of a list'],
    [{ description: 'x'.repeat(501) }, 'description', '501 characters'],
    [{ description: 'a\u0000b' }, 'description', 'NUL'],
  ];
  for (const [body, param, why] of FIELDS) {
    it(`validation_error on ${param}: ${why}`, async () => {
      expect(await create({ url: URL_OK, ...body })).to.equal(`400 validation_error ${param}`);
    });
  }

  it('validation_error on url: a name that resolves to a public and a private address', async () => {
    const resolver = scriptedResolver(['93.184.216.34', '10.0.0.1']);
    const other = await TestService.start({ beside: service, env, resolver });
    afterThisTest(() => other.close());
    expect(await create({ url: URL_OK }, other.client(practice.test.key))).to.equal('400 validation_error url');
  });

  it('a description may have 500 characters, counted in code points', async () => {
    expect(await create({ url: URL_OK, description: '😀'.repeat(500) })).to.equal('201');
  });

  it('not_found for a location that is unknown, malformed, another practice’s or outside the pin', async () => {
    const { practiceId, locationId } = practice;
    const elsewhere = await service.location(practiceId, 'Uptown');
    const foreign = (await service.practice()).locationId;
    const pinned = await service.key({ practiceId, test: true, locationId });
    for (const id of ['loc_00000000000000000000000000', 'nonsense', foreign]) {
      expect(await create({ url: URL_OK, locationId: id }), id).to.equal('404 not_found locationId');
    }
    expect(await create({ url: URL_OK, locationId: elsewhere }, pinned)).to.equal('404 not_found locationId');
  });

  it('limit_reached at the eleventh endpoint of a mode; disabled endpoints count, deleted ones do not', async () => {
    const ids: string[] = [];
    for (let count = 0; count < 10; count++) ids.push((await createEndpoint(practice.test, URL_OK)).id);
    expect(await create({ url: URL_OK })).to.equal('409 limit_reached');
    expect(await create({ url: URL_OK }, practice.live), 'the other mode has its own ten').to.equal('201');
    await practice.test.patch(`${ENDPOINTS}/${ids[0]}`, { enabled: false });
    expect(await create({ url: URL_OK }), 'disabled ones count').to.equal('409 limit_reached');
    await practice.test.delete(`${ENDPOINTS}/${ids[0]}`);
    expect(await create({ url: URL_OK }), 'a deleted one makes room').to.equal('201');
  });

  it('limit_reached for five of fifteen concurrent creates', async () => {
    const outcomes = await Promise.all(Array.from({ length: 15 }, () => create({ url: URL_OK })));
    expect(outcomes.filter((one) => one === '201')).to.have.length(10);
    expect(outcomes.filter((one) => one === '409 limit_reached')).to.have.length(5);
  });

  it('limit_reached counts endpoints that a pinned key cannot see', async () => {
    const { practiceId } = practice;
    const elsewhere = await service.location(practiceId, 'Uptown');
    for (let count = 0; count < 10; count++) await createEndpoint(practice.test, URL_OK);
    const pinned = await service.key({ practiceId, test: true, locationId: elsewhere });
    expect(await create({ url: URL_OK }, pinned)).to.equal('409 limit_reached');
  });
});
