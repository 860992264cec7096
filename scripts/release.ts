import { execFileSync, spawnSync } from 'node:child_process';
import { hash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { readCommit, VERSION } from '../src/platform/base/log/version.ts';
import { billOfMaterials } from './release/bill-of-materials.ts';
import { NODE_PACKAGE } from './release/lockfile.ts';
import { originOf } from './release/node-origin.ts';
import { checkout, localFolder } from './service.ts';

/*
 * `make release`: builds an archive that runs on a bare Linux of this machine's kind. It has the service, its packages for
 * production with their Node, the licences of all packages, and the bill of materials. The file `COMMIT` has its commit, and the
 * name of the archive the beginning of that. The same commit gives the same files; `SHA256SUMS` has their hashes.
 */

/** Parts of the checkout that production needs, as beginnings of their paths. */
const PARTS = [
  ...['src/', 'generated/', 'contract/', 'docs/', 'examples/', 'operations/'],
  ...['packages/paylinks-dev/', 'packages/development-postgres/package.json', 'scripts/paylinks'],
  ...['openapi.yaml', 'package.json', 'package-lock.json', '.npmrc', 'README.md', 'CHANGELOG.md'],
];

/** Folder of the result, `.local/release` unless an argument names another one. It is emptied first. */
const FOLDER = process.argv[2] ?? join(localFolder, 'release');

/** Address of the releases of the Node project. Other tools know the variable by this name. */
const NODE_MIRROR = process.env.NODEJS_ORG_MIRROR ?? 'https://nodejs.org/dist';

/** Digits of a commit in file names. */
const SHORT_COMMIT = 12;

async function main(): Promise<void> {
  const name = `paylinks-${VERSION}-${shortCommit()}`;
  const staging = join(FOLDER, name);
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(staging, { recursive: true });
  say('copying the files that production needs');
  for (const file of productionFiles()) cpSync(join(checkout, file), join(staging, file));
  say('installing the packages for production');
  const npm = ['ci', '--omit=dev', '--ignore-scripts', '--prefer-offline', '--loglevel=error'];
  execFileSync('npm', npm, { cwd: staging, stdio: ['ignore', 'ignore', 'inherit'] });
  await checkNode(staging);
  say('writing licences and bill of materials');
  writeFileSync(join(staging, 'COMMIT'), `${readCommit()}\n`);
  writeFileSync(join(staging, 'LICENSES.txt'), licences(staging));
  writeFileSync(join(staging, 'sbom.cdx.json'), billOfMaterials(staging));
  // The code that Node compiles is kept here, if the account that runs the service owns the folder.
  mkdirSync(join(staging, '.local'));
  const archive = join(FOLDER, `${name}-${process.platform}-${process.arch}.tar.gz`);
  pack(archive, name);
  cpSync(join(staging, 'sbom.cdx.json'), join(FOLDER, `${name}.sbom.cdx.json`));
  rmSync(staging, { recursive: true });
  say('trying the archive');
  tryOut(archive, name);
  const files = [archive, join(FOLDER, `${name}.sbom.cdx.json`)];
  const sums = files.map((file) => `${hash('sha256', readFileSync(file))}  ${basename(file)}`);
  writeFileSync(join(FOLDER, 'SHA256SUMS'), `${sums.join('\n')}\n`);
  process.stdout.write(`${[...files, join(FOLDER, 'SHA256SUMS')].join('\n')}\n`);
}

/** Beginning of the commit, with `-dirty` if files differ from it. */
function shortCommit(): string {
  const [id = '', dirty] = readCommit().split('-');
  return [id.slice(0, SHORT_COMMIT), ...(dirty === undefined ? [] : [dirty])].join('-');
}

/** Says where the packaged Node comes from, and takes away its C headers: 67 MB that only compilers read. */
async function checkNode(staging: string): Promise<void> {
  const packages = join(staging, 'node_modules');
  for (const name of readdirSync(packages).filter((name) => NODE_PACKAGE.test(name))) {
    rmSync(join(packages, name, 'include'), { recursive: true, force: true });
    const program = join(packages, name, 'bin/node');
    const version = execFileSync(program, ['--version'], { encoding: 'utf8' }).trim();
    const id = { version, platform: `${process.platform}-${process.arch}` };
    say(await originOf(program, id, NODE_MIRROR));
  }
}

function productionFiles(): string[] {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: checkout });
  const files = listed.toString().trim().split('\n');
  return files.filter((file) => PARTS.some((part) => file.startsWith(part)) && existsSync(join(checkout, file)));
}

/** Returns name, version, licence and licence text of each package. Some packages have the text in their readme only. */
function licences(staging: string): string {
  const manifests = globSync('node_modules/**/package.json', { cwd: staging }).filter((path) =>
    /(^|\/)node_modules\/(@[^/]+\/)?[^/]+\/package\.json$/.test(path),
  );
  return manifests
    .toSorted()
    .map((path) => {
      const folder = join(staging, path, '..');
      const read = JSON.parse(readFileSync(join(staging, path), 'utf8')) as {
        name: string;
        version: string;
        license?: string;
      };
      const files = readdirSync(folder).toSorted();
      const own = files.filter((file) => /^(licen[cs]e|copying)/i.test(file));
      const texts = own.length > 0 ? own : files.filter((file) => /^readme/i.test(file));
      const text = texts.map((file) => readFileSync(join(folder, file), 'utf8').trim()).join('\n\n');
      return `${'='.repeat(100)}\n${read.name} ${read.version}: ${read.license ?? 'see the text'}\n\n${text}\n`;
    })
    .join('\n');
}

/** Packs the folder so that the same files give the same bytes: sorted, without accounts, with the time of the commit. */
function pack(archive: string, name: string): void {
  const time = execFileSync('git', ['log', '-1', '--format=%ct'], { cwd: checkout }).toString().trim();
  const reproducible = [
    ...['--sort=name', `--mtime=@${time}`, '--owner=0', '--group=0', '--numeric-owner', '--mode=go=rX,u+rw'],
    '--use-compress-program=gzip -9n',
  ];
  execFileSync('tar', [...reproducible, '-cf', basename(archive), name], { cwd: FOLDER });
}

/** Extracts the archive elsewhere and runs it there, without this checkout's programs and settings. */
function tryOut(archive: string, name: string): void {
  const folder = mkdtempSync(join(tmpdir(), 'paylinks-release-'));
  try {
    execFileSync('tar', ['-xzf', archive, '-C', folder]);
    const run = (...args: string[]) =>
      spawnSync(join(folder, name, 'scripts/paylinks'), args, {
        cwd: '/',
        env: { PATH: '/usr/bin:/bin' },
        encoding: 'utf8',
      });
    const shown = run('--version').stdout;
    if (shown !== `${VERSION} (commit ${readCommit()})\n`) throw new Error(`the archive says that it is ${shown}`);
    const help = run('--help');
    if (help.status !== 0 || !help.stdout.includes('secrets'))
      throw new Error(`the archive does not run: ${help.stderr}`);
    const migrate = run('migrate');
    if (!migrate.stderr.includes('Set DATABASE_URL')) throw new Error(`the archive lacks a file: ${migrate.stderr}`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function say(text: string): void {
  process.stderr.write(`${text} …\n`);
}

await main();
