import { expect } from 'chai';
import type pg from 'pg';
import type { Logger } from 'pino';
import { readConfig } from '../../src/main/processes/config.ts';
import { startServer } from '../../src/main/processes/serve.ts';
import { startWorker } from '../../src/main/processes/worker.ts';
import { createLogger } from '../../src/platform/base/log/log.ts';
import { type Clock, systemClock } from '../../src/platform/base/time/clock.ts';
import type { ConnectionLimits } from '../../src/platform/database/connection/connection.ts';
import { SANDBOX_NOTIFY_TASK, type SandboxMessage } from '../../src/processors/sandbox-ledger.ts';
import { afterThisTest } from '../harness/after-this-test.ts';
import { CapturedLog } from '../harness/captured-log.ts';
import { query } from '../harness/database.ts';
import { useServiceForEach } from '../harness/fixtures.ts';
import { freePort } from '../harness/free-port.ts';
import { killGroup, startPaylinks, until } from '../harness/processes.ts';
import { SECRETS_KEY, TestService } from '../harness/service.ts';
import { createEndpoint } from '../harness/webhooks.ts';

/** Longer than a test takes, so that held statements wait until the test releases them. */
const LONG_LIMITS: ConnectionLimits = {
  lock_timeout: 60_000,
  statement_timeout: 60_000,
  answerTimeoutMillis: 60_000,
};

/** A message that its receiver ignores. */
const IGNORED: SandboxMessage = { id: 'msg_1', accountId: 'sandbox_prac_1', subject: { kind: 'ignored' } };

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
  start(config: TestService['config'], log?: Logger, clock?: Clock): Promise<Started>;
}

const SILENT = createLogger('silent');

const keyringOf = (SECRETS_KEY: string) => readConfig({ SECRETS_KEY }).keyring;

const says = ({ lines }: CapturedLog, text: string): boolean => JSON.stringify(lines).includes(text);

const OTHER_KEY = `other:${Buffer.alloc(32, 9).toString('base64')}`;

const KINDS: readonly [Kind, ...Kind[]] = [
  {
    name: 'an API',
    pool: 10,
    table: 'payment_links',
    async start(config, log = SILENT, clock = systemClock) {
      const { port, close } = await startServer(config, log, { databaseLimits: LONG_LIMITS, clock });
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
    async start(config, log = SILENT, clock = systemClock) {
      const { stop } = await startWorker(config, log, { databaseLimits: LONG_LIMITS, clock });
      const work = () =>
        query(config.databaseUrl, 'select graphile_worker.add_job($1, $2)', [SANDBOX_NOTIFY_TASK, IGNORED]);
      return { port: null, work, stop };
    },
  },
];

describe('/readyz on the port of metrics', function () {
  this.timeout(120_000);
  const service = useServiceForEach();
  let metricsPort: number;
  let holder: pg.Client;

  beforeEach(async () => {
    metricsPort = await freePort();
    holder = await service.session();
  });

  const statusOf = async (path: string, port: number = metricsPort): Promise<number> => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`);
    await response.body?.cancel();
    return response.status;
  };

  const metrics = async () => (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();

  /** Returns the value of a metric without labels; undefined if it is missing. */
  const metric = async (name: string) => new RegExp(`^${name} (.+)$`, 'm').exec(await metrics())?.[1];

  /** Returns the reasons of `paylinks_not_ready`. */
  const reasons = async () =>
    [...(await metrics()).matchAll(/^paylinks_not_ready\{reason="(\w+)"\} 1$/gm)].map(([, reason]) => reason);

  const becomes = (status: number, port: number = metricsPort): Promise<void> =>
    until(
      async () => (await statusOf('/readyz', port)) === status,
      () => `/readyz never answers ${status}`,
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
        await service.untilWaiting(pool);
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
        await service.untilWaiting(1);
        const stopped = stop();
        expect([await statusOf('/readyz'), await statusOf('/healthz')]).to.deep.equal([503, 200]);
        if (port !== null) expect(await refuses(port)).to.equal(true);
        await release();
        await Promise.all([begun, stopped]);
        expect(await refuses(metricsPort)).to.equal(true);
      }));
  }

  // Both kinds have the same check.
  it('a process is not ready while the database takes no writes, with a metric and a line of the log, and ready again afterwards', async () => {
    const log = new CapturedLog();
    const { stop } = await KINDS[0].start({ ...service.config, metricsPort }, log.log);
    const database = new URL(service.config.databaseUrl).pathname.slice(1);
    const alter = async (change: string) => {
      await holder.query(`alter database "${database}" ${change}`);
      // Sessions keep the setting with which they began.
      await holder.query(
        'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
      );
    };
    afterThisTest(async () => {
      await alter('reset default_transaction_read_only');
      await stop();
    });
    await becomes(200);
    expect(await reasons()).to.deep.equal([]);
    await alter('set default_transaction_read_only = on');
    await becomes(503);
    await until(async () => (await reasons()).join() === 'read_only', 'the metric never says so');
    await until(
      () => says(log, 'default_transaction_read_only'),
      () => JSON.stringify(log.lines),
    );
    await alter('reset default_transaction_read_only');
    await becomes(200);
    expect(await reasons()).to.deep.equal([]);
  });

  it('a process is not ready while its keyring reads none of the stored secrets, with a metric, and ready once it reads one', async () => {
    const practice = await service.practice();
    await createEndpoint(practice.test, 'https://receiver.example/1');
    const { stop } = await KINDS[0].start({ ...service.config, metricsPort, keyring: keyringOf(OTHER_KEY) });
    afterThisTest(stop);
    expect(await statusOf('/readyz')).to.equal(503);
    expect([await reasons(), await metric('paylinks_secrets_keys_unusable')]).to.deep.equal([['keyring'], '1']);
    expect(await statusOf('/healthz')).to.equal(200);
    // A rotation has begun elsewhere. What this process cannot read, others deliver.
    const rotating = await TestService.start({
      databaseUrl: service.config.databaseUrl,
      env: { SECRETS_KEY: `${OTHER_KEY},${SECRETS_KEY}` },
    });
    await rotating.practice();
    await rotating.close();
    await becomes(200);
    expect([await reasons(), await metric('paylinks_secrets_keys_unusable')]).to.deep.equal([[], '1']);
  });

  it('a process warns of a clock that is five seconds off, and is not ready when it is more than a minute off', async () => {
    const log = new CapturedLog();
    let aheadMs = 0;
    const clock: Clock = { now: () => new Date(Date.now() + aheadMs), shared: () => null };
    const { stop } = await KINDS[0].start({ ...service.config, metricsPort }, log.log, clock);
    const offset = async () => Math.round(Number(await metric('paylinks_clock_offset_seconds')));
    const becomesOff = (seconds: number) =>
      until(
        async () => (await offset()) === seconds,
        () => `the metric is never ${seconds}`,
      );
    afterThisTest(stop);
    await becomes(200);
    await becomesOff(0);
    expect(says(log, 'run NTP')).to.equal(false);
    aheadMs = 6_000;
    await becomesOff(6);
    expect([await statusOf('/readyz'), says(log, 'run NTP')]).to.deep.equal([200, true]);
    for (const ahead of [62_000, -62_000]) {
      aheadMs = ahead;
      await becomesOff(ahead / 1_000);
      expect([await reasons(), await statusOf('/readyz')]).to.deep.equal([['clock'], 503]);
    }
    aheadMs = 0;
    await becomes(200);
    expect(await reasons()).to.deep.equal([]);
  });

  it('a process and a command name statement_timeout when it ends every statement', async () => {
    await holder.query('begin; lock table schema_migrations in access exclusive mode');
    const url = `${service.config.databaseUrl}?statement_timeout=50`;
    const env = { ...process.env, DATABASE_URL: url, PROCESSOR: 'sandbox', SECRETS_KEY, PORT: '0' };
    const command = await startPaylinks(['practices', 'list'], env).finished;
    expect([command.code, command.stderr.includes('statement_timeout')]).to.deep.equal([1, true]);
    const running = startPaylinks(['serve'], { ...env, METRICS_PORT: `${metricsPort}` });
    try {
      await until(() => running.output().includes('"the process is not ready"'), running.output);
      const lines = running.output().split('\n');
      for (const message of ['starting without it', 'the process is not ready'])
        expect(lines.find((line) => line.includes(message))).to.include('statement_timeout');
      expect(await statusOf('/readyz')).to.equal(503);
      await holder.query('rollback');
      await becomes(200);
    } finally {
      killGroup(running, 'SIGKILL');
      await running.finished;
    }
  });
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
