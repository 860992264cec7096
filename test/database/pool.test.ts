import { connect, createServer } from 'node:net';
import { expect } from 'chai';
import { createLogger } from '../../src/platform/base/log/log.ts';
import { migratingConnection } from '../../src/platform/database/connection/connection.ts';
import { createPool, onConnection } from '../../src/platform/database/connection/pool.ts';
import { isDatabaseUnavailable, isOfStatement } from '../../src/platform/database/query/errors.ts';
import { afterThisTest } from '../harness/after-this-test.ts';
import { CapturedLog } from '../harness/captured-log.ts';
import { createEmptyDatabase, query } from '../harness/database.ts';
import { listen } from '../harness/free-port.ts';
import { until } from '../harness/processes.ts';

describe('a pool of database connections', () => {
  it('a refused login and a missing database count as an unavailable database, and not as a fault of the statement', async () => {
    const [refused, missing] = [new URL(await createEmptyDatabase()), new URL(await createEmptyDatabase())];
    refused.password = 'changed-at-the-server-first';
    missing.pathname = '/nowhere';
    for (const url of [refused, missing]) {
      const pool = createPool(migratingConnection(url.href), 1, createLogger('silent'));
      try {
        const error = await pool.query('select').catch((error: unknown) => error);
        expect([isDatabaseUnavailable(error), isOfStatement(error)], String(error)).to.deep.equal([true, false]);
      } finally {
        await pool.end();
      }
    }
  });

  it('the pool logs a connection that broke under the name that the server shows for it', async () => {
    const captured = new CapturedLog();
    const url = await createEmptyDatabase();
    const pool = createPool(migratingConnection(url), 1, captured.log);
    afterThisTest(() => pool.end());
    await pool.query('select');
    await query(
      url,
      'select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1 and datname = current_database()',
      ['paylinks migrate'],
    );
    await until(() => captured.lines.length >= 2, 'nothing is logged');
    expect(captured.lines.map(({ applicationName }) => applicationName)).to.deep.equal([
      'paylinks migrate',
      'paylinks migrate',
    ]);
  });

  it('a session that the database ended serves no other statement, also while its connection is still open', async () => {
    const url = new URL(await createEmptyDatabase());
    const [host, port] = [url.hostname, Number(url.port)];
    // A server that ends a session says so first, and closes the connection later. Here it never does.
    const relay = createServer((socket) => {
      const server = connect(port, host);
      socket.on('close', () => server.destroy()).pipe(server);
      // A server may reset the connection of a session that it ended.
      server.on('error', () => {}).pipe(socket, { end: false });
    });
    url.port = `${await listen(relay)}`;
    const pool = createPool(migratingConnection(url.href), 1, createLogger('silent'));
    afterThisTest(async () => {
      await pool.end();
      relay.close();
    });
    const client = await pool.connect();
    const error = await client.query('select pg_terminate_backend(pg_backend_pid())').catch((error: unknown) => error);
    client.release();
    expect(error).to.have.property('code', '57P01');
    expect((await pool.query('select 1 as one')).rows).to.deep.equal([{ one: 1 }]);
  });

  it('a statement fails once its transaction has ended, so that its repetition meets none of its locks', async () => {
    const direct = await createEmptyDatabase();
    const url = new URL(direct);
    const [host, port] = [url.hostname, Number(url.port)];
    const order: string[] = [];
    const kept = Promise.withResolvers<() => void>();
    let keeps = false;
    // Keeps the message that the server is ready again: the last six bytes of an answer, which begin with a Z.
    const relay = createServer((socket) => {
      const server = connect(port, host);
      socket.on('close', () => server.destroy()).pipe(server);
      server.on('data', (data) => {
        const isReady = keeps && data.at(-6) === 'Z'.charCodeAt(0);
        socket.write(isReady ? data.subarray(0, -6) : data);
        if (isReady) kept.resolve(() => socket.write(data.subarray(-6)));
      });
    });
    url.port = `${await listen(relay)}`;
    const pool = createPool(migratingConnection(url.href), 1, createLogger('silent'));
    afterThisTest(async () => {
      await pool.end();
      relay.close();
    });
    await onConnection(pool, async (client) => {
      keeps = true;
      const failing = client.query('select 1 / 0').catch(() => order.push('failed'));
      const passOn = await kept.promise;
      // The client has read the error when another connection has its answer.
      await query(direct, 'select');
      order.push('ready');
      keeps = false;
      passOn();
      await failing;
    });
    expect(order).to.deep.equal(['ready', 'failed']);
  });

  it('sessions of a database that cannot be asked about them keep no connection to another database open', async () => {
    const [gone, other] = [await createEmptyDatabase(), await createEmptyDatabase()];
    /** Outcomes of statements that are not answered within a tenth of a second. */
    const cutOff = async (url: string, count: number) => {
      const connection = { ...migratingConnection(url), answerTimeoutMillis: 100 };
      const pool = createPool(connection, count, createLogger('silent'));
      try {
        const run = () => onConnection(pool, (client) => client.query('select pg_sleep(3)'));
        const outcomes = await Promise.allSettled(Array.from({ length: count }, run));
        return new Set(outcomes.map(({ status }) => status));
      } finally {
        await pool.end();
      }
    };
    // As many sessions as may be unfinished at a time.
    expect(await cutOff(gone, 20)).to.deep.equal(new Set(['rejected']));
    await query(other, `alter database ${new URL(gone).pathname.slice(1)} with allow_connections false`);
    expect(await cutOff(other, 1)).to.deep.equal(new Set(['rejected']));
  });
});
