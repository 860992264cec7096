import { existsSync, mkdtempSync, readdirSync, rmSync, statfsSync, statSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';
import { tryToOwn } from 'development-postgres/owner';

/** The file system in memory that most Linux systems have. */
const IN_MEMORY = '/dev/shm';

/** Bytes that a whole run may need: less than one gigabyte is usual. Containers often give this file system 64 MB only. */
const NEEDED_BYTES = 3 * 2 ** 30;

/** Beginning of all names of folders. */
const PREFIX = 'paylinks-scratch-';

/** Age from which on a folder without a running server is one that a killed run left. No test takes so long. */
const LEFT_AFTER_MS = 2 * 3_600_000;

/**
 * The folder for the files of a test run's servers. It lies in memory where there is room: a database is then made in a
 * tenth of the time, and removed in none. Tests that lose power do so without `fsync` anyway.
 */
export const scratch = hasRoomInMemory() ? IN_MEMORY : tmpdir();

/** Makes a new, empty folder for a server of this run. The caller removes it. */
export function newScratchFolder(prefix: string): string {
  return mkdtempSync(join(scratch, `${PREFIX}${prefix}-`));
}

/** Removes what killed runs left. A few of them fill the memory, and all tests then use the disk, which takes longer. */
export function removeLeftFolders(): void {
  for (const name of readdirSync(scratch)) {
    const folder = join(scratch, name);
    try {
      if (!name.startsWith(PREFIX) || Date.now() - statSync(folder).mtimeMs < LEFT_AFTER_MS || isInUse(folder))
        continue;
      rmSync(folder, { recursive: true, force: true });
    } catch {
      // Another account's, or removed by another run at this moment.
    }
  }
}

/** Returns true if a process owns the embedded server of the folder. */
function isInUse(folder: string): boolean {
  const lock = tryToOwn(folder);
  lock?.release();
  return lock === null;
}

function hasRoomInMemory(): boolean {
  if (!existsSync(IN_MEMORY)) return false;
  const { bavail, bsize } = statfsSync(IN_MEMORY);
  return Math.min(bavail * bsize, freemem()) > NEEDED_BYTES;
}
