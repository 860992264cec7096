import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, utimesSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { createDatabase } from '../harness/database.ts';
import { freePort, listen } from '../harness/free-port.ts';
import { checkout, killGroup, type Running, start, until } from '../harness/processes.ts';

const readme = readFileSync(join(checkout, 'README.md'), 'utf8');

/** Returns the README's blocks of the kind, with free ports in place of theirs. */
function blocks(kind: string, ports: { service: number; receiver: number }): string[] {
  return [...readme.matchAll(/^```sh (.*)\n([\s\S]*?)^```$/gm)]
    .filter(([, info]) => info === kind)
    .map(([, , text = '']) => text.replaceAll(':3000', `:${ports.service}`).replaceAll(':4001', `:${ports.receiver}`));
}

/** The checkout's files, without its data, in a folder of their own; the packages are shared. */
function copyCheckout(): string {
  const folder = mkdtempSync(join(tmpdir(), 'paylinks-readme-'));
  const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: checkout });
  for (const file of files.toString().trim().split('\n')) {
    const target = join(folder, file);
    // A file that is deleted but not committed yet is still listed.
    cpSync(join(checkout, file), target, { preserveTimestamps: true, force: true, errorOnExist: false });
    expect(dirname(target).startsWith(folder)).to.equal(true);
  }
  symlinkSync(join(checkout, 'node_modules'), join(folder, 'node_modules'));
  // Older than the packages whatever happens: `make install` must find nothing to do to a folder that is shared.
  utimesSync(join(folder, 'package-lock.json'), 0, 0);
  return folder;
}

describe('README', () => {
  const running: Running[] = [];
  let folder: string;

  before(() => {
    folder = copyCheckout();
  });

  afterEach(async () => {
    for (const process of running.splice(0).reverse()) {
      killGroup(process, 'SIGINT');
      await process.finished;
    }
  });

  after(() => rmSync(folder, { recursive: true, force: true }));

  it('make run on a used port ends with an error at once, and does not mistake another program for the service', async () => {
    const other = createServer();
    const port = await listen(other);
    const SECRETS_KEY = `run:${Buffer.alloc(32, 3).toString('base64')}`;
    const own = { DATABASE_URL: await createDatabase(), PROCESSOR: 'sandbox', SECRETS_KEY, PORT: `${port}` };
    const run = start(process.execPath, ['scripts/run.ts'], { cwd: folder, env: { ...process.env, ...own } });
    running.push(run);
    const { code, stdout, stderr } = await run.finished;
    await new Promise((resolve) => other.close(resolve));
    expect(code, stderr).to.equal(1);
    expect(stderr).to.include('The service did not start (exit code 1)').and.include('EADDRINUSE');
    expect(stdout).to.not.include('are up');
  });

  for (const time of ['a clean checkout', 'the data of an earlier run']) {
    it(`make run and the quickstart's commands lead to a paid link and a verified webhook, with ${time}`, async () => {
      const ports = { service: await freePort(), receiver: await freePort() };
      const env = { ...process.env, PORT: `${ports.service}`, RECEIVER_PORT: `${ports.receiver}` };
      const service = start('make', ['run'], { cwd: folder, env });
      running.push(service);
      await until(() => service.output().includes('Ctrl-C stops everything'), service.output, 60_000);
      expect(service.output()).to.include(`http://localhost:${ports.service}/docs\n`);

      const [receive = ''] = blocks('quickstart receiver', ports);
      const receiver = start('bash', ['--norc', '-c', receive], { cwd: folder, env });
      running.push(receiver);
      await until(() => receiver.output().includes('listening'), receiver.output);

      const commands = ['set -euo pipefail', ...blocks('quickstart', ports)].join('\n');
      const { code, stdout, stderr } = await start('bash', ['--norc', '-c', commands], { cwd: folder, env }).finished;
      expect(code, stderr).to.equal(0);
      expect(stdout).to.include('"status":"active"').and.to.include('"status":"paid"');
      expect(stdout, stdout).to.match(/"object":"webhook_delivery".*"type":"payment_link.paid"/);
      await until(() => /payment_link\.paid evt_\w+ signature verified/.test(receiver.output()), receiver.output);
    });
  }
});
