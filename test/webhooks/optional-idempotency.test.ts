import { expect } from 'chai';
import { retentionSweep } from '../../src/main/processes/tasks.ts';
import type { Client, Exchange } from '../harness/client.ts';
import { madeForEach, useService } from '../harness/fixtures.ts';
import { outcome } from '../harness/refusal.ts';
import { idempotent, linkBody } from '../harness/service.ts';
import { createEndpoint, ENDPOINTS, type Endpoint } from '../harness/webhooks.ts';

const BODY = { url: 'http://127.0.0.1:4000/hooks', enabledEvents: ['payment_link.paid'], description: 'Billing' };
const AT_ONCE = 20;

describe('Idempotency-Key on the operations that answer with a secret', () => {
  const service = useService();
  const keyless = useService({ beside: service, env: { SECRETS_KEY: '' } });
  const practice = madeForEach(() => service.practice());

  const isReplay = ({ headers }: Exchange) => headers['idempotency-replayed'] === 'true';

  const create = (key: string, body: object = BODY, client: Client = practice.test) =>
    client.post(ENDPOINTS, body, idempotent(key));

  const rotate = (endpoint: Endpoint, key: string, client: Client = practice.test) =>
    client.post(`${ENDPOINTS}/${endpoint.id}/rotate-secret`, undefined, idempotent(key));

  const endpointCount = async () => (await practice.test.get(ENDPOINTS)).body.totalCount;

  describe('creating an endpoint', () => {
    it('an endpoint is created once, and the same request gets the same bytes again, secret included', async () => {
      const first = await create('one');
      expect([first.status, isReplay(first)]).to.deep.equal([201, false]);
      const reordered = Object.fromEntries(Object.entries(BODY).reverse());
      const again = await create('one', reordered);
      expect([again.status, again.text, isReplay(again)]).to.deep.equal([201, first.text, true]);
      expect(await endpointCount()).to.equal(1);
    });

    it('one of many simultaneous requests takes effect, and the others get its reply or 409', async () => {
      const replies = await Promise.all(Array.from({ length: AT_ONCE }, () => create('crowd')));
      const made = replies.filter(({ status }) => status === 201);
      expect(made.filter((reply) => !isReplay(reply))).to.have.length(1);
      expect(new Set(made.map(({ text }) => text)).size).to.equal(1);
      for (const reply of replies.filter(({ status }) => status !== 201)) {
        expect(outcome(reply)).to.equal('409 idempotency_key_in_flight Idempotency-Key');
      }
      expect(await endpointCount()).to.equal(1);
    });

    it('a key with another body gets a 422, and a 400 precedes it', async () => {
      await create('reused');
      expect(outcome(await create('reused', { ...BODY, description: null }))).to.equal(
        '422 idempotency_key_reused Idempotency-Key',
      );
      expect(outcome(await create('reused', { url: 'https://10.0.0.1/' }))).to.equal('400 validation_error url');
    });

    it('a refused create is not stored', async () => {
      expect(outcome(await create('refused', { ...BODY, locationId: 'loc_x' }))).to.match(/^404/);
      const fixed = await create('refused');
      expect([fixed.status, isReplay(fixed)]).to.deep.equal([201, false]);
    });

    it('a create is replayed at the limit of ten endpoints, and after the endpoint is deleted', async () => {
      const first = await create('limit');
      for (let made = 1; made < 10; made += 1) await createEndpoint(practice.test, BODY.url);
      expect(outcome(await create('eleventh'))).to.equal('409 limit_reached');
      expect((await create('limit')).text).to.equal(first.text);
      await practice.test.delete(`${ENDPOINTS}/${first.body.id}`);
      expect((await create('limit')).text).to.equal(first.text);
    });
  });

  describe('rotating a secret', () => {
    it('a secret is rotated once, and the same bytes come again, also for an empty object instead of no body', async () => {
      const endpoint = await createEndpoint(practice.test, BODY.url);
      const first = await rotate(endpoint, 'turn');
      expect([first.status, isReplay(first)]).to.deep.equal([200, false]);
      const path = `${ENDPOINTS}/${endpoint.id}/rotate-secret`;
      const again = await practice.test.post(path, {}, idempotent('turn'));
      expect([again.status, again.text, isReplay(again)]).to.deep.equal([200, first.text, true]);
      const next = await rotate(endpoint, 'next turn');
      expect(next.body.secret).not.to.equal(first.body.secret);
    });

    it('a key with another endpoint gets a 422, and an unknown endpoint a 404', async () => {
      const endpoint = await createEndpoint(practice.test, BODY.url);
      const other = await createEndpoint(practice.test, BODY.url);
      await rotate(endpoint, 'mine');
      expect(outcome(await rotate(other, 'mine'))).to.equal('422 idempotency_key_reused Idempotency-Key');
      expect(outcome(await rotate({ ...endpoint, id: 'we_nobody' }, 'nobody'))).to.equal('404 not_found');
    });

    it('a repeated request gets a 409 while the first one runs', async () => {
      const endpoint = await createEndpoint(practice.test, BODY.url);
      await service.orm.em.fork().transactional(async (em) => {
        const lock = `select pg_advisory_xact_lock(hashtextextended(id || ':rotateWebhookEndpointSecret:held', 0))
          from api_keys where practice_id = ? and test`;
        await em.execute(lock, [practice.practiceId]);
        expect(outcome(await rotate(endpoint, 'held'))).to.equal('409 idempotency_key_in_flight Idempotency-Key');
        const other = await practice.test.post(ENDPOINTS, BODY, idempotent('held'));
        expect(other.status, 'another operation').to.equal(201);
      });
      expect((await rotate(endpoint, 'held')).status).to.equal(200);
    });
  });

  describe('the key', () => {
    it('an idempotency key belongs to the API key and the operation', async () => {
      const link = () => practice.test.post('/api/v1/payment-links', linkBody(), idempotent('shared'));
      expect((await link()).status).to.equal(201);
      const mine = await create('shared');
      const other = await create('shared', BODY, await service.key({ practiceId: practice.practiceId, test: true }));
      expect([mine.status, isReplay(mine)]).to.deep.equal([201, false]);
      expect([other.status, isReplay(other)]).to.deep.equal([201, false]);
      expect(isReplay(await rotate(mine.body, 'shared'))).to.equal(false);
      expect(isReplay(await link())).to.equal(true);
    });

    it('an idempotency key is stored for 24 hours, to the millisecond', async () => {
      const first = await create('day');
      service.clock.advance({ hours: 24, ms: -1 });
      expect((await create('day')).text).to.equal(first.text);
      service.clock.advance({ ms: 1 });
      const next = await create('day');
      expect([next.status, isReplay(next)]).to.deep.equal([201, false]);
      expect((await create('day')).text, 'the new one is remembered').to.equal(next.text);
    });
  });

  describe('at rest', () => {
    it('no stored reply can be read without the keyring, and it is deleted after 24 hours', async () => {
      const endpoint = await create('at rest');
      const { secret } = (await rotate(endpoint.body, 'at rest')).body;
      const stored = async () => service.query<{ row: string }>('select r::text as row from sealed_replies r');
      const rows = await stored();
      expect(rows).to.have.length.at.least(2);
      for (const { row } of rows) {
        for (const secretText of [secret, endpoint.body.secret, 'whsec_', endpoint.body.id])
          expect(row).not.to.include(secretText);
      }
      service.clock.advance({ hours: 24 });
      await retentionSweep(() => service.scope())(() => true);
      expect(await stored()).to.deep.equal([]);
    });

    it('503 webhooks_unavailable without a usable SECRETS_KEY, also for a replay, and nothing is stored', async () => {
      await create('sealed');
      const client = keyless.client(practice.test.key);
      for (const key of ['sealed', 'unsealed']) {
        expect(outcome(await create(key, BODY, client))).to.equal('503 webhooks_unavailable');
      }
      expect(isReplay(await create('unsealed'))).to.equal(false);
    });

    it('a reply that was copied to another key of its table is not returned', async () => {
      const first = await create('original');
      await service.query(`update sealed_replies set idempotency_key = 'copy' where idempotency_key = 'original'`);
      expect(first.status).to.equal(201);
      expect(outcome(await create('copy'))).to.equal('503 webhooks_unavailable');
    });
  });
});
