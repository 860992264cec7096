import { createHash, randomBytes } from 'node:crypto';
import { chmodSync, existsSync, lstatSync, mkdirSync, readFileSync } from 'node:fs';
import { cp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { type Account, canStoreData, unreachable } from './account.ts';
import { shutDown } from './postmaster.ts';

/*
 * Data outside of the checkout. Only root uses it, if the account of PostgreSQL cannot reach the checkout. A note in the
 * checkout's folder names the place of the data. If the folder with the note was removed, the data counts as removed.
 */

/** Name of the note. People and the next start read it. */
const NOTE = 'data-is-elsewhere.json';
/** File in the data's folder that names the folder with the note. */
const BACK_REFERENCE = 'belongs-to';

interface Note {
  /** Folder for which the note was written. In a copied checkout it is another one. */
  directory: string;
  home: string;
  reason: string;
}

/** Folders that every account can reach and only root can write to, best first. */
function bases(): string[] {
  return ['/var/lib/paylinks-embedded', join(tmpdir(), 'paylinks-embedded')];
}

/** Returns the data's folder outside of the checkout; null if there is none. */
export async function notedHome(directory: string): Promise<string | null> {
  const note = await readNote(directory);
  if (note === null || !existsSync(note.home)) return null;
  // In a copied checkout the note names the data of the original. A moved checkout keeps its data.
  const copied = note.directory !== directory && (await readNote(note.directory)) !== null;
  return copied ? null : note.home;
}

/**
 * Creates a folder outside of the checkout that the account can reach, and writes the note. If a removed checkout of the
 * same path left a server or data there, it stops the server and removes the data.
 *
 * @throws AccountUnusable if this machine has no such folder
 */
export async function makeOutsideHome(directory: string, account: Account): Promise<string> {
  const base = reachableBase(account);
  const home = join(base, await freeName(base, directory));
  mkdirSync(home);
  // The umask of root may have removed these rights.
  chmodSync(home, 0o711);
  if (!canStoreData(home, account)) throw unreachable(account, home);
  return home;
}

/** Writes the notes in both folders, and moves data that is still in the checkout. */
export async function settleOutside(directory: string, home: string, account: Account): Promise<void> {
  const note: Note = {
    directory,
    home,
    reason: `PostgreSQL does not run as root but here as ${account.name}, and that account can't reach this folder.`,
  };
  await writeFile(join(home, BACK_REFERENCE), directory);
  await writeFile(join(directory, NOTE), `${JSON.stringify(note, null, 2)}\n`);
  if (!existsSync(join(directory, 'data')) || existsSync(join(home, 'data'))) return;
  // The data is moved last, so that an interrupted move is repeated.
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
    // Root writes and removes files there, so only folders that makeOutsideHome() created are accepted.
    const ours = bases().includes(dirname(note.home)) && /^[0-9a-f]{16}$/.test(basename(note.home));
    return ours && typeof note.directory === 'string' ? note : null;
  } catch {
    return null;
  }
}

/** Derives the name from the path of the folder, so that data of a removed folder is found. A moved checkout keeps its own. */
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
      // In /tmp another account could have created it first, so that root runs its programs.
      if (entry.uid !== 0 || !entry.isDirectory() || (entry.mode & 0o022) !== 0) continue;
      chmodSync(base, 0o755);
      if (canStoreData(base, account)) return base;
    } catch {
      // This folder cannot be used, so the next one is tried.
    }
  }
  throw unreachable(account, bases().join(' or '));
}
