import { expect } from 'chai';
import type pg from 'pg';
import { Client, type Exchange } from '../harness/client.ts';
import { until } from '../harness/processes.ts';
import { DatabaseSetup, SHORT } from './database-setup.ts';

/** The pool of an API process. */
const POOL = 10;

describe('an API whose database', function () {
  this.timeout(180_000);
  let setup: DatabaseSetup;

  before(async () => {
    setup = await DatabaseSetup.start();
  });

  afterEach(() => setup.reset());

  after(() => setup.close());

  function expectUnavailable(reply: Exchange): void {
    expect([reply.status, reply.body.error.code]).to.deep.equal([503, 'service_unavailable']);
    expect(reply.headers['retry-after']).to.match(/^[1-9]\d*$/);
  }

  /** Resolves when the API creates links again; until then it may only say that it is unavailable. */
  async function untilCreating(client: Client): Promise<void> {
    await until(
      async () => {
        const reply = await setup.create(client);
        if (reply.status !== 201) expectUnavailable(reply);
        return reply.status === 201;
      },
      () => 'still unavailable',
    );
  }

  it('an API whose database is down when it starts answers 503 with Retry-After, and recovers without a restart', async () => {
    await setup.proxy.down();
    const serve = setup.process('serve', { PORT: '0' });
    const port = () => /"port":(\d+)/.exec(serve.log())?.[1];
    await until(() => port() !== undefined, serve.log);
    const client = new Client(`http://127.0.0.1:${port()}`, setup.practice.test.key);
    expectUnavailable(await setup.create(client));
    expectUnavailable(await client.get('/api/v1/locations', { key: null }));
    expect((await fetch(`${client.baseUrl}/readyz`)).status).to.equal(503);
    expect((await fetch(`${client.baseUrl}/healthz`)).status).to.equal(200);
    await setup.proxy.up();
    await untilCreating(client);
  });

  it('crashes under load answers 201 or 503 and nothing else, keeps what it confirmed, and recovers', async () => {
    const client = await setup.api();
    const replies: Exchange[] = [];
    let isOver = false;
    const load = Array.from({ length: 16 }, async () => {
      while (!isOver) replies.push(await setup.create(client));
    });
    for (let crash = 1; crash <= 2; crash++) {
      const enough = replies.length + 50;
      await until(
        () => replies.length >= enough,
        () => 'no load',
      );
      await setup.postgres.restart('immediate');
      await untilCreating(client);
    }
    isOver = true;
    await Promise.all(load);
    for (const reply of replies) if (reply.status !== 201) expectUnavailable(reply);
    const created = replies.filter(({ status }) => status === 201).map(({ body }) => body.id);
    const kept = await setup.rows<{ id: string }>('select id from payment_links where id = any ($1)', [created]);
    expect(kept).to.have.length(created.length);
    expect(replies.length, 'the crash was noticed').to.be.greaterThan(created.length);
  });

  it('an API whose database ends backends inside transactions keeps its pool', async () => {
    const client = await setup.api();
    const blocker = await setup.session();
    await blocker.query('begin');
    // Inserts wait for it inside their transactions.
    await blocker.query('lock table payment_links in exclusive mode');
    for (let round = 1; round <= 3; round++) {
      const replies = Promise.all(Array.from({ length: POOL }, () => setup.create(client)));
      let areAnswered = false;
      void replies.then(() => {
        areAnswered = true;
      });
      await until(
        async () => {
          const pids = (await waitingBackends()).map(({ pid }) => pid);
          await setup.rows('select pg_terminate_backend(pid) from unnest($1::integer[]) as pid', [pids]);
          return areAnswered;
        },
        () => 'not all requests are answered',
      );
      for (const reply of await replies) expectUnavailable(reply);
    }
    await blocker.query('rollback');
    await blocker.end();
    const replies = await Promise.all(Array.from({ length: 2 * POOL }, () => setup.create(client)));
    expect(replies.map(({ status }) => status)).to.deep.equal(replies.map(() => 201));
  });

  function waitingBackends(): Promise<{ pid: number }[]> {
    return setup.rows(
      `select pid from pg_stat_activity where wait_event_type = 'Lock' and application_name = 'paylinks'`,
    );
  }

  it('an API whose database stops answering on connections that exist answers 503 in time, and recovers by new connections', async () => {
    const client = await setup.api(SHORT);
    await Promise.all(Array.from({ length: POOL }, () => setup.create(client)));
    const dead = setup.proxy.connections;
    setup.proxy.swallow();
    const startedMs = performance.now();
    const replies = await Promise.all(Array.from({ length: dead }, () => setup.create(client)));
    expect(performance.now() - startedMs).to.be.lessThan(5_000);
    for (const reply of replies) expectUnavailable(reply);
    await untilCreating(client);
  });

  it('an API whose database disappears in a black hole answers 503 in time, and recovers when it is back', async () => {
    const client = await setup.api(SHORT);
    expect((await setup.create(client)).status).to.equal(201);
    setup.proxy.blackHole(true);
    const startedMs = performance.now();
    const replies = await Promise.all(Array.from({ length: 2 * POOL }, () => setup.create(client)));
    expect(performance.now() - startedMs).to.be.lessThan(5_000);
    for (const reply of replies) expectUnavailable(reply);
    setup.proxy.blackHole(false);
    await untilCreating(client);
  });

  it('an API whose database disappears in the middle of a transaction answers 503 within one time-out', async () => {
    const client = await setup.api({ answerTimeoutMillis: 3_000 });
    const { body } = await client.get('/api/v1/webhook-endpoints');
    const path = `/api/v1/webhook-endpoints/${body.data[0].id}`;
    const reached = setup.proxy.stopAfter(/for no key update/);
    const startedMs = performance.now();
    const reply = client.patch(path, { description: 'changed' });
    await reached;
    expectUnavailable(await reply);
    expect(performance.now() - startedMs, 'the rollback does not wait as well').to.be.lessThan(5_900);
    await untilCreating(client);
  });

  it('an API whose database has no connection left answers 503, and recovers', async () => {
    const client = await setup.api();
    // The start has left a connection in the pool, with which the API would go on.
    await setup.rows(
      "select pg_terminate_backend(pid, 5000) from pg_stat_activity where application_name = 'paylinks'",
    );
    const taken: pg.Client[] = [];
    const takeAll = () =>
      until(
        async () => {
          const one = await setup.session().catch(() => null);
          if (one !== null) taken.push(one);
          return one === null;
        },
        () => 'connections without end',
      );
    await takeAll();
    // The API's own idle connections, too, for it recorded its assets at the start.
    await taken[0]?.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'paylinks' and state = 'idle'`,
    );
    await takeAll();
    expectUnavailable(await setup.create(client));
    await Promise.all(taken.map((one) => one.end()));
    await untilCreating(client);
  });
});
