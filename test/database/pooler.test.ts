import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { serviceConnection } from '../../src/database/connection/connection.ts';
import { checkSession } from '../../src/database/connection/session-check.ts';
import { afterThisTest } from '../harness/after-this-test.ts';
import { createDatabase } from '../harness/database.ts';
import { freePort } from '../harness/free-port.ts';
import { until } from '../harness/processes.ts';
import { PoolerStandIn } from './pooler-stand-in.ts';

async function outcome(url: string): Promise<string> {
  return checkSession(serviceConnection(url)).then(
    () => 'accepted',
    (error: Error) => `${error.name}: ${error.message}`,
  );
}

describe('the check of a session', () => {
  const OPTIONS = 'options=-c%20geqo%3Doff';
  const REFUSED_OPTIONS = { text: 'unsupported startup parameter: options', parameter: 'options' };

  for (const [habit, refuses, parameters, expected] of [
    ['refuses options', REFUSED_OPTIONS, `?${OPTIONS}`, /UnusableDatabase: .*PgBouncer.*options/],
    ['refuses options that the address lacks', REFUSED_OPTIONS, '', /^accepted$/],
    ['forwards that the server starts', { text: 'the database system is starting up' }, '', /^UnreachableDatabase: /],
    [
      'forwards that the server starts to a client with options',
      { text: 'the database system is starting up' },
      `?${OPTIONS}`,
      /^UnreachableDatabase: /,
    ],
  ] as const) {
    it(`the check of a session judges a pooler that ${habit} at connecting`, async () => {
      const pooler = await PoolerStandIn.start(await createDatabase(), { refuses });
      afterThisTest(() => pooler.close());
      expect(await outcome(`${pooler.url}${parameters}`)).to.match(expected);
    });
  }

  for (const [habit, habits, expected] of [
    ['changes nothing', {}, /^accepted$/],
    ['lends one session to all', { sharesSession: true }, /UnusableDatabase: .*shares sessions/],
    [
      'resets lock_timeout',
      { runsAfterEach: 'reset lock_timeout' },
      /UnusableDatabase: .*lacks settings .*\(lock_timeout\)/,
    ],
    ['forgets all settings', { runsAfterEach: 'discard all' }, /UnusableDatabase: .*jit.*statement_timeout/],
  ] as const) {
    it(`the check of a session judges a pooler that ${habit} between transactions`, async () => {
      const pooler = await PoolerStandIn.start(await createDatabase(), habits);
      afterThisTest(() => pooler.close());
      expect(await outcome(pooler.url)).to.match(expected);
    });
  }

  for (const [mode, expected] of [
    ['session', /^accepted$/],
    ['transaction', /UnusableDatabase: .*shares sessions/],
  ] as const) {
    it(`the check of a session judges PgBouncer in ${mode} mode, where it is installed`, async function () {
      // PgBouncer is no package of npm. A stand-in of ours covers both modes in the other tests.
      if (spawnSync('pgbouncer', ['--version']).status !== 0) return this.skip();
      const url = new URL(await createDatabase());
      const folder = mkdtempSync(join('/tmp', 'paylinks-pooler-'));
      const port = await freePort();
      chmodSync(folder, 0o755);
      const config = join(folder, 'pgbouncer.ini');
      const target = `host=${url.hostname} port=${url.port} user=${url.username} password=${url.password}`;
      writeFileSync(
        config,
        `[databases]\n* = ${target}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = ${port}\nauth_type = any\nunix_socket_dir =\npool_mode = ${mode}\n`,
        { mode: 0o644 },
      );
      const asRoot = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
      const pooler: ChildProcess = spawn('pgbouncer', [...asRoot, config], { stdio: 'ignore' });
      afterThisTest(async () => {
        pooler.kill('SIGTERM');
        rmSync(folder, { recursive: true, force: true });
      });
      await until(
        () =>
          new Promise<boolean>((resolve) => {
            const probe = connect(port, '127.0.0.1', () => resolve(true));
            probe.on('error', () => resolve(false)).on('close', () => probe.destroy());
            probe.on('connect', () => probe.end());
          }),
        () => 'PgBouncer does not listen',
      );
      url.port = `${port}`;
      expect(await outcome(url.href)).to.match(expected);
    });
  }
});
