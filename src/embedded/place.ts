import { chmodSync, chownSync, existsSync, lchownSync, lstatSync, mkdirSync, readdirSync, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type Account, ANOTHER_DATABASE, canStoreData, chooseAccount, runsAsRoot, unreachable } from './account.ts';
import { canRun, copyOf, installedBinaries, type PostgresMajor } from './binaries.ts';
import type { Place } from './cluster.ts';
import { makeOutsideHome, notedHome, settleOutside } from './data-outside.ts';
import { AccountUnusable } from './errors.ts';

/**
 * Creates the folder if it is missing, and returns its real path.
 *
 * @throws AccountUnusable if this process cannot create it, or if it belongs to another account
 */
export function prepareDirectory(directory: string): string {
  try {
    const firstMade = mkdirSync(directory, { recursive: true });
    if (firstMade !== undefined && runsAsRoot()) giveToOwnerAbove(firstMade, resolve(directory));
  } catch (cause) {
    throw new AccountUnusable(
      `The folder ${directory} for the embedded PostgreSQL can't be made.`,
      `Make the folder around it writable for this account, ${ANOTHER_DATABASE}`,
      { cause },
    );
  }
  const owner = lstatSync(realpathSync(directory)).uid;
  if (!runsAsRoot() && owner !== process.getuid?.()) {
    const who = owner === 0 ? 'root' : `another account (uid ${owner})`;
    throw new AccountUnusable(
      `The embedded PostgreSQL in ${directory} was set up by ${who}, and this account can't use its files.`,
      `Go on as that account, or let it remove the database (\`make clean\`, all its data is lost), ${ANOTHER_DATABASE}`,
    );
  }
  return realpathSync(directory);
}

/**
 * Returns the folder of the data, the programs and the account of the server; the result is the same at every start of a
 * checkout. It creates the folders and, if the account cannot reach the installed programs, a copy of them. The caller has
 * locked the folder.
 *
 * @throws AccountUnusable, BinariesUnusable
 */
export async function findPlace(directory: string, major: PostgresMajor): Promise<Place> {
  const installed = installedBinaries(major);
  if (!runsAsRoot()) return { directory, home: directory, binaries: installed, account: null };
  const noted = await notedHome(directory);
  // PostgreSQL accepts only data of its own account. The owner of the checkout keeps the database when it next runs
  // without sudo.
  const account = chooseAccount([join(noted ?? directory, 'data'), directory]);
  const home = noted ?? (openTo(account, directory) ? directory : await makeOutsideHome(directory, account));
  if (home !== directory) await settleOutside(directory, home, account);
  giveData(home, account);
  const binaries = canRun(installed, account) ? installed : await copyOf(installed, home);
  if (!canRun(binaries, account)) throw unreachable(account, binaries.root);
  return { directory, home, binaries, account };
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
  if (existsSync(data) && lstatSync(data).uid !== account.uid) giveAll(data, account);
}

function giveAll(path: string, account: Account): void {
  lchownSync(path, account.uid, account.gid);
  if (!lstatSync(path).isDirectory()) return;
  for (const name of readdirSync(path)) giveAll(join(path, name), account);
}
