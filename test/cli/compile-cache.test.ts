import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { checkout, start } from '../harness/processes.ts';

/** Prints the folder of Node's compiled code when the process ends. */
const PRINT_FOLDER = `data:text/javascript,
  import { getCompileCacheDir } from 'node:module';
  process.on('exit', () => console.error(getCompileCacheDir()));`;

describe('the start of a command', () => {
  it('a command keeps its compiled code in .local of the checkout, which halves the next start', async () => {
    mkdirSync(join(checkout, '.local'), { recursive: true });
    const { NODE_COMPILE_CACHE, ...env } = process.env;
    const args = ['--import', PRINT_FOLDER, join(checkout, 'src/cli/main.js'), '--help'];
    const { stderr } = await start(process.execPath, args, { cwd: '/', env }).finished;
    expect(stderr).to.contain(join(checkout, '.local/compile-cache'));
  });
});
