import { spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chown, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type Account, ANOTHER_DATABASE, serverEnvironment, spawnAs } from './account.ts';
import { type Binaries, program } from './binaries.ts';
import { PostgresError } from './error.ts';

/**
 * Folders, programs and account of one embedded server. Normally all files are in the caller's folder. If root runs the
 * server, PostgreSQL uses another account, which may be unable to reach that folder. Then the data are outside of it.
 */
export interface Place {
  /** The caller's folder, absolute, without symbolic links: the locks and the log. */
  directory: string;
  /** The folder with `data` and the password: `directory`, or one outside of it that the account can reach. */
  home: string;
  binaries: Binaries;
  /** Null means the account of this process. */
  account: Account | null;
}

/** The superuser of the embedded server; it exists nowhere else. */
export const SUPERUSER = 'paylinks';

/** Timeout of initdb. It usually takes a second, and a minute on a loaded machine with a slow disk. */
const INITDB_TIMEOUT_MS = 180_000;
/** Prefix of folders with incomplete data. A killed start leaves one behind. */
const UNFINISHED = 'data.unfinished.';

export function dataOf(place: Pick<Place, 'home'>): string {
  return join(place.home, 'data');
}

/**
 * Creates the data if there is none, and returns the superuser's password. The data use UTF8 with the C locale, which every
 * system has, and SCRAM passwords. They appear completely or not at all. The caller has locked the folder.
 *
 * @throws PostgresError if another major version created the data
 */
export async function prepareData(
  place: Place,
  isDurable: boolean,
  onProgress: (text: string) => void,
): Promise<string> {
  if (existsSync(dataOf(place))) {
    await assertMadeBy(place);
    return readFile(join(place.home, 'password'), 'utf8');
  }
  onProgress('setting up the embedded PostgreSQL');
  for (const name of await readdir(place.home)) {
    if (name.startsWith(UNFINISHED)) await rm(join(place.home, name), { recursive: true, force: true });
  }
  const unfinished = join(place.home, `${UNFINISHED}${randomUUID()}`);
  const password = randomBytes(24).toString('hex');
  const passwordForInitdb = join(unfinished, 'password');
  await makeFolder(unfinished, place);
  await writeFile(passwordForInitdb, password, { mode: 0o600 });
  if (place.account !== null) await chown(passwordForInitdb, place.account.uid, place.account.gid);
  await initdb(place, join(unfinished, 'data'), passwordForInitdb, isDurable);
  await writeFile(join(place.home, 'password'), password, { mode: 0o600 });
  await rename(join(unfinished, 'data'), dataOf(place));
  await rm(unfinished, { recursive: true, force: true });
  return password;
}

/** Checks the major version of the data. @throws PostgresError, with both versions, if it is another one */
async function assertMadeBy(place: Place): Promise<void> {
  const { major } = place.binaries;
  const madeBy = (await readFile(join(dataOf(place), 'PG_VERSION'), 'utf8')).trim();
  if (madeBy === String(major)) return;
  throw new PostgresError(
    `The data in ${dataOf(place)} was made by PostgreSQL ${madeBy}, and PostgreSQL ${major} can't read it.`,
    `Start version ${madeBy}, or remove the database with \`make clean\` (all its data is lost).`,
  );
}

async function makeFolder(path: string, place: Place): Promise<void> {
  await mkdir(path, { mode: 0o700 });
  if (place.account !== null) await chown(path, place.account.uid, place.account.gid);
}

async function initdb(place: Place, data: string, passwordFile: string, isDurable: boolean): Promise<void> {
  const flags = ['-D', data, '-U', SUPERUSER, '--encoding=UTF8', '--no-locale', '--auth=scram-sha-256'];
  flags.push(`--pwfile=${passwordFile}`, '--no-instructions', ...(isDurable ? [] : ['--no-sync']));
  const child = spawn(program(place.binaries, 'initdb'), flags, {
    ...spawnAs(place.account),
    cwd: '/',
    env: serverEnvironment(),
    stdio: ['ignore', 'pipe', 'pipe'],
    // A separate process group, because Ctrl-C during initdb would leave an incomplete database.
    detached: true,
    timeout: INITDB_TIMEOUT_MS,
    killSignal: 'SIGKILL',
  });
  const [[code, signal], ...said] = await Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)]);
  if (code === 0) return;
  throw new PostgresError(
    `The data of the embedded PostgreSQL could not be set up: initdb ended with ${signal ?? code}\n${said.join('').trim()}`,
    `Look whether the disk is full, ${ANOTHER_DATABASE}`,
  );
}
