import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkout } from '../../scripts/service.ts';

/** A version of the service that can be started: the abbreviated hash of its commit, and the file of its command. */
export type Version = ReturnType<typeof build>;

/** Files of the service; the others of a checkout are for development. */
const FILES = [
  ...['package.json', 'package-lock.json', 'openapi.yaml'],
  ...['src', 'scripts', 'generated', 'docs', 'packages', 'examples'],
];

/** Returns the commit of a revision; null if this clone lacks it, as a shallow one may. */
export function commitOf(revision: string): string | null {
  const args = ['rev-parse', '--quiet', '--verify', '--short', `${revision}^{commit}`];
  const { status, stdout } = spawnSync('git', args, { cwd: checkout, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : null;
}

/**
 * Returns the revision of the last release: its tag. Without one, the commit before the present version number. Null in a clone without
 * either.
 */
export function lastRelease(): string | null {
  const tag = git(['tag', '--list', 'v*', '--sort=-version:refname', '--merged', 'HEAD']).split('\n')[0];
  if (tag) return tag;
  const [numbered] = git(['log', '--format=%H', '-G^  "version":', '--', 'package.json']).split('\n');
  return numbered ? `${numbered}^` : null;
}

/**
 * Makes a folder with the files of a commit and its packages. Packages are those of this checkout if they have the pinned
 * versions; otherwise `npm ci` installs the commit's own.
 *
 * @param folder is emptied
 * @param number in place of the version number in `package.json`
 */
export function build(commit: string, folder: string, number: string | null) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const present = git(['ls-tree', '--name-only', commit, ...FILES]).split('\n');
  const archive = execFileSync('git', ['archive', commit, ...present], { cwd: checkout, maxBuffer: 2 ** 30 });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  const manifestFile = join(folder, 'package.json');
  const manifest = JSON.parse(readFileSync(manifestFile, 'utf8')) as Manifest;
  if (number !== null) writeFileSync(manifestFile, JSON.stringify({ ...manifest, version: number }));
  if (hasPackages(manifest)) symlinkSync(join(checkout, 'node_modules'), join(folder, 'node_modules'));
  else execFileSync('npm', ['ci', '--omit=dev', '--loglevel=error'], { cwd: folder, stdio: 'inherit' });
  // Up to 2.0.0 the command stood in another folder.
  const programs = ['src/main/cli/main.js', 'src/cli/main.js'].map((path) => join(folder, path));
  return { commit, program: programs.find((path) => existsSync(path)) ?? '' };
}

export function numberOf(commit: string): string {
  return (JSON.parse(git(['show', `${commit}:package.json`])) as Manifest).version;
}

export function nextMinor(number: string): string {
  const [major = '0', minor = '0'] = number.split('.');
  return `${major}.${Number(minor) + 1}.0`;
}

interface Manifest {
  version: string;
  dependencies: Record<string, string>;
}

/** Returns true if this checkout has each package in the version that the manifest pins. */
function hasPackages({ dependencies }: Manifest): boolean {
  return Object.entries(dependencies).every(([name, wanted]) => {
    const file = join(checkout, 'node_modules', name, 'package.json');
    return existsSync(file) && (JSON.parse(readFileSync(file, 'utf8')) as Manifest).version === wanted;
  });
}

function git(args: string[]): string {
  return execFileSync('git', args, { cwd: checkout, encoding: 'utf8' }).trim();
}
