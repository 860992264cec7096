import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { notedHome } from './outside.ts';
import { prepareDirectory } from './place.ts';
import { shutDown } from './postmaster.ts';
import { underStartLock } from './users.ts';

/**
 * Stops the server of the folder, whoever uses it, and removes the folder with all its data, also the data that lies
 * outside of it. Does nothing if the folder does not exist. Throws an EmbeddedPostgresError, whose hint says what to do.
 */
export async function removeEmbeddedPostgres(directory: string): Promise<void> {
  if (!existsSync(directory)) return;
  const path = prepareDirectory(directory);
  await underStartLock(path, async () => {
    const home = (await notedHome(path)) ?? path;
    await shutDown({ home }, 'fast');
    // The folder with the note last: who is interrupted here can do it again.
    await rm(home, { recursive: true, force: true });
    await rm(path, { recursive: true, force: true });
  });
}
