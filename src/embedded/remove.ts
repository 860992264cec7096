import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { withStartLock } from './locks.ts';
import { homeOf, prepareDirectory } from './place.ts';
import { shutDown } from './postmaster.ts';

/**
 * Stops the server of the folder, even if other processes use it. Then removes the folder and all its data, also those
 * outside of it. Does nothing if the folder does not exist.
 *
 * @throws OperatorError
 */
export async function removeEmbeddedPostgres(directory: string): Promise<void> {
  if (!existsSync(directory)) return;
  const path = prepareDirectory(directory);
  await withStartLock(path, async () => {
    const home = homeOf(path);
    await shutDown({ home }, 'fast');
    // The folder with the note is removed last, so that an interrupted removal can be repeated.
    await rm(home, { recursive: true, force: true });
    await rm(path, { recursive: true, force: true });
  });
}
