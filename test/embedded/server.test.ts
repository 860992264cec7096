import { once } from 'node:events';
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { postgresMajor } from '../../scripts/postgres-major.ts';
import { EmbeddedPostgresError } from '../../src/embedded/errors.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/embedded/server.ts';
import { cleanUp, gone, isAlive, newDirectory, newDirectoryWithData, query, removeData, startUser } from './harness.ts';

/** Several starts and a recovery each, on a loaded machine. */
const TIMEOUT_MS = 180_000;

const start = (directory: string, major = postgresMajor): Promise<EmbeddedPostgres> =>
  startEmbeddedPostgres({ directory, durable: false, major });

describe('the embedded PostgreSQL', function () {
  this.timeout(TIMEOUT_MS);
  afterEach(cleanUp);
  after(removeData);

  describe('first start', () => {
    it('the first start of the embedded PostgreSQL makes an empty UTF8 database for 200 connections from this machine', async () => {
      const server = await start(await newDirectory());
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
      await server.stop();
    });

    it('the embedded PostgreSQL forces to disk what is meant to last', async () => {
      const server = await startEmbeddedPostgres({
        directory: await newDirectory(),
        durable: true,
        major: postgresMajor,
      });
      const settings = await query(
        server.url,
        `SELECT name FROM pg_settings
         WHERE name IN ('fsync', 'synchronous_commit', 'full_page_writes') AND setting = 'on'`,
      );
      expect(settings).to.have.length(3);
      await server.stop();
    });

    it('the first start of the embedded PostgreSQL makes data and password readable for its account only', async () => {
      const directory = await newDirectory();
      const server = await start(directory);
      expect((await stat(join(directory, 'data'))).mode & 0o777).to.equal(0o700);
      expect((await stat(join(directory, 'password'))).mode & 0o777).to.equal(0o600);
      const withWrongPassword = new URL(server.url);
      withWrongPassword.password = 'wrong';
      const refusal = await query(withWrongPassword.href, 'SELECT 1').catch((error: unknown) => error);
      expect(refusal).to.have.property('code', '28P01');
      await server.stop();
    });
  });

  describe('next start', () => {
    it('the next start of the embedded PostgreSQL refuses data that another major version made, names both versions, and leaves the data as it is', async () => {
      const directory = await newDirectory();
      await (await start(directory, 16)).stop();
      const refusal = await start(directory, 17).catch((error: unknown) => error);
      expect(refusal).to.be.instanceOf(EmbeddedPostgresError);
      expect(refusal).to.have.property('message').that.includes('PostgreSQL 16').and.includes('PostgreSQL 17');
      await (await start(directory, 16)).stop();
    });

    it('the next start of the embedded PostgreSQL goes on with the data', async () => {
      const directory = await newDirectory();
      const first = await start(directory);
      await query(first.url, 'CREATE TABLE kept AS SELECT 42 AS answer');
      await first.stop();
      const second = await start(directory);
      expect(await query(second.url, 'SELECT answer FROM kept')).to.deep.equal([{ answer: 42 }]);
      await second.stop();
    });
  });

  describe('several processes', () => {
    it('several processes use one server, and a joining one leaves it as it found it', async () => {
      const directory = await newDirectoryWithData();
      const server = await start(directory);
      const other = await startUser(directory);
      expect(other).to.include({ url: server.url, postmasterPid: server.postmasterPid });
      await other.leave();
      expect(await query(server.url, 'SELECT 1 AS one')).to.deep.equal([{ one: 1 }]);
      await server.stop();
      await gone(other.postmasterPid);
    });

    it('several processes keep the server when the one that started it leaves, and the last one stops it', async () => {
      const directory = await newDirectoryWithData();
      const starter = await startUser(directory);
      const server = await start(directory);
      await starter.leave();
      expect(await query(server.url, 'SELECT 1 AS one')).to.deep.equal([{ one: 1 }]);
      await server.stop();
      await gone(starter.postmasterPid);
    });

    it('processes that begin at the same time start one server together', async () => {
      const directory = await newDirectory();
      const users = await Promise.all(Array.from({ length: 4 }, () => startUser(directory)));
      expect(new Set(users.map((user) => user.postmasterPid))).to.have.property('size', 1);
      await Promise.all(users.map((user) => user.leave()));
      await gone(users[0]?.postmasterPid ?? 0);
    });
  });

  describe('after a crash', () => {
    it('after a crash of its user, the running server is adopted', async () => {
      const directory = await newDirectoryWithData();
      const victim = await startUser(directory);
      await victim.kill();
      expect(isAlive(victim.postmasterPid)).to.equal(true);
      const server = await start(directory);
      expect(server.postmasterPid).to.equal(victim.postmasterPid);
      await server.stop();
      await gone(victim.postmasterPid);
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

    it('after a crash of the server alone, it comes back at the address that others still know', async () => {
      const directory = await newDirectoryWithData();
      const user = await startUser(directory);
      process.kill(user.postmasterPid, 'SIGKILL');
      await gone(user.postmasterPid);
      const server = await start(directory);
      expect(server.url).to.equal(user.url);
      await server.stop();
      expect(await query(user.url, 'SELECT 1 AS one')).to.deep.equal([{ one: 1 }]);
      await user.leave();
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

    it('the end of the process stops the embedded PostgreSQL, too', async () => {
      const user = await startUser(await newDirectoryWithData(), 'exit');
      await user.leave();
      await gone(user.postmasterPid);
    });

    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      it(`the embedded PostgreSQL stops at ${signal}, if the process has no handler for it`, async () => {
        const user = await startUser(await newDirectoryWithData());
        await user.kill(signal);
        await gone(user.postmasterPid);
      });
    }

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

  describe('restart', () => {
    for (const mode of ['immediate', 'fast'] as const) {
      it(`${mode} brings another server to the same address`, async () => {
        const server = await start(await newDirectoryWithData());
        await query(server.url, 'CREATE TABLE kept AS SELECT 42 AS answer');
        const before = server.postmasterPid;
        await server.restart(mode);
        expect(server.postmasterPid).to.not.equal(before);
        await gone(before);
        expect(await query(server.url, 'SELECT answer FROM kept')).to.deep.equal([{ answer: 42 }]);
        await server.stop();
      });
    }
  });

  describe('errors', () => {
    it('errors of the embedded PostgreSQL say what to do about a lost password', async () => {
      const directory = await newDirectoryWithData();
      await (await start(directory)).stop();
      await rm(join(directory, 'password'));
      const error = await start(directory).catch((failure: unknown) => failure);
      expect(error).to.be.instanceOf(Error).and.have.property('hint').that.includes('make clean');
    });

    it('errors of the embedded PostgreSQL carry the end of the log if the server does not start', async () => {
      const directory = await newDirectoryWithData();
      await (await start(directory)).stop();
      await writeFile(join(directory, 'data', 'postgresql.conf'), 'no_such_setting = on\n');
      const error = await start(directory).catch((failure: unknown) => failure);
      expect(error).to.have.property('message').that.includes('no_such_setting');
      expect(error).to.have.property('hint').that.includes('DATABASE_URL');
    });
  });
});
