import { expect } from 'chai';
import type pg from 'pg';
import type { Client } from '../harness/client.ts';
import { until } from '../harness/processes.ts';
import { expectUnavailable, POOL, SHORT, useDatabaseSetup } from './database-setup.ts';

describe('an API whose database', function () {
  this.timeout(180_000);
  const setup = useDatabaseSetup();

  /** Resolves when the API creates links again; until then it may only say that it is unavailable. */
  async function untilCreating(client: Client): Promise<void> {
    await until(async () => {
      const reply = await setup.create(client);
      if (reply.status !== 201) expectUnavailable(reply);
      return reply.status === 201;
    }, 'still unavailable');
  }

  const ready = async (client: Client): Promise<number> => {
    const response = await fetch(`${client.baseUrl}/readyz`);
    await response.body?.cancel();
    return response.status;
  };

  const untilReady = (client: Client) => until(async () => (await ready(client)) === 200, 'it is not ready');

  /** Asks /readyz for at least two seconds and a hundred times. Returns the statuses and the seconds that it took. */
  async function askOften(client: Client): Promise<{ statuses: number[]; seconds: number }> {
    const statuses: number[] = [];
    const startedMs = performance.now();
    const elapsedMs = () => performance.now() - startedMs;
    while (elapsedMs() < 2_000 || statuses.length <= 100) {
      // More at once would keep this process busy, which also runs API and proxy, until the query times out.
      statuses.push(...(await Promise.all(Array.from({ length: 5 }, () => ready(client)))));
    }
    return { statuses, seconds: elapsedMs() / 1000 };
  }

  it('an API whose database works asks it about once a second for GET /readyz, however often it is asked', async () => {
    const client = await setup.api();
    // The first query also opens the connection, which may take longer than a second on a loaded machine.
    await untilReady(client);
    let queries = 0;
    setup.proxy.onStatement = (text) => {
      if (text.includes('schema_functions')) queries += 1;
    };
    const { statuses, seconds } = await askOften(client);
    expect(statuses).to.not.include(503);
    expect(queries).to.be.within(1, Math.ceil(seconds) + 2);
  });

  it('an API whose database is down when it starts answers 503 with Retry-After, and recovers without a restart', async () => {
    await setup.proxy.down();
    const { client } = await setup.serve();
    expectUnavailable(await setup.create(client));
    expectUnavailable(await client.get('/api/v1/locations', { key: null }));
    expect((await fetch(`${client.baseUrl}/readyz`)).status).to.equal(503);
    expect((await fetch(`${client.baseUrl}/healthz`)).status).to.equal(200);
    await setup.proxy.up();
    await untilCreating(client);
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
      const endWaiting = `select pg_terminate_backend(pid) from pg_stat_activity
        where wait_event_type = 'Lock' and application_name = 'paylinks'`;
      await until(async () => (await setup.rows(endWaiting)) !== null && areAnswered, 'not all requests are answered');
      for (const reply of await replies) expectUnavailable(reply);
    }
    await blocker.query('rollback');
    await blocker.end();
    await untilCreating(client);
    const replies = await Promise.all(Array.from({ length: 2 * POOL }, () => setup.create(client)));
    expect(replies.map(({ status }) => status)).to.deep.equal(replies.map(() => 201));
  });

  it('an API whose database disappears in a black hole answers 503 in time, says at /readyz so over few connections, and recovers when it is back', async () => {
    const client = await setup.api(SHORT);
    expect((await setup.create(client)).status).to.equal(201);
    setup.proxy.blackHole(true);
    const startedMs = performance.now();
    const replies = await Promise.all(Array.from({ length: 2 * POOL }, () => setup.create(client)));
    expect(performance.now() - startedMs).to.be.lessThan(5_000);
    for (const reply of replies) expectUnavailable(reply);
    const before = setup.proxy.accepted;
    const { statuses, seconds } = await askOften(client);
    expect(statuses).to.not.include(200);
    // Those of the check, one after the other, and those of the watch, which looks for the database's return.
    expect(setup.proxy.accepted - before, 'connections').to.be.at.most(Math.ceil(seconds) * 4);
    setup.proxy.blackHole(false);
    await untilReady(client);
    await untilCreating(client);
  });

  it('an API whose database disappears in the middle of a transaction answers 503 within one time-out', async () => {
    const client = await setup.api({ answerTimeoutMillis: 3_000 });
    const { body } = await client.get('/api/v1/webhook-endpoints');
    const path = `/api/v1/webhook-endpoints/${body.data[0].id}`;
    const reached = setup.proxy.stop('after', /for no key update/);
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
      until(async () => {
        const one = await setup.session().catch(() => null);
        if (one !== null) taken.push(one);
        return one === null;
      }, 'connections without end');
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
