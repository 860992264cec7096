import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { serviceConnection } from '../../src/platform/database/connection/connection.ts';
import { checkSession } from '../../src/platform/database/connection/session-check.ts';
import { afterThisTest } from '../harness/after-this-test.ts';
import { createDatabase } from '../harness/database.ts';
import { freePort } from '../harness/free-port.ts';
import { leaveOut } from '../harness/leave-out.ts';
import { until } from '../harness/processes.ts';
import { PoolerStandIn } from './pooler-stand-in.ts';

async function outcome(url: string): Promise<string> {
  return checkSession(serviceConnection(url)).then(
    () => 'accepted',
    (error: Error) => `${error.name}: ${error.message}`,
  );
}

describe('the check of a session', () => {
  const OPTIONS = '?options=-c%20geqo%3Doff';
  const refuses = { text: 'unsupported startup parameter: options', parameter: 'options' };
  const starts = { text: 'the database system is starting up' };

  for (const [habit, habits, parameters, expected] of [
    ['refuses options', { refuses }, OPTIONS, /^UnreachableDatabase: .*08P01/],
    ['refuses options that the address lacks', { refuses }, '', /^accepted$/],
    ['forwards options, which take precedence', {}, '?options=-c%20lock_timeout%3D7s', /^accepted$/],
    ['forwards that the server starts', { refuses: starts }, '', /^UnreachableDatabase: /],
    ['forwards so to a client with options', { refuses: starts }, OPTIONS, /^UnreachableDatabase: /],
    ['changes nothing', {}, '', /^accepted$/],
    ['lends one session to all', { sharesSession: true }, '', /UnsafeSession: .*shares sessions/],
    [
      'resets lock_timeout',
      { runsAfterEach: 'reset lock_timeout' },
      '',
      /UnsafeSession.*lacks settings .*\(lock_timeout\)/,
    ],
    ['forgets all settings', { runsAfterEach: 'discard all' }, '', /UnsafeSession: .*jit.*statement_timeout/],
  ] as const) {
    it(`the check of a session judges a pooler that ${habit}`, async () => {
      const pooler = await PoolerStandIn.start(await createDatabase(), habits);
      afterThisTest(() => pooler.close());
      expect(await outcome(`${pooler.url}${parameters}`)).to.match(expected);
    });
  }

  for (const [mode, expected] of [
    ['session', /^accepted$/],
    ['transaction', /UnsafeSession: .*shares sessions/],
  ] as const) {
    it(`the check of a session judges PgBouncer in ${mode} mode, where it is installed`, async function () {
      // PgBouncer is no package of npm. A stand-in of ours covers both modes in the other tests.
      if (spawnSync('pgbouncer', ['--version']).status !== 0) return leaveOut(this, 'no pgbouncer on this machine');
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
      url.port = `${port}`;
      let judged = '';
      await until(
        async () => {
          judged = await outcome(url.href);
          return !judged.startsWith('UnreachableDatabase');
        },
        () => judged,
      );
      expect(judged).to.match(expected);
    });
  }
});
