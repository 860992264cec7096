import { expect } from 'chai';
import { createLogger } from '../../src/platform/base/log/log.ts';
import { serviceConnection } from '../../src/platform/database/connection/connection.ts';
import { createPool, onConnection } from '../../src/platform/database/connection/pool.ts';
import { afterThisTest } from '../harness/after-this-test.ts';
import { createDatabase, query } from '../harness/database.ts';
import { until } from '../harness/processes.ts';
import { PoolerStandIn } from './pooler-stand-in.ts';

/** More statements than the sessions that may be unfinished at a time. */
const STATEMENTS = 25;

describe('the deadline of a statement behind a pooler in session mode', () => {
  it('cuts off each of 25 statements, although no session can be looked up by the number that the pooler gave it', async () => {
    const databaseUrl = await createDatabase();
    const pooler = await PoolerStandIn.start(databaseUrl, {});
    const connection = { ...serviceConnection(pooler.url), answerTimeoutMillis: 300 };
    const pool = createPool(connection, STATEMENTS, createLogger('silent'));
    const run = (statement: string) => onConnection(pool, (client) => client.query(statement));
    afterThisTest(async () => {
      await pool.end();
      await pooler.close();
    });
    const startedMs = performance.now();
    const outcomes = await Promise.allSettled(Array.from({ length: STATEMENTS }, () => run('select pg_sleep(14)')));
    expect(new Set(outcomes.map(({ status }) => status))).to.deep.equal(new Set(['rejected']));
    expect(performance.now() - startedMs, 'milliseconds').to.be.lessThan(12_000);
    // A busy machine may miss this deadline, too.
    const works = () =>
      run('select 1 as one').then(
        ({ rows }) => rows.length === 1,
        () => false,
      );
    await until(works, () => 'the pool does not work afterwards');
    const sleeping = `select from pg_stat_activity where datname = current_database() and query like '%pg_sleep(14)%'
        and pid <> pg_backend_pid()`;
    await until(
      async () => (await query(databaseUrl, sleeping)).length === 0,
      'the server still works on a statement that was cut off',
    );
  });
});
