import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, lstatSync, mkdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Account, ANOTHER_DATABASE, canStoreData, chooseAccount, runsAsRoot, unreachable } from './account.ts';
import { canRun, copyOf, installedBinaries, type PostgresMajor } from './binaries.ts';
import type { Place } from './cluster.ts';
import { PostgresError } from './error.ts';
import { shutDown } from './postmaster.ts';

/** Note in the folder of the server: its data lies elsewhere. People read it. Without it, data elsewhere counts as removed. */
const NOTE = 'data-is-elsewhere.json';

/** Folder of the data of checkouts that the account cannot reach. Every account can reach it, and only root can write to it. */
const OUTSIDE = '/var/lib/paylinks-embedded';

/**
 * Creates the folder if it is missing, and returns its real path.
 *
 * @throws PostgresError if this process cannot create it, or if it belongs to another account
 */
export function prepareDirectory(directory: string): string {
  try {
    mkdirSync(directory, { recursive: true });
  } catch (cause) {
    throw new PostgresError(
      `The folder ${directory} for the embedded PostgreSQL can't be made.`,
      `Make the folder around it writable for this account, ${ANOTHER_DATABASE}`,
      { cause },
    );
  }
  const owner = lstatSync(realpathSync(directory)).uid;
  if (!runsAsRoot() && owner !== process.getuid?.()) {
    const who = owner === 0 ? 'root' : `another account (uid ${owner})`;
    throw new PostgresError(
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
 * @throws PostgresError
 */
export async function findPlace(directory: string, major: PostgresMajor): Promise<Place> {
  const installed = installedBinaries(major);
  if (!runsAsRoot()) return { directory, home: directory, binaries: installed, account: null };
  const account = chooseAccount();
  const home = openTo(account, directory) ? directory : await makeHomeOutside(directory, account);
  giveData(home, account);
  const binaries = canRun(installed, account) ? installed : await copyOf(installed, home);
  if (!canRun(binaries, account)) throw unreachable(account, binaries.root);
  return { directory, home, binaries, account };
}

/** Returns the folder of the data: the folder of the server, or the one outside of the checkout. */
export function homeOf(directory: string): string {
  const outside = homeOutside(directory);
  return existsSync(join(directory, NOTE)) && existsSync(outside) ? outside : directory;
}

/** Opens the folder for the account. Returns true if the account can use it afterwards. */
function openTo(account: Account, directory: string): boolean {
  chmodSync(directory, lstatSync(directory).mode | 0o111);
  return canStoreData(directory, account);
}

/** Gives the data to the account. PostgreSQL accepts only data of its own, and those of a copied checkout may belong to root. */
function giveData(home: string, account: Account): void {
  const data = join(home, 'data');
  if (existsSync(data) && lstatSync(data).uid !== account.uid) {
    execFileSync('chown', ['-Rh', `${account.uid}:${account.gid}`, data]);
  }
}

/** The path of the checkout names the folder, so a copied or moved checkout gets one of its own. */
function homeOutside(directory: string): string {
  return join(OUTSIDE, createHash('sha256').update(directory).digest('hex').slice(0, 16));
}

/**
 * Returns the folder of the data outside of the checkout. If a removed checkout of the same path left a server or data
 * there, it stops the server and removes the data.
 */
async function makeHomeOutside(directory: string, account: Account): Promise<string> {
  const home = homeOutside(directory);
  if (homeOf(directory) === home) return home;
  if (existsSync(join(directory, 'data'))) throw unreachable(account, directory);
  mkdirSync(OUTSIDE, { recursive: true });
  // The umask of root may have removed rights of both folders.
  chmodSync(OUTSIDE, 0o755);
  if (!canStoreData(OUTSIDE, account)) throw unreachable(account, OUTSIDE);
  await shutDown({ home }, 'immediate');
  rmSync(home, { recursive: true, force: true });
  mkdirSync(home);
  chmodSync(home, 0o711);
  const reason = `PostgreSQL does not run as root but here as ${account.name}, and that account can't reach this folder.`;
  writeFileSync(join(directory, NOTE), `${JSON.stringify({ home, reason }, null, 2)}\n`);
  return home;
}
