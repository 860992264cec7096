import { expect } from 'chai';
import fc from 'fast-check';
import pg from 'pg';
import { issueKey, revokeKey } from '../../src/access/service.ts';
import { retentionSweep } from '../../src/main/processes/tasks.ts';
import { expireDueLinks } from '../../src/payment-links/upkeep/expire-links.ts';
import { newId } from '../../src/platform/base/ids.ts';
import type { Scope } from '../../src/platform/base/scope.ts';
import { sql } from '../../src/platform/database/query/sql.ts';
import { inTransaction } from '../../src/platform/database/query/transaction.ts';
import { updatePractice } from '../../src/practices/service.ts';
import { purgeTestEvents } from '../../src/webhooks/events/retention.ts';
import { afterThisTest } from '../harness/after-this-test.ts';
import type { Client, Exchange } from '../harness/client.ts';
import { checker } from '../harness/client.ts';
import { madeForEach, useService } from '../harness/fixtures.ts';
import { outcome } from '../harness/refusal.ts';
import { createLink, TestService } from '../harness/service.ts';
import { paidLink } from '../harness/webhooks.ts';

const EVENTS = '/api/v1/test-helpers/events';

/** Inserts an event in a transaction of the test. */
const INSERT =
  "insert into test_events (id, practice_id, type, payload, created_at) values ($1, $2, 'ping', '{}', now())";

/** Inserts events, all of one moment. */
const INSERT_MANY = `insert into test_events (id, practice_id, type, payload, created_at)
  select id, $2, 'ping', '{}', $3 from unnest($1::text[]) as id`;

/** A test-event client with its cursor. */
class EventClient {
  readonly #client: Client;
  cursor = '';

  constructor(client: Client) {
    this.#client = client;
  }

  async start(): Promise<this> {
    const first = await this.#client.get(EVENTS);
    expect(first.body.data).to.deep.equal([]);
    this.cursor = first.body.cursor;
    return this;
  }

  ask(parameters = ''): Promise<Exchange> {
    return this.#client.get(`${EVENTS}?after=${this.cursor}${parameters}`);
  }

  /** Reads one page and moves on. */
  async page(parameters = '') {
    const reply = await this.ask(parameters);
    expect(reply.status, reply.text).to.equal(200);
    this.cursor = reply.body.cursor;
    return reply.body;
  }

  /** Reads all that there is, and returns the events. */
  async all(parameters = '') {
    const events = [];
    for (;;) {
      const { data, hasMore } = await this.page(parameters);
      events.push(...data);
      if (!hasMore) return events;
    }
  }

  async types(): Promise<string[]> {
    return (await this.all()).map(({ type }) => type);
  }
}

describe('listTestEvents', () => {
  const service = useService();
  const practice = madeForEach(() => service.practice());

  const eventClient = (client: Client = practice.test) => new EventClient(client).start();

  it('400 validation_error for a cursor that nobody gave, also if it has the form of one', async () => {
    // No cursor, and two with the snapshot of a database that has done more: this one was restored.
    const wrong = ['x', '1-3w5e11264sgsd..0.', '1-0.1-3w5e11264sgsd.0.'];
    for (const after of wrong) {
      const reply = await practice.test.get(`${EVENTS}?after=${after}`);
      expect(outcome(reply), after).to.equal('400 validation_error after');
    }
    const limits = ['limit=0', 'limit=101', 'waitSeconds=9', 'after='];
    for (const parameter of limits) expect((await practice.test.get(`${EVENTS}?${parameter}`)).status).to.equal(400);
  });

  it('an event has the body that an endpoint would receive', async () => {
    const own = await eventClient();
    const { id } = await paidLink(practice.test);
    const [event, ...rest] = await own.all();
    expect(rest).to.deep.equal([]);
    const payload = JSON.parse(event.payload);
    expect(payload).to.include({ id: event.id, object: 'event', type: 'payment_link.paid', test: true });
    expect(payload.createdAt).to.equal(event.createdAt);
    expect(payload.data.paymentLink.id).to.equal(id);
    const headers = {
      ...{ 'content-type': 'application/json', 'user-agent': 'Service-Webhooks/1.0' },
      ...{ 'service-event-id': event.id, 'service-event-type': event.type },
      'service-signature': `t=1,v1=${'0'.repeat(64)}`,
    };
    expect(checker.checkWebhook({ headers, body: event.payload })).to.deep.equal([]);
  });

  it('events of every path come in order: by the API, by staff, by the clock and by simulations', async () => {
    const own = await eventClient();
    const [cancelled, expired, failed] = [
      await createLink(practice.test),
      await createLink(practice.test, { expiresAt: '2030-12-31T00:00:00Z' }),
      await createLink(practice.test),
    ];
    await practice.test.post(`/api/v1/payment-links/${failed.id}/simulate`, { outcome: 'failed' });
    await practice.test.post(`/api/v1/payment-links/${cancelled.id}/cancel`);
    await service.query('update payment_links set expires_at = $2 where id = $1', [expired.id, service.clock.now()]);
    await expireDueLinks(
      () => service.scope(),
      () => true,
    );
    await practice.test.post('/api/v1/test-helpers/pings');
    expect(await own.types()).to.deep.equal([
      ...['payment_link.processing', 'payment_link.failed', 'payment_link.cancelled', 'payment_link.expired', 'ping'],
    ]);
    expect(await own.types(), 'no event comes twice').to.deep.equal([]);
  });

  it('every client gets all events, by any process, and a foreign practice gets none', async () => {
    const second = await TestService.start({ beside: service });
    afterThisTest(() => second.close());
    const foreign = await eventClient((await service.practice()).test);
    const eventClients = [await eventClient(), await eventClient(second.client(practice.test.key))];
    await paidLink(practice.test);
    await paidLink(second.client(practice.test.key));
    for (const each of eventClients) {
      expect(await each.types()).to.deep.equal(['payment_link.paid', 'payment_link.paid']);
    }
    expect(await foreign.types()).to.deep.equal([]);
  });

  it('a pinned key reads events of its location only, pings included', async () => {
    const { practiceId } = practice;
    const locationId = await service.location(practiceId, 'Uptown');
    const pinned = await service.key({ practiceId, test: true, locationId });
    const [all, own] = [await eventClient(), await eventClient(pinned)];
    await paidLink(practice.test, { locationId: practice.locationId });
    await paidLink(pinned);
    await practice.test.post('/api/v1/test-helpers/pings');
    await pinned.post('/api/v1/test-helpers/pings');
    expect(await all.types()).to.have.length(4);
    expect(await own.types()).to.deep.equal(['payment_link.paid', 'ping']);
  });

  it('live events and events of a practice that nobody reads are not recorded', async () => {
    await paidLink(practice.test);
    await eventClient();
    const live = await createLink(practice.live);
    await practice.live.post(`/api/v1/payment-links/${live.id}/cancel`);
    const recorded = await service.query('select id from test_events where practice_id = $1', [practice.practiceId]);
    expect(recorded).to.deep.equal([]);
  });

  it('events of a day without requests are there at the next one, and after two days they are deleted', async () => {
    const own = await eventClient();
    service.clock.advance({ hours: 20 });
    await paidLink(practice.test);
    service.clock.advance({ hours: 20 });
    await paidLink(practice.test);
    const sweep = retentionSweep(() => service.scope());
    await sweep(() => true);
    expect(await own.types()).to.have.length(2);
    await paidLink(practice.test);
    service.clock.advance({ hours: 49 });
    await sweep(() => true);
    expect(await own.types()).to.deep.equal([]);
    await paidLink(practice.test);
    expect(await own.types(), 'the last request counts as a client again').to.have.length(1);
  });

  it('a practice keeps its newest 10,000 events, and a client learns that older ones were deleted unread', async () => {
    const [behind, current] = [await eventClient(), await eventClient()];
    const foreign = await service.practice();
    const foreignClient = await eventClient(foreign.test);
    await foreign.test.post('/api/v1/test-helpers/pings');
    await practice.test.post('/api/v1/test-helpers/pings');
    expect(await current.types()).to.deep.equal(['ping']);
    const ids = Array.from({ length: 10_000 }, () => newId('event', service.clock.now()));
    for (const part of [ids.slice(0, 10), ids.slice(10)]) {
      await service.query(INSERT_MANY, [part, practice.practiceId, service.clock.now()]);
    }
    const before = await behind.ask('&limit=1');
    expect([before.body.eventsDropped, before.body.data.length]).to.deep.equal([false, 1]);
    await retentionSweep(() => service.scope())(() => true);
    const kept = await service.query('select id from test_events where practice_id = $1', [practice.practiceId]);
    expect(kept.map(({ id }) => id)).to.have.members(ids);
    const first = await behind.page('&limit=20');
    expect([first.eventsDropped, first.data[0].id]).to.deep.equal([true, ids[0]]);
    const second = await behind.page('&limit=1');
    expect([second.eventsDropped, second.data[0].id]).to.deep.equal([false, ids[20]]);
    expect((await current.page('&limit=1')).eventsDropped, 'this client had read all that was deleted').to.equal(false);
    expect((await foreignClient.page()).eventsDropped).to.equal(false);
  });

  it('a client that waits learns that events of other locations were deleted unread, too, and otherwise waits for its time', async () => {
    const { practiceId } = practice;
    const pinned = await service.key({ practiceId, test: true, locationId: practice.locationId });
    const own = await eventClient(pinned);
    const now = service.clock.now();
    const ids = Array.from({ length: 10_001 }, () => newId('event', now));
    await service.query(INSERT_MANY, [ids, practiceId, now]);
    await retentionSweep(() => service.scope())(() => true);
    const { data, eventsDropped } = await own.page('&waitSeconds=8');
    expect([data, eventsDropped]).to.deep.equal([[], true]);
    expect((await own.page('&waitSeconds=1')).eventsDropped).to.equal(false);
  });

  it('retention reads only what it deletes, however many events there are', async () => {
    const now = service.clock.now();
    const ids = Array.from({ length: 5_000 }, () => newId('event', now));
    await service.query(INSERT_MANY, [ids, practice.practiceId, now]);
    await service.query('analyze test_events');
    const readSoFar = async (scope: Scope): Promise<number> => {
      const [row] = await sql<{ rows: number }>(
        scope.em,
        `select (coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::integer as rows
         from pg_stat_xact_user_tables where relname = 'test_events'`,
      );
      return row?.rows ?? 0;
    };
    const read = await inTransaction(service.scope(), async (scope) => {
      // The view also counts what the session has read before and not reported yet.
      const before = await readSoFar(scope);
      await purgeTestEvents(scope);
      return (await readSoFar(scope)) - before;
    });
    expect(read).to.be.below(100);
  });

  it('a waiting request is answered at the next event, and leaves its connection and its place to others', async () => {
    const waiting = await Promise.all(Array.from({ length: 12 }, () => eventClient()));
    const startedMs = performance.now();
    const pages = waiting.map((each) => each.page('&waitSeconds=8'));
    // Reads of the practice take four places, and the process has ten connections.
    for (let index = 0; index < 5; index++) {
      expect((await practice.test.get('/api/v1/locations')).status).to.equal(200);
    }
    await practice.test.post('/api/v1/test-helpers/pings');
    for (const { data } of await Promise.all(pages)) expect(data).to.have.length(1);
    expect(performance.now() - startedMs).to.be.below(7_000);
  });

  it('a key that loses its access while a request waits gets no event of the time afterwards', async () => {
    const { practiceId } = practice;
    const losses: [expected: string, lose: (keyId: string) => Promise<unknown>][] = [
      ['401 invalid_api_key', (keyId) => revokeKey(service.scope(), keyId)],
      ['401 invalid_api_key', async () => service.clock.advance({ hours: 2 })],
      ['403 api_access_disabled', () => updatePractice(service.scope(), practiceId, { apiAccessEnabled: false })],
    ];
    for (const [expected, lose] of losses) {
      const expiresAt = new Date(service.clock.now().getTime() + 3_600_000);
      const { apiKey, key } = await issueKey(service.scope(), { practiceId, test: true, expiresAt });
      const own = await eventClient(service.client(key));
      const waiting = own.ask('&waitSeconds=8');
      // During these requests, the waiting one is admitted.
      for (let index = 0; index < 5; index++) await practice.test.get('/api/v1/locations');
      await lose(apiKey.id);
      await service.query(INSERT, [newId('event', service.clock.now()), practiceId]);
      const { status, body } = await waiting;
      expect([status, body.data, body.hasMore]).to.deep.equal([200, [], false]);
      const { cursor } = body;
      expect(outcome(await own.ask())).to.equal(expected);
      await updatePractice(service.scope(), practiceId, { apiAccessEnabled: true });
      const other = await eventClient();
      other.cursor = cursor;
      expect(await other.types(), 'the cursor lost nothing').to.deep.equal(['ping']);
    }
  });

  it('a transaction that commits late loses no event, even if later ones were read before', async () => {
    const own = await eventClient();
    const late = await service.session();
    await late.query('begin');
    const id = newId('event', service.clock.now());
    await late.query(INSERT, [id, practice.practiceId]);
    await paidLink(practice.test);
    expect(await own.types(), 'the open transaction delays nobody').to.deep.equal(['payment_link.paid']);
    await paidLink(practice.test);
    await late.query('commit');
    expect(await own.types()).to.have.members(['ping', 'payment_link.paid']);
    expect(await own.types()).to.deep.equal([]);
  });

  it('any order of begins, inserts, commits, rollbacks and pages gives every committed event once', async () => {
    const pool = new pg.Pool({ connectionString: service.config.databaseUrl, max: 4 });
    pool.on('error', () => {});
    const own = await eventClient();
    const step = fc.record({
      transaction: fc.nat({ max: 2 }),
      act: fc.constantFrom('add', 'add', 'insert', 'commit', 'rollback', 'page'),
    });
    const open = new Map<number, { client: pg.PoolClient; ids: string[] }>();
    const property = fc.asyncProperty(
      fc.array(step, { minLength: 12, maxLength: 40 }),
      fc.integer({ min: 1, max: 2 }),
      async (steps, limit) => {
        const committed: string[] = [];
        const seen: string[] = [];
        const read = async () => {
          const page = await own.page(`&limit=${limit}`);
          seen.push(...page.data.map((event: { id: string }) => event.id));
          return page.hasMore;
        };
        const end = async (transaction: number, how: 'commit' | 'rollback') => {
          const ending = open.get(transaction);
          if (ending === undefined) return;
          open.delete(transaction);
          await ending.client.query(how);
          ending.client.release();
          if (how === 'commit') committed.push(...ending.ids);
        };
        for (const { transaction, act } of steps) {
          if (act === 'page') {
            await read();
          } else if (act === 'add') {
            committed.push(newId('event', new Date()));
            await pool.query(INSERT, [committed.at(-1), practice.practiceId]);
          } else if (act === 'insert') {
            const present = open.get(transaction);
            const ids = present?.ids ?? [];
            let client = present?.client;
            if (client === undefined) {
              client = await pool.connect();
              await client.query('begin');
              open.set(transaction, { client, ids });
            }
            ids.push(newId('event', new Date()));
            await client.query(INSERT, [ids.at(-1), practice.practiceId]);
          } else {
            await end(transaction, act);
          }
        }
        for (const transaction of [...open.keys()]) await end(transaction, 'commit');
        // The last page of an older snapshot may hide what was committed since.
        while ((await read()) || (await read()));
        expect(seen.toSorted()).to.deep.equal(committed.toSorted());
      },
    );
    afterThisTest(async () => {
      for (const { client } of open.values()) client.release(true);
      await pool.end();
    });
    await fc.assert(property, { numRuns: 40 });
  });

  it('createTestPing: 200 with the event that clients get', async () => {
    const own = await eventClient();
    const { status, body, text } = await practice.test.post('/api/v1/test-helpers/pings');
    expect(status).to.equal(200);
    expect(await own.all()).to.deep.equal([
      { id: body.id, object: 'test_event', type: 'ping', createdAt: body.createdAt, payload: text },
    ]);
  });
});
