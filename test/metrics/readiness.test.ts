import { expect } from 'chai';
import pg from 'pg';
import { createLogger } from '../../src/base/log/log.ts';
import type { DatabaseLimits } from '../../src/database/connection/service-connection.ts';
import { SANDBOX_NOTIFY_TASK, type SandboxMessage } from '../../src/processors/sandbox-ledger.ts';
import { startServer } from '../../src/serve.ts';
import { startWorker } from '../../src/worker.ts';
import { query } from '../harness/database.ts';
import { freePort } from '../harness/free-port.ts';
import { until } from '../harness/processes.ts';
import { TestService } from '../harness/service.ts';

/** Longer than a test takes, so that held statements wait until the test releases them. */
const LONG_LIMITS: Partial<DatabaseLimits> = {
  lock_timeout: 60_000,
  statement_timeout: 60_000,
  answerTimeoutMillis: 60_000,
};

/** A message that its receiver ignores. */
const IGNORED: SandboxMessage = { id: 'msg_1', accountId: 'sandbox_prac_1', subject: { kind: 'ignored' } };

const WAITING = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;

/** A process under test. */
interface Started {
  /** Port of its API, if it has one. */
  port: number | null;
  /** Begins a piece of work that reads the locked table. Resolves at its end, if the process has a client that waits. */
  work(): Promise<unknown>;
  stop(): Promise<void>;
}

/** A kind of process, and work that keeps a connection of its pool while a table is locked. */
interface Kind {
  name: string;
  /** Connections of its pool. */
  pool: number;
  table: string;
  start(config: TestService['config']): Promise<Started>;
}

const KINDS: readonly Kind[] = [
  {
    name: 'an API',
    pool: 10,
    table: 'payment_links',
    async start(config) {
      const { port, close } = await startServer(config, createLogger('silent'), { databaseLimits: LONG_LIMITS });
      const work = async () => {
        const page = await fetch(`http://127.0.0.1:${port}/pay/${'x'.repeat(32)}`);
        await page.text();
        return page.status;
      };
      return { port, work, stop: close };
    },
  },
  {
    name: 'a worker',
    pool: 20,
    table: 'sandbox.secret',
    async start(config) {
      const { stop } = await startWorker(config, createLogger('silent'), { databaseLimits: LONG_LIMITS });
      const work = () =>
        query(config.databaseUrl, 'select graphile_worker.add_job($1, $2)', [SANDBOX_NOTIFY_TASK, IGNORED]);
      return { port: null, work, stop };
    },
  },
];

describe('/readyz on the port of metrics', function () {
  this.timeout(120_000);
  let service: TestService;
  let metricsPort: number;
  let holder: pg.Client;

  beforeEach(async () => {
    service = await TestService.start();
    metricsPort = await freePort();
    holder = new pg.Client({ connectionString: service.config.databaseUrl });
    await holder.connect();
  });

  afterEach(async () => {
    await holder.end();
    await service.close();
  });

  const statusOf = async (path: string, port: number = metricsPort): Promise<number> => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`);
    await response.body?.cancel();
    return response.status;
  };

  const becomes = (status: number, port: number = metricsPort): Promise<void> =>
    until(
      async () => (await statusOf('/readyz', port)) === status,
      () => `/readyz never answers ${status}`,
    );

  /** Resolves when so many statements wait for the lock. */
  const untilWaiting = (count: number): Promise<void> =>
    until(
      async () => (await query(service.config.databaseUrl, WAITING)).length === count,
      () => `there are never ${count} statements that wait`,
    );

  for (const { name, pool, table, start } of KINDS) {
    /** Runs a test with a process that is ready. No statement can read the table until `release`. */
    const withProcess = async (test: (started: Started, release: () => Promise<void>) => Promise<void>) => {
      const started = await start({ ...service.config, metricsPort });
      let stopped: Promise<void> | undefined;
      const stop = () => {
        stopped ??= started.stop();
        return stopped;
      };
      const release = async () => void (await holder.query('rollback'));
      try {
        await becomes(200);
        await holder.query(`begin; lock table ${table} in access exclusive mode`);
        await test({ ...started, stop }, release);
      } finally {
        await release();
        await stop();
      }
    };

    it(`${name} is not ready while work holds all connections of its pool, and ready again afterwards`, () =>
      withProcess(async ({ port, work }, release) => {
        const begun = Array.from({ length: pool }, work);
        await untilWaiting(pool);
        await becomes(503);
        if (port !== null) await becomes(503, port);
        expect(await statusOf('/healthz')).to.equal(200);
        await release();
        await Promise.all(begun);
        await becomes(200);
      }));

    it(`${name} that stops is not ready from the first moment, while it finishes its work`, () =>
      withProcess(async ({ port, work, stop }, release) => {
        const begun = work();
        await untilWaiting(1);
        const stopped = stop();
        expect([await statusOf('/readyz'), await statusOf('/healthz')]).to.deep.equal([503, 200]);
        if (port !== null) expect(await refuses(port)).to.equal(true);
        await release();
        await Promise.all([begun, stopped]);
        expect(await refuses(metricsPort)).to.equal(true);
      }));
  }
});

/** Returns true if nothing accepts a connection at the port. */
function refuses(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/healthz`).then(
    async (response) => {
      await response.body?.cancel();
      return false;
    },
    () => true,
  );
}
