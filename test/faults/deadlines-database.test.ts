import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import type { Client, Exchange } from '../harness/client.ts';
import { until } from '../harness/processes.ts';
import { createLink, linkBody } from '../harness/service.ts';
import { expectUnavailable, POOL, SHORT, useDatabaseSetup } from './database-setup.ts';

describe('a deadline', function () {
  this.timeout(180_000);
  // Before the processes end, which wait for their commits.
  afterEach(() => standbys(''));
  const setup = useDatabaseSetup();

  /** With a standby that doesn't exist every COMMIT waits, and no time-out of the server applies to it. */
  async function standbys(names: string): Promise<void> {
    await setup.rows(`alter system set synchronous_standby_names = '${names}'`);
    await setup.rows('select pg_reload_conf()');
    const isSet = 'select where current_setting($1) = $2';
    await until(
      async () => (await setup.rows(isSet, ['synchronous_standby_names', names])).length > 0,
      'the setting is not taken over',
    );
  }

  const create = (client: Client, key: string): Promise<Exchange> =>
    client.post('/api/v1/payment-links', linkBody(), { headers: { 'idempotency-key': key } });

  async function untilStatus(ask: () => Promise<Exchange>, status: number): Promise<Exchange> {
    let reply = await ask();
    await until(
      async () => {
        if (reply.status !== status) reply = await ask();
        return reply.status === status;
      },
      () => `it answers ${reply.text}`,
    );
    return reply;
  }

  it('the API answers 503 within ten seconds while commits wait for a standby, frees the connections, and the retry finds the link', async () => {
    const client = await setup.api();
    await createLink(client);
    // Then the key's next use is written down.
    await setup.rows('update api_keys set last_used_at = null');
    await standbys('nobody');
    expect((await client.get('/api/v1/locations')).status, 'what only reads').to.equal(200);
    const keys = Array.from({ length: 2 * POOL }, () => randomUUID());
    const startedMs = performance.now();
    const replies = await Promise.all(keys.map((key) => create(client, key)));
    expect(performance.now() - startedMs).to.be.lessThan(12_000);
    for (const reply of replies) expectUnavailable(reply);
    // Reads are served all the time.
    await untilStatus(() => client.get('/api/v1/locations'), 200);
    // Some commits are still under way. The other creates never got as far.
    let key: string | undefined;
    await until(async () => {
      // One by one: together, those under way would share the statement of those that wait for their locks.
      for (const asked of keys) {
        if ((await create(client, asked)).status !== 409) continue;
        key = asked;
        return true;
      }
      return false;
    }, 'no create is under way');
    await standbys('');
    const again = await untilStatus(() => create(client, key ?? ''), 201);
    expect(again.headers['idempotency-replayed']).to.equal('true');
    for (const key of keys) expect((await create(client, key)).status).to.equal(201);
    expect(await setup.rows('select from idempotent_replies')).to.have.length(await linkCount());
  });

  const linkCount = async () => (await setup.rows('select from payment_links')).length;

  it('the database server keeps free sessions, however many commits wait', async () => {
    // Live, where no endpoint listens: changes that lock nothing in common. A busy machine gets as far as the commit.
    const client = (await setup.api({ answerTimeoutMillis: 1_000 })).as(setup.practice.live.key);
    // With usual limits, so that a busy machine creates them all.
    const patient = (await setup.api()).as(setup.practice.live.key);
    const links = await Promise.all(Array.from({ length: 5 * POOL }, () => createLink(patient)));
    await standbys('nobody');
    const replies: Promise<Exchange>[] = [];
    for (const { id } of links) {
      replies.push(client.post(`/api/v1/payment-links/${id}/cancel`));
      await pause(100);
    }
    const waiting = await setup.rows(`select from pg_stat_activity where wait_event = 'SyncRep'`);
    // Either API may be recording its requests by a session of its own.
    expect(waiting.length, 'sessions that wait').to.be.within(POOL + 1, 20 + POOL + 2);
    await standbys('');
    for (const reply of await Promise.all(replies)) if (reply.status !== 200) expectUnavailable(reply);
    const [link] = links;
    const again = await untilStatus(() => client.post(`/api/v1/payment-links/${link.id}/cancel`), 200);
    expect(again.body.status).to.equal('cancelled');
  });

  it('the end of a deadline cancels the waiting statement, and its locks are free soon after', async () => {
    const client = await setup.api({ answerTimeoutMillis: 500 });
    const link = await createLink(client);
    const blocker = await setup.session();
    await blocker.query('begin');
    await blocker.query('select from payment_links where id = $1 for update', [link.id]);
    expectUnavailable(await client.post(`/api/v1/payment-links/${link.id}/cancel`));
    const waiting = `select from pg_stat_activity where wait_event_type = 'Lock' and application_name = 'paylinks'`;
    await until(
      async () => (await setup.rows(waiting)).length === 0,
      () => 'the statement still waits',
      5_000,
    );
    await blocker.query('rollback');
    await blocker.end();
  });

  /** Waits until the process says that it is not ready. An answer may be two seconds old. */
  const untilNotReady = (client: Client) =>
    until(async () => (await fetch(`${client.baseUrl}/readyz`)).status === 503, 'the process says that it is ready');

  it('the API answers 503 while its server is a standby, and creates links once the server is promoted', async () => {
    const client = await setup.api();
    expect((await setup.create(client)).status).to.equal(201);
    const [server] = await setup.rows<{ directory: string }>(`select current_setting('data_directory') as directory`);
    writeFileSync(join(server?.directory ?? '', 'standby.signal'), '');
    await setup.postgres.restart('fast');
    const session = await setup.session();
    const { rows } = await session.query('select pg_is_in_recovery() as standby');
    expect(rows).to.deep.equal([{ standby: true }]);
    const before = setup.proxy.accepted;
    for (let request = 1; request <= 3; request++) expectUnavailable(await setup.create(client));
    expectUnavailable(await client.get('/api/v1/payment-links'));
    await untilNotReady(client);
    expect(setup.proxy.accepted - before, 'new connections').to.be.at.least(2);
    await session.query('select pg_promote()');
    await session.end();
    await untilStatus(() => setup.create(client), 201);
  });

  for (const [name, isBlackHole] of [
    ['behind which nothing is left', true],
    ['that are gone while new ones work', false],
  ] as const) {
    it(`connections ${name} are replaced once one of them was closed for its deadline, used or idle`, async () => {
      const client = await setup.api(SHORT);
      // One practice has four reads at once, so three of them use the whole pool.
      const others = await Promise.all([1, 2].map(() => setup.otherKey()));
      const clients = [client, ...others.map((key) => client.as(key))];
      let asked = 0;
      const ask = () => (clients[asked++ % clients.length] ?? client).get('/api/v1/payment-links');
      // Fast answers leave some connections unopened.
      await until(
        async () => {
          await Promise.all(Array.from({ length: 6 * POOL }, ask));
          return setup.proxy.connections >= POOL;
        },
        () => `the pool has ${setup.proxy.connections} connections`,
      );
      if (isBlackHole) setup.proxy.blackHole(true);
      else setup.proxy.swallow();
      // Enough to take every connection of the pool, one after the other.
      const stuck: Promise<Exchange>[] = [];
      for (let request = 1; request <= 3 * POOL; request++) {
        stuck.push(ask());
        await pause(isBlackHole ? 100 : 60);
      }
      for (const reply of await Promise.all(stuck)) if (reply.status !== 200) expectUnavailable(reply);
      setup.proxy.blackHole(false);
      await untilStatus(ask, 200);
      const replies: Exchange[] = [];
      for (let request = 1; request <= 2 * POOL; request++) replies.push(await ask());
      expect(replies.map(({ status }) => status)).to.deep.equal(replies.map(() => 200));
    });
  }
});
