import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { checkout, NODE_FLAGS } from '../../scripts/service.ts';

describe('scripts/paylinks', () => {
  it('scripts/paylinks starts Node with the same flags as make run', () => {
    const wrapper = readFileSync(join(checkout, 'scripts/paylinks'), 'utf8');
    expect(wrapper).to.contain(`exec "$node" ${NODE_FLAGS.join(' ')} "$checkout/src/main/cli/main.js" "$@"`);
  });

  describe('without the Node of its packages', () => {
    let folder: string;

    before(() => {
      folder = mkdtempSync(join(tmpdir(), 'paylinks-'));
      for (const name of ['scripts', 'node_modules', 'path']) mkdirSync(join(folder, name));
      cpSync(join(checkout, 'scripts/paylinks'), join(folder, 'scripts/paylinks'));
      writeFileSync(join(folder, 'node_modules/.package-lock.json'), '{}');
      for (const name of ['dirname', 'readlink', 'sed']) symlinkSync(`/usr/bin/${name}`, join(folder, 'path', name));
    });

    after(() => rmSync(folder, { recursive: true }));

    /** Runs the script with a program on PATH that prints this version, and its arguments otherwise; with none for null. */
    function run(version: string | null) {
      const program = `#!/bin/sh\nif [ "$1" = --version ]; then echo ${version}; else echo "$@"; fi\n`;
      if (version === null) rmSync(join(folder, 'path/node'), { force: true });
      else writeFileSync(join(folder, 'path/node'), program, { mode: 0o755 });
      const env = { PATH: join(folder, 'path') };
      return spawnSync(join(folder, 'scripts/paylinks'), ['practices', 'list'], { env, encoding: 'utf8' });
    }

    it('scripts/paylinks starts Node 24 or newer of PATH with the caller’s arguments', () => {
      for (const version of ['v24.0.0', 'v26.1.0', 'v100.0.0']) {
        const { status, stdout, stderr } = run(version);
        expect([status, stderr], version).to.deep.equal([0, '']);
        expect(stdout).to.match(/main\.js practices list\n$/);
      }
    });

    it('scripts/paylinks refuses an older Node of PATH, names its version, and says how to get another one', () => {
      for (const version of ['v22.19.0', 'v9.0.0', 'unknown', null]) {
        const { status, stderr } = run(version);
        expect(status, `${version}`).to.equal(1);
        expect(stderr).to.include('no Node 24 or newer').and.include('npm ci --omit=dev').and.include('PATH');
        expect(stderr).to.include(version === null ? 'there: none' : `node ${version}`);
      }
    });
  });
});
