import { once } from 'node:events';
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { type EmbeddedPostgres, startEmbeddedPostgres } from 'development-postgres';
import { PostgresError } from 'development-postgres/error';
import { query } from '../harness/database.ts';
import { postgresMajor } from '../harness/postgres-major.ts';
import { cleanUp, gone, isAlive, newDirectory, newDirectoryWithData, removeData, startUser } from './harness.ts';

const start = (directory: string, major = postgresMajor): Promise<EmbeddedPostgres> =>
  startEmbeddedPostgres({ directory, isDurable: false, major });

describe('the embedded PostgreSQL', () => {
  afterEach(cleanUp);
  after(removeData);

  describe('start', () => {
    it('the first start of the embedded PostgreSQL makes an empty UTF8 database for 200 connections from this machine, readable for its account only', async () => {
      const directory = await newDirectory();
      const server = await start(directory);
      const [row] = await query(
        server.url,
        `SELECT current_database() AS database, pg_encoding_to_char(encoding) AS encoding, datcollate AS collation,
           datlocprovider AS provider, current_setting('max_connections')::int AS connections,
           current_setting('fsync') AS fsync, current_setting('shared_preload_libraries') AS libraries,
           current_setting('listen_addresses') AS addresses
         FROM pg_database WHERE datname = current_database()`,
      );
      expect(row).to.deep.equal({
        database: 'paylinks',
        encoding: 'UTF8',
        collation: 'C',
        provider: 'c',
        connections: 200,
        fsync: 'off',
        libraries: 'pg_stat_statements',
        addresses: '127.0.0.1',
      });
      expect((await stat(join(directory, 'data'))).mode & 0o777).to.equal(0o700);
      expect((await stat(join(directory, 'password'))).mode & 0o777).to.equal(0o600);
      const withWrongPassword = new URL(server.url);
      withWrongPassword.password = 'wrong';
      const refusal = await query(withWrongPassword.href, 'SELECT 1').catch((error: unknown) => error);
      expect(refusal).to.have.property('code', '28P01');
      await server.stop();
    });

    it('the embedded PostgreSQL forces to disk what is meant to last', async () => {
      const directory = await newDirectoryWithData();
      const server = await startEmbeddedPostgres({ directory, isDurable: true, major: postgresMajor });
      const settings = await query(
        server.url,
        `SELECT name FROM pg_settings
         WHERE name IN ('fsync', 'synchronous_commit', 'full_page_writes') AND setting = 'on'`,
      );
      expect(settings).to.have.length(3);
      await server.stop();
    });

    it('the next start of the embedded PostgreSQL refuses data that another major version made, names both versions, and goes on with data of its own', async () => {
      const directory = await newDirectory();
      const first = await start(directory, 16);
      await query(first.url, 'CREATE TABLE kept AS SELECT 42 AS answer');
      await first.stop();
      const refusal = await start(directory, 17).catch((error: unknown) => error);
      expect(refusal).to.be.instanceOf(PostgresError);
      expect(refusal).to.have.property('message').that.includes('PostgreSQL 16').and.includes('PostgreSQL 17');
      const second = await start(directory, 16);
      expect(await query(second.url, 'SELECT answer FROM kept')).to.deep.equal([{ answer: 42 }]);
      await second.stop();
    });
  });

  describe('several processes', () => {
    it('another process connects to the server that runs, and its end changes nothing', async () => {
      const directory = await newDirectoryWithData();
      const server = await start(directory);
      const other = await startUser(directory);
      expect(other).to.include({ url: server.url, postmasterPid: server.postmasterPid });
      await other.leave();
      expect(await query(server.url, 'SELECT 1 AS one')).to.deep.equal([{ one: 1 }]);
      await server.stop();
      await gone(other.postmasterPid);
    });

    it('a process that only connected cannot restart the server', async () => {
      const directory = await newDirectoryWithData();
      const owner = await startUser(directory);
      const error = await (await start(directory)).restart('fast').catch((failure: unknown) => failure);
      expect(error).to.have.property('message', 'another process owns this server');
      await owner.leave();
    });

    it('processes that begin at the same time start one server, and all have its address', async () => {
      const directory = await newDirectory();
      const users = await Promise.all(Array.from({ length: 4 }, () => startUser(directory)));
      expect(new Set(users.map((user) => user.url))).to.have.property('size', 1);
      expect(new Set(users.map((user) => user.postmasterPid))).to.have.property('size', 1);
      await Promise.all(users.map((user) => user.leave()));
      await gone(users[0]?.postmasterPid ?? 0);
    });
  });

  describe('after a crash', () => {
    it('after kill -9 of its owner, the next start goes on at the same address with what was committed, and owns the server', async () => {
      const directory = await newDirectoryWithData();
      const victim = await startUser(directory);
      await query(victim.url, 'CREATE TABLE kept AS SELECT 42 AS answer');
      await victim.kill();
      expect(isAlive(victim.postmasterPid)).to.equal(true);
      const server = await start(directory);
      expect(server.url).to.equal(victim.url);
      await gone(victim.postmasterPid);
      expect(await query(server.url, 'SELECT answer FROM kept')).to.deep.equal([{ answer: 42 }]);
      await server.stop();
      await gone(server.postmasterPid);
    });

    it('after a crash of everything, the server continues with what was committed, twice in a row', async () => {
      const directory = await newDirectoryWithData();
      for (const round of [1, 2]) {
        const victim = await startUser(directory);
        await query(victim.url, 'CREATE TABLE IF NOT EXISTS kept (round int)');
        await query(victim.url, `INSERT INTO kept VALUES (${round})`);
        process.kill(victim.postmasterPid, 'SIGKILL');
        await victim.kill();
      }
      const server = await start(directory);
      expect(await query(server.url, 'SELECT round FROM kept')).to.deep.equal([{ round: 1 }, { round: 2 }]);
      await server.stop();
    });

    it('the embedded PostgreSQL does not take an unrelated process for the server', async () => {
      const directory = await newDirectoryWithData();
      const victim = await startUser(directory);
      process.kill(victim.postmasterPid, 'SIGKILL');
      await victim.kill();
      const pidFile = join(directory, 'data', 'postmaster.pid');
      await writeFile(pidFile, (await readFile(pidFile, 'utf8')).replace(/^\d+/, String(process.pid)));
      const server = await start(directory);
      expect(server.postmasterPid).to.not.equal(process.pid);
      await server.stop();
    });

    it('after a crash in the middle of the first start, it starts over', async () => {
      const directory = await newDirectory();
      await writeFile(join(directory, 'password'), 'of data that never came to be');
      const server = await start(directory);
      expect(await query(server.url, 'SELECT 1 AS one')).to.deep.equal([{ one: 1 }]);
      await server.stop();
    });
  });

  describe('stop', () => {
    it('stopping the embedded PostgreSQL ends the server even with connections open, and can be called twice', async () => {
      const server = await start(await newDirectoryWithData());
      const pid = server.postmasterPid;
      const sleeper = query(server.url, 'SELECT pg_sleep(600)').catch((error: unknown) => error);
      await Promise.all([server.stop(), server.stop()]);
      await gone(pid);
      expect(await sleeper).to.be.instanceOf(Error);
    });

    it('stopping the embedded PostgreSQL ends the server even if its folder was removed', async () => {
      const directory = await newDirectoryWithData();
      const server = await start(directory);
      const pid = server.postmasterPid;
      // Again where the server has just made another file.
      await rm(directory, { recursive: true, maxRetries: 20 });
      await server.stop();
      await gone(pid);
    });

    it('the end of the process stops the embedded PostgreSQL, too, and so does a signal without a handler', async () => {
      const leaving = await startUser(await newDirectoryWithData(), 'exit');
      await leaving.leave();
      await gone(leaving.postmasterPid);
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
        const user = await startUser(await newDirectoryWithData());
        await user.kill(signal);
        await gone(user.postmasterPid);
      }
    });

    it('the embedded PostgreSQL does not stop at a signal that the process handles', async () => {
      const before = process.listeners('SIGHUP');
      const server = await start(await newDirectoryWithData());
      const signalled = once(process, 'SIGHUP');
      process.kill(process.pid, 'SIGHUP');
      await signalled;
      expect(await query(server.url, 'SELECT 1 AS one')).to.deep.equal([{ one: 1 }]);
      await server.stop();
      expect(process.listeners('SIGHUP').filter((listener) => !before.includes(listener))).to.deep.equal([]);
    });
  });

  it('a restart brings another server to the same address, with what was committed, at once or in order', async () => {
    const server = await start(await newDirectoryWithData());
    await query(server.url, 'CREATE TABLE kept AS SELECT 42 AS answer');
    for (const mode of ['immediate', 'fast'] as const) {
      const before = server.postmasterPid;
      await server.restart(mode);
      expect(server.postmasterPid, mode).to.not.equal(before);
      await gone(before);
      expect(await query(server.url, 'SELECT answer FROM kept')).to.deep.equal([{ answer: 42 }]);
    }
    await server.stop();
  });

  it('errors of the embedded PostgreSQL carry the end of the log if the server does not start, and the next step', async () => {
    const directory = await newDirectoryWithData();
    await writeFile(join(directory, 'data', 'postgresql.conf'), 'no_such_setting = on\n');
    const failed = await start(directory).catch((failure: unknown) => failure);
    expect(failed).to.have.property('message').that.includes('no_such_setting');
    expect(failed).to.have.property('hint').that.includes('DATABASE_URL');
  });
});
