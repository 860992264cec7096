import { statSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

/*
 * The entry of all commands: sets up Node, then loads the program. Compiled code, types stripped, is kept in the
 * checkout's `.local`, which halves the start. Node runs the code that it finds there. So the folder must exist, belong
 * to this account, and be writable for it alone. Otherwise no code is kept.
 *
 * This file alone is JavaScript: it runs before any code is kept, and Node needs 60 ms to load what strips types.
 */
const folder = join(import.meta.dirname, '../../../.local');
const folderStats = statSync(folder, { throwIfNoEntry: false });
if (folderStats !== undefined && folderStats.uid === process.getuid?.() && (folderStats.mode & 0o022) === 0) {
  enableCompileCache(join(folder, 'compile-cache'));
}
const { runCli } = await import('./program.ts');
// Without a listener, a full disk or a reader that is gone would end the process in the middle of its work.
process.stdout.on('error', ({ code }) => {
  process.exitCode = 1;
  if (code !== 'EPIPE') process.stderr.write(`paylinks: standard output cannot be written (${code})\n`);
});
process.stderr.on('error', () => undefined);
const exitCode = await runCli(process.argv.slice(2), process);
process.exitCode ||= exitCode;
