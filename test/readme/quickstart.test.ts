import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { removeEmbeddedPostgres } from 'development-postgres';
import { freePort, listen } from '../harness/free-port.ts';
import { checkout, killGroup, type Running, start, until } from '../harness/processes.ts';

const readme = readFileSync(join(checkout, 'README.md'), 'utf8');

/** Returns the README's blocks of the kind, with a free port in place of the receiver's. */
function blocks(kind: string, receiverPort: number): string[] {
  return [...readme.matchAll(/^```sh (.*)\n([\s\S]*?)^```$/gm)]
    .filter(([, info]) => info === kind)
    .map(([, , text = '']) => text.replaceAll(':4001', `:${receiverPort}`));
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

  after(async () => {
    // Root's data lie outside of the folder, which others cannot enter.
    await removeEmbeddedPostgres(join(folder, '.local/postgres'));
    rmSync(folder, { recursive: true, force: true });
  });

  it('make run on a used port ends at once with one sentence that names PORT, also if an earlier run left its log', async () => {
    const other = createServer();
    const port = await listen(other);
    mkdirSync(join(folder, '.local'), { recursive: true });
    writeFileSync(join(folder, '.local/serve.log'), 'a line of an earlier run\n');
    const run = start(process.execPath, ['scripts/run.ts'], { cwd: folder, env: { ...process.env, PORT: `${port}` } });
    running.push(run);
    const { code, stdout, stderr } = await run.finished;
    await new Promise((resolve) => other.close(resolve));
    const sentence = `Port ${port} is in use: end the program that listens there, or set PORT to another port.\n`;
    expect([code, stdout, stderr]).to.deep.equal([1, '', sentence]);
  });

  /** Runs commands as a person types them, and returns their output. */
  async function runCommands(texts: readonly string[]): Promise<string> {
    const commands = ['set -euo pipefail', ...texts].join('\n');
    const { code, stdout, stderr } = await start('bash', ['--norc', '-c', commands], { cwd: folder }).finished;
    expect(code, stderr).to.equal(0);
    return stdout;
  }

  for (const time of ['a clean checkout', 'the data of an earlier run']) {
    it(`make run and the quickstart's commands lead to a paid link and a verified webhook, with ${time}`, async () => {
      const port = await freePort();
      const receiverPort = await freePort();
      const env = { ...process.env, PORT: `${port}`, RECEIVER_PORT: `${receiverPort}` };
      const service = start('make', ['run'], { cwd: folder, env });
      running.push(service);
      await until(() => service.output().includes('Ctrl-C stops everything'), service.output, 60_000);
      expect(service.output()).to.include(`http://localhost:${port}/docs\n`);

      const [receive = ''] = blocks('quickstart receiver', receiverPort);
      const receiver = start('bash', ['--norc', '-c', receive], { cwd: folder, env });
      running.push(receiver);
      await until(() => receiver.output().includes('listening'), receiver.output);

      const commands = blocks('quickstart', receiverPort);
      const stdout = await runCommands(commands);
      expect(stdout).to.include('"status":"active"').and.to.include('"status":"paid"');
      expect(stdout, stdout).to.match(/"object":"webhook_delivery".*"type":"payment_link.paid"/);
      await until(() => /payment_link\.paid evt_\w+ signature verified/.test(receiver.output()), receiver.output);

      // In the same terminal, so with the variables of the blocks before.
      const [variables = ''] = commands;
      const list = 'curl -s "$BASE/api/v1/webhook-endpoints" -H "Authorization: Bearer $KEY"';
      const left = await runCommands([variables, ...blocks('quickstart end', receiverPort), list]);
      expect(left).to.include('"totalCount":0');
    });
  }

  it('make demo beside make run prints no line of a log, and leaves the addresses of make run alone', async () => {
    const service = start('make', ['run'], { cwd: folder, env: { ...process.env, PORT: `${await freePort()}` } });
    running.push(service);
    await until(() => service.output().includes('Ctrl-C stops everything'), service.output, 60_000);
    const demo = readFileSync(join(folder, '.local/demo.json'), 'utf8');
    const { code, stdout, stderr } = await start('make', ['demo'], { cwd: folder }).finished;
    expect([code, stderr]).to.deep.equal([0, '']);
    expect(stdout).to.include('Its signature verifies').and.not.match(/^\{/m);
    expect(readFileSync(join(folder, '.local/demo.json'), 'utf8')).to.equal(demo);
  });
});
