import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { expect } from 'chai';
import { checkout, NODE_FLAGS } from '../../scripts/service.ts';

describe('scripts/paylinks', () => {
  it('scripts/paylinks starts Node with the same flags as make run', () => {
    const wrapper = readFileSync(join(checkout, 'scripts/paylinks'), 'utf8');
    expect(wrapper).to.contain(`exec "$node" ${NODE_FLAGS.join(' ')} "$checkout/src/cli/main.js" "$@"`);
  });

  describe('without the Node of its packages', () => {
    let folder: string;

    before(() => {
      folder = mkdtempSync(join(tmpdir(), 'paylinks-'));
      for (const name of ['scripts', 'node_modules', 'path']) mkdirSync(join(folder, name));
      cpSync(join(checkout, 'scripts/paylinks'), join(folder, 'scripts/paylinks'));
      writeFileSync(join(folder, 'node_modules/.package-lock.json'), '{}');
    });

    after(() => rmSync(folder, { recursive: true }));

    /** Runs the script with a program on PATH that prints this version, and its arguments otherwise. */
    function run(version: string) {
      const program = `#!/bin/sh\nif [ "$1" = --version ]; then echo ${version}; else echo "$@"; fi\n`;
      writeFileSync(join(folder, 'path/node'), program, { mode: 0o755 });
      const env = { ...process.env, PATH: `${join(folder, 'path')}${delimiter}${process.env.PATH}` };
      return spawnSync(join(folder, 'scripts/paylinks'), ['practices', 'list'], { env, encoding: 'utf8' });
    }

    for (const version of ['v24.0.0', 'v26.1.0', 'v100.0.0']) {
      it(`scripts/paylinks starts Node ${version} of PATH with the caller’s arguments`, () => {
        const { status, stdout, stderr } = run(version);
        expect([status, stderr]).to.deep.equal([0, '']);
        expect(stdout).to.match(/main\.js practices list\n$/);
      });
    }

    for (const version of ['v22.19.0', 'v9.0.0', 'unknown']) {
      it(`scripts/paylinks refuses Node ${version} of PATH, and names its version`, () => {
        const { status, stderr } = run(version);
        expect(status).to.equal(1);
        expect(stderr).to.include('no Node 24 or newer').and.include(`node ${version}`);
      });
    }
  });
});
