import { existsSync, mkdtempSync, statfsSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';

/** The file system in memory that most Linux systems have. */
const IN_MEMORY = '/dev/shm';

/** Bytes that a whole run may need, with a wide margin. Containers often give this file system 64 MB only. */
const NEEDED_BYTES = 6 * 2 ** 30;

/**
 * The folder for the files of a test run's servers. It lies in memory where there is room: a database is then made in a
 * tenth of the time, and removed in none. Tests that lose power do so without `fsync` anyway.
 */
export const scratch = hasRoomInMemory() ? IN_MEMORY : tmpdir();

/** Makes a new, empty folder for a server of this run. The caller removes it. */
export function newScratchFolder(prefix: string): string {
  return mkdtempSync(join(scratch, `paylinks-${prefix}-`));
}

function hasRoomInMemory(): boolean {
  if (!existsSync(IN_MEMORY)) return false;
  const { bavail, bsize } = statfsSync(IN_MEMORY);
  return Math.min(bavail * bsize, freemem()) > NEEDED_BYTES;
}
