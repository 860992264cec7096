import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

/*
 * The entry of all commands: sets up Node, then loads the program. Compiled code, types stripped, is kept in the
 * checkout, never in a folder that others may write: it halves the start. Where that can't be written, nothing is kept.
 */
enableCompileCache(join(import.meta.dirname, '../.local/compile-cache'));
const { runCli } = await import('./cli-program.ts');
await runCli();
