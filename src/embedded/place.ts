import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { type Account, ANOTHER_DATABASE, canStoreData, chooseAccount, runsAsRoot, unreachable } from './account.ts';
import { canRun, copyOf, installedBinaries, type PostgresMajor } from './binaries.ts';
import type { Place } from './cluster.ts';
import { EmbeddedPostgresError } from './errors.ts';
import { shutDown } from './postmaster.ts';

/** Note in the folder of the server: its data lies elsewhere. People read it. Without it, data elsewhere counts as removed. */
const NOTE = 'data-is-elsewhere.json';

/** Folders that every account can reach and only root can write to, best first. */
const BASES = ['/var/lib/paylinks-embedded', join(tmpdir(), 'paylinks-embedded')];

/**
 * Creates the folder if it is missing, and returns its real path.
 *
 * @throws EmbeddedPostgresError if this process cannot create it, or if it belongs to another account
 */
export function prepareDirectory(directory: string): string {
  try {
    const firstMade = mkdirSync(directory, { recursive: true });
    if (firstMade !== undefined && runsAsRoot()) giveToOwnerAbove(firstMade, resolve(directory));
  } catch (cause) {
    throw new EmbeddedPostgresError(
      `The folder ${directory} for the embedded PostgreSQL can't be made.`,
      `Make the folder around it writable for this account, ${ANOTHER_DATABASE}`,
      { cause },
    );
  }
  const owner = lstatSync(realpathSync(directory)).uid;
  if (!runsAsRoot() && owner !== process.getuid?.()) {
    const who = owner === 0 ? 'root' : `another account (uid ${owner})`;
    throw new EmbeddedPostgresError(
      `The embedded PostgreSQL in ${directory} was set up by ${who}, and this account can't use its files.`,
      `Go on as that account, or let it remove the database (\`make clean\`, all its data is lost), ${ANOTHER_DATABASE}`,
    );
  }
  return realpathSync(directory);
}

/**
 * Returns the folder of the data, the programs and the account of the server; the result is the same at every start of a
 * checkout. If root starts the server, PostgreSQL runs under another account. If that account cannot reach the checkout, the
 * data and a copy of the programs lie outside of it. The caller has locked the folder.
 *
 * @throws EmbeddedPostgresError
 */
export async function findPlace(directory: string, major: PostgresMajor): Promise<Place> {
  const installed = installedBinaries(major);
  if (!runsAsRoot()) return { directory, home: directory, binaries: installed, account: null };
  // PostgreSQL accepts only data of its own account. The owner of the checkout keeps the database when it next runs
  // without sudo.
  const account = chooseAccount([join(homeOf(directory), 'data'), directory]);
  const home = openTo(account, directory) ? directory : await makeHomeOutside(directory, account);
  giveData(home, account);
  const binaries = canRun(installed, account) ? installed : await copyOf(installed, home);
  if (!canRun(binaries, account)) throw unreachable(account, binaries.root);
  return { directory, home, binaries, account };
}

/** Returns the folder of the data: the folder of the server, or the one outside of the checkout. */
export function homeOf(directory: string): string {
  const outside = existsSync(join(directory, NOTE))
    ? homesOutside(directory).find((home) => existsSync(home))
    : undefined;
  return outside ?? directory;
}

/**
 * Gives files that root created in an ordinary account's folder to that account. Does nothing unless this process runs as
 * root.
 */
export function settleOwners(directory: string): void {
  if (!runsAsRoot()) return;
  const { uid, gid } = lstatSync(directory);
  for (const name of readdirSync(directory)) {
    const path = join(directory, name);
    if (lstatSync(path).uid === 0) lchownSync(path, uid, gid);
  }
}

/** Gives folders that root created inside an ordinary account's checkout to that account. */
function giveToOwnerAbove(firstMade: string, last: string): void {
  const { uid, gid } = lstatSync(dirname(firstMade));
  for (let path = last; path.length >= firstMade.length; path = dirname(path)) chownSync(path, uid, gid);
}

/** Opens the folder for the account. Returns true if the account can use it afterwards. */
function openTo(account: Account, directory: string): boolean {
  chmodSync(directory, lstatSync(directory).mode | 0o111);
  return canStoreData(directory, account);
}

/** Gives the data to the account. After a copy of the checkout they may belong to root. */
function giveData(home: string, account: Account): void {
  const data = join(home, 'data');
  if (existsSync(data) && lstatSync(data).uid !== account.uid) {
    execFileSync('chown', ['-Rh', `${account.uid}:${account.gid}`, data]);
  }
}

/** The path of the checkout names the folder, so a copied or moved checkout gets one of its own. */
function homesOutside(directory: string): string[] {
  const name = createHash('sha256').update(directory).digest('hex').slice(0, 16);
  return BASES.map((base) => join(base, name));
}

/**
 * Returns the folder of the data outside of the checkout. If a removed checkout of the same path left a server or data
 * there, it stops the server and removes the data.
 */
async function makeHomeOutside(directory: string, account: Account): Promise<string> {
  const noted = homeOf(directory);
  if (noted !== directory) return noted;
  if (existsSync(join(directory, 'data'))) throw unreachable(account, directory);
  const home = homesOutside(directory).find((path) => isReachable(dirname(path), account));
  if (home === undefined) throw unreachable(account, BASES.join(' or '));
  await shutDown({ home }, 'immediate');
  rmSync(home, { recursive: true, force: true });
  mkdirSync(home);
  // The umask of root may have removed these rights.
  chmodSync(home, 0o711);
  const reason = `PostgreSQL does not run as root but here as ${account.name}, and that account can't reach this folder.`;
  writeFileSync(join(directory, NOTE), `${JSON.stringify({ home, reason }, null, 2)}\n`);
  return home;
}

function isReachable(base: string, account: Account): boolean {
  try {
    mkdirSync(base, { recursive: true });
    const entry = lstatSync(base);
    // In /tmp another account could have created it first, so that root runs its programs.
    if (entry.uid !== 0 || !entry.isDirectory() || (entry.mode & 0o022) !== 0) return false;
    chmodSync(base, 0o755);
    return canStoreData(base, account);
  } catch {
    return false;
  }
}
