import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { checkout, localFolder, NODE_FLAGS } from '../../scripts/service.ts';

/** Prints the folder of kept code to standard error when the process ends. */
const PRINT_FOLDER = `data:text/javascript,import { getCompileCacheDir } from 'node:module';
process.on('exit', () => console.log(getCompileCacheDir()));`;

describe('scripts/paylinks', () => {
  it('scripts/paylinks starts Node with the same flags as make run', () => {
    const wrapper = readFileSync(join(checkout, 'scripts/paylinks'), 'utf8');
    expect(wrapper).to.contain(`exec "$node" ${NODE_FLAGS.join(' ')} "$checkout/src/cli/main.js" "$@"`);
  });

  it('every start keeps compiled code in the checkout’s own folder .local', () => {
    mkdirSync(localFolder, { recursive: true });
    chmodSync(localFolder, 0o755);
    const main = join(checkout, 'src/cli/main.js');
    const printed = execFileSync(process.execPath, ['--import', PRINT_FOLDER, main, '--help']).toString();
    expect(printed).to.contain(join(localFolder, 'compile-cache'));
  });
});
