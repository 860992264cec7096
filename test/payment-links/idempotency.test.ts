import { expect } from 'chai';
import { newId } from '../../src/platform/base/ids.ts';
import { deactivateLocation, updatePractice } from '../../src/practices/service.ts';
import type { Client, Exchange } from '../harness/client.ts';
import { madeOnce, useService } from '../harness/fixtures.ts';
import { until } from '../harness/processes.ts';
import { sendRaw } from '../harness/raw.ts';
import { outcome } from '../harness/refusal.ts';
import { idempotent, linkBody } from '../harness/service.ts';

const PATH = '/api/v1/payment-links';
const ROUNDS = 10;
const AT_ONCE = 50;

describe('Idempotency-Key', () => {
  const service = useService();
  /** A second server on the same database. */
  const second = useService({ beside: service });
  const practice = madeOnce(() => service.practice());

  function create(key: string, body: unknown = linkBody(), client: Client = practice.test): Promise<Exchange> {
    return client.post(PATH, body, idempotent(key));
  }

  function isReplay({ headers }: Exchange): boolean {
    return headers['idempotency-replayed'] === 'true';
  }

  async function linkCount(where = 'true', values: unknown[] = []): Promise<number> {
    const [row] = await service.query<{ n: number }>(
      `select count(*)::int as n from payment_links where ${where}`,
      values,
    );
    return row?.n ?? 0;
  }

  /** A client with a key nobody else uses, and the id of that key. */
  async function freshKey(): Promise<{ client: Client; apiKeyId: string }> {
    const client = await service.key({ practiceId: practice.practiceId, test: true });
    const [row] = await service.query<{ id: string }>('select id from api_keys order by id desc limit 1');
    return { client, apiKeyId: row?.id ?? '' };
  }

  describe('the same body', () => {
    it('a repeated request gets the first reply byte for byte, with Idempotency-Replayed', async () => {
      const first = await create('again');
      expect(isReplay(first)).to.equal(false);
      const before = await linkCount();
      for (const client of [practice.test, second.client(practice.test.key)]) {
        const again = await create('again', linkBody(), client);
        expect([again.status, again.text, isReplay(again)]).to.deep.equal([201, first.text, true]);
      }
      expect(await linkCount()).to.equal(before);
    });

    it('two bodies with the same JSON value count as one, whatever the order of keys, white space or notation', async () => {
      const metadata = { b: '1', a: '2' };
      const first = await create('same', linkBody({ metadata }));
      for (const body of [
        '{"patient":{"lastName":"Byron","firstName":"Ada"},"metadata":{"a":"2","b":"1"},"description":"Cleaning","amount":125.5}',
        ' {"amount" : 125.50, "description":"Cl\\u0065aning", "metadata":{"b":"1","a":"2"},\n"patient":{"firstName":"Ada","lastName":"Byron"}}',
        '{"amount":1255e-1,"description":"Cleaning","metadata":{"b":"1","a":"2"},"patient":{"firstName":"Ada","lastName":"Byron"}}',
      ]) {
        const again = await create('same', body);
        expect([outcome(again), again.text]).to.deep.equal(['201', first.text]);
        expect(isReplay(again)).to.equal(true);
      }
    });

    it('a repeated request gets the first reply after the link was changed, expired or paid', async () => {
      const body = linkBody({ expiresAt: new Date(service.clock.now().getTime() + 1000).toISOString() });
      const first = await create('changed', body);
      await practice.test.patch(`${PATH}/${first.body.id}`, { description: 'Filling' });
      await practice.test.post(`${PATH}/${first.body.id}/cancel`);
      expect((await create('changed', body)).text).to.equal(first.text);
      service.clock.advance({ minutes: 1 });
      const late = await create('changed', body);
      expect([outcome(late), late.text], 'expiresAt has passed').to.deep.equal(['201', first.text]);
    });

    it('a repeated request gets the first reply after onboarding was undone and the location closed', async () => {
      const own = await service.practice();
      const first = await create('undone', linkBody(), own.live);
      await updatePractice(service.scope(), own.practiceId, { paymentsEnabled: false });
      await deactivateLocation(service.scope(), own.locationId);
      const again = await create('undone', linkBody(), own.live);
      expect([outcome(again), again.text]).to.deep.equal(['201', first.text]);
      expect(outcome(await create('another', linkBody(), own.live))).to.equal('409 payments_not_enabled');
    });

    it('a repeated request gets the first reply at the daily cap; it counts towards the rate limit only', async () => {
      const { client, apiKeyId } = await freshKey();
      const first = await create('cap', linkBody(), client);
      await create('cap', linkBody(), client);
      const sql = 'select created_count from daily_link_counts where api_key_id = $1';
      expect(await service.query(sql, [apiKeyId])).to.deep.equal([{ created_count: 1 }]);
      await service.query('update daily_link_counts set created_count = 5000 where api_key_id = $1', [apiKeyId]);
      expect(outcome(await create('beyond', linkBody(), client))).to.equal('429 daily_limit_reached');
      const again = await create('cap', linkBody(), client);
      expect(again.text).to.equal(first.text);
      const rest = [first, again].map(({ headers }) => Number(headers['ratelimit-remaining']));
      expect(rest[0], 'three more requests since').to.equal((rest[1] ?? 0) + 3);
    });
  });

  describe('another body', () => {
    const OTHERS: [what: string, body: unknown][] = [
      ['another amount', linkBody({ amount: 125.51 })],
      ['a further field', linkBody({ externalReference: 'x' })],
      ['a field that says what is the default anyway', linkBody({ currency: 'usd' })],
      ['null for what was absent', linkBody({ metadata: null })],
    ];
    for (const [what, body] of OTHERS) {
      it(`422 idempotency_key_reused: ${what}`, async () => {
        await create('other');
        expect(outcome(await create('other', body))).to.equal('422 idempotency_key_reused Idempotency-Key');
        expect(isReplay(await create('other')), 'the first one still stands').to.equal(true);
      });
    }
  });

  describe('at once', () => {
    it(`${AT_ONCE} identical requests to two servers make one link, ${ROUNDS} times over`, async () => {
      const { client } = await freshKey();
      const clients = [client, second.client(client.key)];
      for (let round = 0; round < ROUNDS; round++) {
        const body = linkBody({ externalReference: `round ${round}` });
        const replies = await Promise.all(
          Array.from({ length: AT_ONCE }, (_, index) => create(`round ${round}`, body, clients[index % 2])),
        );
        const made = replies.filter((reply) => reply.status === 201);
        expect(made.filter((reply) => !isReplay(reply))).to.have.length(1);
        expect(new Set(made.map(({ text }) => text)).size).to.equal(1);
        for (const reply of replies.filter(({ status }) => status !== 201)) {
          expect(outcome(reply)).to.equal('409 idempotency_key_in_flight Idempotency-Key');
        }
        expect(await linkCount('external_reference = $1', [`round ${round}`])).to.equal(1);
      }
    });

    it('requests with different bodies under one key make one link; the others get an error', async () => {
      const { client } = await freshKey();
      const bodies = Array.from({ length: AT_ONCE }, (_, index) => linkBody({ externalReference: `body ${index}` }));
      const replies = await Promise.all(bodies.map((body) => create('mixed', body, client)));
      expect(replies.filter(({ status }) => status === 201)).to.have.length(1);
      for (const reply of replies.filter(({ status }) => status !== 201)) {
        expect(outcome(reply)).to.be.oneOf([
          '409 idempotency_key_in_flight Idempotency-Key',
          '422 idempotency_key_reused Idempotency-Key',
        ]);
      }
      expect(await linkCount("external_reference like 'body %'")).to.equal(1);
    });
  });

  describe('after a refusal', () => {
    const FIXED = linkBody();

    it('400, 413, 415 and 404 leave the key free for the corrected request', async () => {
      const REFUSED: [status: number, body: unknown, headers: Record<string, string>][] = [
        [400, '{', {}],
        [400, linkBody({ amount: 0 }), {}],
        [400, linkBody({ amount: 0.001 }), {}],
        [400, linkBody({ expiresAt: '2020-01-01T00:00:00Z' }), {}],
        [400, linkBody({ colour: 'red' }), {}],
        [413, ' '.repeat(70_000), {}],
        [415, '{}', { 'content-type': 'text/plain' }],
        [404, linkBody({ locationId: 'loc_x' }), {}],
      ];
      for (const [index, [status, body, headers]] of REFUSED.entries()) {
        const call = idempotent(`refused ${index}`);
        const reply = await practice.test.post(PATH, body, { headers: { ...call.headers, ...headers } });
        expect(reply.status, JSON.stringify(body)).to.equal(status);
        const fixed = await create(`refused ${index}`, FIXED);
        expect([outcome(fixed), isReplay(fixed)]).to.deep.equal(['201', false]);
      }
    });

    it('409 leaves the key free until the practice has corrected its setup', async () => {
      const own = await service.practice({ paymentsEnabled: false });
      await deactivateLocation(service.scope(), own.locationId);
      expect(outcome(await create('state', FIXED, own.live))).to.equal('409 payments_not_enabled');
      await updatePractice(service.scope(), own.practiceId, { paymentsEnabled: true });
      expect(outcome(await create('state', FIXED, own.live))).to.equal('409 no_active_location');
      await service.location(own.practiceId);
      expect(isReplay(await create('state', FIXED, own.live))).to.equal(false);
      expect(isReplay(await create('state', FIXED, own.live))).to.equal(true);
    });

    it('403 and 429 leave the key free', async () => {
      const own = await service.practice();
      await updatePractice(service.scope(), own.practiceId, { apiAccessEnabled: false });
      expect((await create('access', FIXED, own.test)).status).to.equal(403);
      await updatePractice(service.scope(), own.practiceId, { apiAccessEnabled: true });
      expect(isReplay(await create('access', FIXED, own.test))).to.equal(false);
      await service.query(
        `update daily_link_counts set created_count = 5000
         where api_key_id in (select id from api_keys where practice_id = $1)`,
        [own.practiceId],
      );
      expect(outcome(await create('cap', FIXED, own.test))).to.equal('429 daily_limit_reached');
      service.clock.advance({ days: 1 });
      const next = await create('cap', FIXED, own.test);
      expect([outcome(next), isReplay(next)]).to.deep.equal(['201', false]);
    });
  });

  it('a key is remembered for 24 hours, to the millisecond, and free again after that', async () => {
    const first = await create('day');
    service.clock.advance({ hours: 24, ms: -1 });
    expect((await create('day')).text).to.equal(first.text);
    expect((await create('day', linkBody({ amount: 1 }))).status).to.equal(422);
    service.clock.advance({ ms: 1 });
    const next = await create('day', linkBody({ amount: 1 }));
    expect([outcome(next), isReplay(next)]).to.deep.equal(['201', false]);
    expect(next.body.id).not.to.equal(first.body.id);
    const again = await create('day', linkBody({ amount: 1 }));
    expect([again.text, isReplay(again)], 'the new one is remembered').to.deep.equal([next.text, true]);
  });

  it('concurrent requests 24 hours later make one new link', async () => {
    const { client } = await freshKey();
    const body = linkBody({ externalReference: 'next day' });
    await create('next day', body, client);
    service.clock.advance({ hours: 24 });
    const replies = await Promise.all(Array.from({ length: AT_ONCE }, () => create('next day', body, client)));
    expect(replies.filter((reply) => reply.status === 201 && !isReplay(reply))).to.have.length(1);
    expect(await linkCount("external_reference = 'next day'")).to.equal(2);
  });

  it('a key belongs to its API key: another API key of the practice or of the other mode makes its own link', async () => {
    const { client } = await freshKey();
    const ids = [];
    for (const one of [client, practice.test, practice.live]) {
      const reply = await create('scoped', linkBody(), one);
      expect([outcome(reply), isReplay(reply)]).to.deep.equal(['201', false]);
      ids.push(reply.body.id);
    }
    expect(new Set(ids).size).to.equal(3);
  });

  describe('the header', () => {
    /** As it goes over the wire: a character per byte of UTF-8. */
    const inBytes = (text: string) => Buffer.from(text).toString('latin1');

    it('the header has 1 to 200 characters of any kind', async () => {
      const texts = ['ß', '🦷'].map((character) => inBytes(character.repeat(200)));
      for (const key of ['x', 'x'.repeat(200), '"quoted"', "a'b;--", 'a b', '%00', ...texts]) {
        expect(isReplay(await create(key))).to.equal(false);
        expect(isReplay(await create(key)), key).to.equal(true);
      }
    });

    it('400 validation_error: 201 characters and more, or a tab in it', async () => {
      for (const key of ['x'.repeat(201), 'x'.repeat(5000), inBytes('🦷'.repeat(201)), 'a\tb']) {
        expect(outcome(await create(key))).to.equal('400 validation_error Idempotency-Key');
      }
    });

    it('400 validation_error: two lines, even with the same value', async () => {
      const headers = { 'idempotency-key': ['two', 'two'] };
      expect(outcome(await practice.test.post(PATH, linkBody(), { headers }))).to.equal(
        '400 validation_error Idempotency-Key',
      );
    });

    it('blanks around the header do not count; upper and lower case differ', async () => {
      await create('case');
      expect(isReplay(await create('CASE'))).to.equal(false);
      const body = JSON.stringify(linkBody());
      const answer = await sendRaw(
        service.baseUrl,
        [
          `POST ${PATH} HTTP/1.1`,
          'Host: x',
          'Connection: close',
          `Authorization: Bearer ${practice.test.key}`,
          'Content-Type: application/json',
          `Content-Length: ${body.length}`,
          'IDEMPOTENCY-KEY:   case  ',
          '',
          body,
        ].join('\r\n'),
      );
      expect([answer.status, answer.headers['idempotency-replayed']]).to.deep.equal([201, 'true']);
    });
  });

  describe('a request that does not finish', () => {
    /** Holds what a create has to write to, so that it stops in the middle of its transaction. */
    async function withLockedCounts(apiKeyId: string, work: () => Promise<void>): Promise<void> {
      const release = await service.lock('select from daily_link_counts where api_key_id = $1 for update', [apiKeyId]);
      await work();
      await release();
    }

    const WAITING = `from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like '%create_links(%'`;

    const untilOneWaits = () => service.untilWaiting(1, 'create_links(');

    /** Resolves when a create waits apart from the batches. Only there a statement waits longer than a tenth of a second. */
    async function untilOneWaitsApart(): Promise<void> {
      const apart = `select ${WAITING} and query_start < clock_timestamp() - interval '300 ms'`;
      await until(async () => (await service.query(apart)).length > 0, 'no create is waiting apart');
    }

    it('repetitions of a running request get 409 idempotency_key_in_flight at once, and the request completes', async () => {
      const { client, apiKeyId } = await freshKey();
      await create('warm-up', linkBody(), client);
      let slow: Promise<Exchange> | undefined;
      await withLockedCounts(apiKeyId, async () => {
        slow = create('slow', linkBody(), client);
        await untilOneWaitsApart();
        // The key is looked up before the location, which is unknown.
        for (const [server, body] of [
          [service, linkBody()],
          [second, linkBody()],
          [second, linkBody({ locationId: newId('location', service.clock.now()) })],
        ] as const) {
          const other = await create('slow', body, server.client(client.key));
          expect(outcome(other)).to.equal('409 idempotency_key_in_flight Idempotency-Key');
        }
      });
      const done = await slow;
      expect(done?.status).to.equal(201);
      expect((await create('slow', linkBody(), client)).text).to.equal(done?.text);
    });

    it('no repetition overtakes a create that waits apart: all get 409, also with another body', async () => {
      const { client, apiKeyId } = await freshKey();
      const { client: other } = await freshKey();
      await create('warm-up', linkBody(), client);
      let slow: Promise<Exchange> | undefined;
      let same: Promise<Exchange>[] = [];
      const answered: string[] = [];
      await withLockedCounts(apiKeyId, async () => {
        slow = create('slow', linkBody(), client);
        await untilOneWaitsApart();
        // The rows of the other key are free. The one that comes first waits only because its practice waits apart.
        same = [1, 2, 3].map((amount) => create('waiting', linkBody({ amount, externalReference: 'waiting' }), other));
        for (const reply of same) reply.then((one) => answered.push(outcome(one)));
        await until(
          () => answered.length >= 2,
          () => `${answered.length} repetitions were answered`,
        );
      });
      await slow;
      await Promise.all(same);
      const inFlight = '409 idempotency_key_in_flight Idempotency-Key';
      expect(answered).to.deep.equal([inFlight, inFlight, '201']);
      expect(await linkCount("external_reference = 'waiting'")).to.equal(1);
    });

    it('repetitions of a finished request get its reply, or 422 for another body, while another create of the practice waits', async () => {
      const { client, apiKeyId } = await freshKey();
      const body = linkBody({ externalReference: 'finished' });
      const done = await create('finished', body, client);
      let slow: Promise<Exchange> | undefined;
      let repeated: Promise<Exchange>[] = [];
      await withLockedCounts(apiKeyId, async () => {
        slow = create('slow', linkBody(), client);
        await untilOneWaitsApart();
        repeated = [body, body, linkBody({ amount: 7 })].map((one) => create('finished', one, client));
        // The one that comes first waits behind the slow create. The others do not wait for it.
        let answered = 0;
        for (const reply of repeated) reply.finally(() => answered++);
        await until(
          () => answered >= 2,
          () => `${answered} repetitions were answered`,
        );
      });
      const replies = await Promise.all(repeated);
      expect(replies.map(outcome)).to.deep.equal(['201', '201', '422 idempotency_key_reused Idempotency-Key']);
      expect(replies.slice(0, 2).map(({ text }) => text)).to.deep.equal([done.text, done.text]);
      await slow;
    });

    it('a request returns the reply of an identical one that was committed after its first read', async () => {
      const { client, apiKeyId } = await freshKey();
      const body = linkBody({ externalReference: 'overtaken' });
      const other = await create('committed in between', body, client);
      let slow: Promise<Exchange> | undefined;
      await withLockedCounts(apiKeyId, async () => {
        slow = create('overtaken', body, client);
        await untilOneWaits();
        await service.query(
          `insert into idempotent_replies (api_key_id, idempotency_key, body_hash, reply, created_at, practice_id)
           select api_key_id, 'overtaken', body_hash, reply, created_at, practice_id from idempotent_replies where api_key_id = $1`,
          [apiKeyId],
        );
      });
      const reply = await slow;
      expect([reply?.text, reply !== undefined && isReplay(reply)]).to.deep.equal([other.text, true]);
      expect(await linkCount("external_reference = 'overtaken'")).to.equal(1);
    });

    it('a request that the database ends gets 503, stores nothing, and leaves the key free', async () => {
      const { client, apiKeyId } = await freshKey();
      await create('warm-up', linkBody(), client);
      const body = linkBody({ externalReference: 'terminated' });
      await withLockedCounts(apiKeyId, async () => {
        const ended = create('terminated', body, client);
        await untilOneWaits();
        await service.query(`select pg_terminate_backend(pid) ${WAITING}`);
        const reply = await ended;
        expect(outcome(reply)).to.equal('503 service_unavailable');
        expect(Number(reply.headers['retry-after'])).to.be.at.least(1);
      });
      expect(await linkCount("external_reference = 'terminated'")).to.equal(0);
      const stored = await service.query("select from idempotent_replies where idempotency_key = 'terminated'");
      expect(stored).to.have.length(0);
      const again = await create('terminated', body, client);
      expect([outcome(again), isReplay(again)]).to.deep.equal(['201', false]);
      expect(await linkCount("external_reference = 'terminated'")).to.equal(1);
    });
  });
});
