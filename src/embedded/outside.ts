import { createHash, randomBytes } from 'node:crypto';
import { chmodSync, existsSync, lstatSync, mkdirSync, readFileSync } from 'node:fs';
import { cp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { type Account, canStoreData, unreachable } from './account.ts';
import { shutDown } from './postmaster.ts';

/*
 * Data outside the checkout: for root only, when the account that PostgreSQL runs under can't walk to the checkout. The
 * folder in the checkout still is the database: a note in it names the place of the data. Without the note the folder
 * was removed, so the data counts as removed, too.
 */

/** For people and for the next start. */
const NOTE = 'data-is-elsewhere.json';
/** The other direction, in the data's folder: the folder that holds the note. */
const BACK_REFERENCE = 'belongs-to';

interface Note {
  /** The folder that the note was written for. It distinguishes a copied checkout from its original. */
  directory: string;
  home: string;
  reason: string;
}

/** Folders that any account can reach and only root can write to, best first. */
function bases(): string[] {
  return ['/var/lib/paylinks-embedded', join(tmpdir(), 'paylinks-embedded')];
}

/** The data's folder outside the checkout, or null if there is none. */
export async function notedHome(directory: string): Promise<string | null> {
  const note = await readNote(directory);
  if (note === null || !existsSync(note.home)) return null;
  // In a copy of a checkout the note speaks of the original's data; a moved checkout takes its data along.
  const copied = note.directory !== directory && (await readNote(note.directory)) !== null;
  return copied ? null : note.home;
}

/**
 * Makes a folder outside of the checkout that the account can reach, and notes it. What a removed folder of the same
 * path left there is stopped and removed. Throws AccountUnusable if there is no such folder on this machine.
 */
export async function makeOutsideHome(directory: string, account: Account): Promise<string> {
  const base = reachableBase(account);
  const home = join(base, await freeName(base, directory));
  mkdirSync(home);
  // The umask of root does not matter.
  chmodSync(home, 0o711);
  if (!canStoreData(home, account)) throw unreachable(account, home);
  return home;
}

/** Notes on both sides that this is the folder's data, and moves data there that the folder still holds itself. */
export async function settleOutside(directory: string, home: string, account: Account): Promise<void> {
  const note: Note = {
    directory,
    home,
    reason: `PostgreSQL does not run as root but here as ${account.name}, and that account can't reach this folder.`,
  };
  await writeFile(join(home, BACK_REFERENCE), directory);
  await writeFile(join(directory, NOTE), `${JSON.stringify(note, null, 2)}\n`);
  if (!existsSync(join(directory, 'data')) || existsSync(join(home, 'data'))) return;
  // The data last: an interrupted move begins anew.
  for (const name of ['password', 'data']) {
    const moving = join(home, `${name}.moving`);
    await rm(moving, { recursive: true, force: true });
    await cp(join(directory, name), moving, { recursive: true, verbatimSymlinks: true });
    await rename(moving, join(home, name));
  }
  await rm(join(directory, 'data'), { recursive: true });
}

async function readNote(directory: string): Promise<Note | null> {
  try {
    const note: Note = JSON.parse(await readFile(join(directory, NOTE), 'utf8'));
    // Root is going to write and remove there: nothing but what makeOutsideHome() makes.
    const ours = bases().includes(dirname(note.home)) && /^[0-9a-f]{16}$/.test(basename(note.home));
    return ours && typeof note.directory === 'string' ? note : null;
  } catch {
    return null;
  }
}

/** By the path of the folder, so that data whose folder was removed is found, unless a moved checkout still uses it. */
async function freeName(base: string, directory: string): Promise<string> {
  const name = createHash('sha256').update(directory).digest('hex').slice(0, 16);
  const home = join(base, name);
  if (!existsSync(home)) return name;
  const user = existsSync(join(home, BACK_REFERENCE)) ? readFileSync(join(home, BACK_REFERENCE), 'utf8') : directory;
  if (user !== directory && (await readNote(user))?.home === home) return randomBytes(8).toString('hex');
  await shutDown({ home }, 'immediate');
  await rm(home, { recursive: true });
  return name;
}

function reachableBase(account: Account): string {
  for (const base of bases()) {
    try {
      mkdirSync(base, { recursive: true });
      const entry = lstatSync(base);
      // In /tmp anybody could have made it first, to have root run programs of theirs.
      if (entry.uid !== 0 || !entry.isDirectory() || (entry.mode & 0o022) !== 0) continue;
      chmodSync(base, 0o755);
      if (canStoreData(base, account)) return base;
    } catch {
      // Not this one, then: the next.
    }
  }
  throw unreachable(account, bases().join(' or '));
}
