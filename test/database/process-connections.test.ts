import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { serviceEnvironment } from '../../scripts/chaos/process.ts';
import { SessionClient } from '../../src/database/connection/session-client.ts';
import { readConnectionUse } from '../../src/database/process-connections.ts';
import { startWorker } from '../../src/worker.ts';
import { CapturedLog } from '../harness/captured-log.ts';
import { createDatabase, query } from '../harness/database.ts';
import { checkout, runPaylinks, until } from '../harness/processes.ts';
import { TestService } from '../harness/service.ts';

const WARNING = /may open more connections than it allows: raise max_connections/;

describe('connections of all processes', function () {
  this.timeout(120_000);

  /** Limits the connections of the database; its server allows others 197 of 200. */
  const limit = (url: string, connections: number) =>
    query(url, `alter database "${new URL(url).pathname.slice(1)}" connection limit ${connections}`);

  it('processes announce the connections that docs/operations.md counts, until they end', async () => {
    const [, api, worker] =
      /`max_connections` ≥ (\d+) × APIs \+ (\d+) × workers/.exec(
        readFileSync(`${checkout}/docs/operations.md`, 'utf8'),
      ) ?? [];
    const service = await TestService.start();
    const url = service.config.databaseUrl;
    const observer = await TestService.start({ databaseUrl: url });
    try {
      const used = () => readConnectionUse(observer.scope());
      const has = (processes: number, connections: number) =>
        until(
          async () => {
            const use = await used();
            return use.processes === processes && use.connections === connections;
          },
          () => `${processes} processes with ${connections} connections`,
        );
      await has(2, 2 * Number(api));
      const running = await startWorker(service.config, new CapturedLog('silent').log);
      await has(3, 2 * Number(api) + Number(worker));
      await running.stop();
      await service.close();
      await has(1, Number(api));
      expect((await used()).allowed).to.be.within(1, 199);
    } finally {
      await observer.close();
    }
  });

  it('a connection whose announcement fails is used all the same', async () => {
    const config = { connectionString: await createDatabase() };
    // The server takes no such number, as it takes no lock when its lock table is full.
    const client = new SessionClient({ ...config, announcement: 2 ** 40 });
    await client.connect();
    expect((await client.query('select 1 as one')).rows).to.deep.equal([{ one: 1 }]);
    await client.end();
  });

  it('an API and a worker say at their start that the database allows fewer connections than they may open', async () => {
    const url = await createDatabase();
    const [first, second, third] = [new CapturedLog(), new CapturedLog(), new CapturedLog()];
    await limit(url, 40);
    const service = await TestService.start({ databaseUrl: url, log: first.log });
    const other = await TestService.start({ databaseUrl: url, log: second.log });
    const worker = await startWorker(service.config, third.log);
    try {
      const said: Record<string, unknown>[] = [];
      await until(
        () => said.push(...third.take(WARNING)) > 0,
        () => JSON.stringify(third.lines),
      );
      expect(said).to.have.length(1);
      expect(said[0]).to.include({ processes: 3, connections: 67, allowed: 40 });
      expect([...first.take(WARNING), ...second.take(WARNING)]).to.deep.equal([]);
    } finally {
      await Promise.all([worker.stop(), service.close(), other.close()]);
    }
  });

  it('paylinks check says on standard error that connections may run out, and finds nothing else', async () => {
    const service = await TestService.start();
    const url = service.config.databaseUrl;
    try {
      await limit(url, 11);
      const { code, stdout, stderr } = await runPaylinks(['check', '--json'], serviceEnvironment(url, {}));
      expect([code, JSON.parse(stdout)]).to.deep.equal([0, { data: [] }]);
      expect(stderr).to.match(WARNING).and.include('"connections":12').and.include('"allowed":11');
    } finally {
      await service.close();
    }
  });
});
