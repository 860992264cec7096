import { spawnSync } from 'node:child_process';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect } from 'chai';
import { useFolder } from '../harness/fixtures.ts';
import { checkout } from '../harness/processes.ts';

describe('the run of CI', () => {
  const folder = useFolder('ci');

  /** Runs CI with this script as `make`, and returns the lines of the output, make's errors included, and the exit code. */
  function runCi(make: string) {
    writeFileSync(join(folder, 'make'), `#!/bin/sh\n${make}\n`, { mode: 0o755 });
    const { status, stdout } = spawnSync('/bin/sh', ['-c', `exec '${join(checkout, '.ci/run')}' 2>&1`], {
      env: { ...process.env, PATH: `${folder}${delimiter}${process.env.PATH}` },
      encoding: 'utf8',
    });
    return { status, lines: stdout.trimEnd().split('\n') };
  }

  it('the run of CI is the test command of the README, and nothing beside it', () => {
    expect(readFileSync(join(checkout, 'README.md'), 'utf8')).to.match(/^make test +# all that CI checks/m);
    const { status, lines } = runCi('echo "make $*"; echo "28 passed, 0 failed"');
    expect([status, ...lines]).to.deep.equal([0, 'make test', '28 passed, 0 failed']);
  });

  it('the run of CI ends with the sum alone, also if tests failed, or if there was nothing to run', () => {
    const failed = runCi('echo "27 passed, 1 failed"; echo "make: *** [test] Error 1" >&2; exit 2');
    expect([failed.status, failed.lines.at(-1)]).to.deep.equal([2, '27 passed, 1 failed']);
    const nothing = runCi('echo "Node is too old"; exit 2');
    expect([nothing.status, nothing.lines.at(-1)]).to.deep.equal([2, '0 passed, 1 failed']);
  });
});

describe('make test', () => {
  const folder = useFolder('make-test');

  /** Runs `make test ONLY=` with a file of these tests, and returns the lines of the output and the exit code. */
  function runOnly(text: string) {
    const file = join(folder, 'some.test.ts');
    const leaveOut = join(checkout, 'test/harness/leave-out.ts');
    writeFileSync(file, `import assert from 'node:assert';\nimport { leaveOut } from '${leaveOut}';\n${text}`);
    // The run inside has no part in the coverage and the outcome of the run outside.
    const { CONTRACT_COVERAGE: _coverage, TEST_OUTCOME: _outcome, ...env } = process.env;
    const { status, stdout } = spawnSync(process.execPath, ['test/run.ts'], {
      cwd: checkout,
      env: { ...env, ONLY: file },
      encoding: 'utf8',
    });
    return { status, lines: stdout.trimEnd().split('\n') };
  }

  it('make test ends with what was left out, the reason once, and with the sum alone', () => {
    const { status, lines } = runOnly(`
      it('a test passes', () => {});
      it('a test needs a program', function () { leaveOut(this, 'no program on this machine'); });
      describe('more', () => {
        before(function () { leaveOut(this, 'no program on this machine'); });
        it('another needs it, too', () => {});
      });
      it('a test needs root', function () { leaveOut(this, 'not root'); });`);
    expect(status).to.equal(0);
    expect(lines.slice(-4)).to.deep.equal([
      'Left out on this machine:',
      '  no program on this machine (2 tests)',
      '  not root',
      '1 passed, 0 failed',
    ]);
  });

  it('make test fails for a test that fails, does not run it again, and repeats file, name and error just above the sum', () => {
    const { status, lines } = runOnly(`
      it('a test passes', () => {});
      let runs = 0;
      it('a test passes if it is repeated', () => { assert.equal(runs++, 1); });`);
    expect([status, lines.at(-1)]).to.deep.equal([1, '1 passed, 1 failed']);
    const end = lines.slice(lines.lastIndexOf(`FAILED ${join(folder, 'some.test.ts')}`)).join('\n');
    expect(end).to.include('a test passes if it is repeated:').and.include('+1');
  });

  it('make test counts tests that cannot be loaded as a failure, with the reason', () => {
    const { status, lines } = runOnly(`it('a test passes', () => {}`);
    expect([status, lines.at(-1)]).to.deep.equal([1, '0 passed, 1 failed']);
    expect(lines.slice(lines.findIndex((line) => line.startsWith('FAILED'))).join('\n')).to.include('some.test.ts');
  });
});

describe('shells that tests and scripts start', () => {
  it('no bash of a test or script reads start-up files, also where SHLVL is unset and standard input is a socket', () => {
    // Node gives children a socket as standard input. A bash without SHLVL then takes itself for a remote shell.
    const files = globSync('{src,scripts,test,packages/*/source}/**/*.ts', { cwd: checkout });
    const shells = files.flatMap((file) => {
      const text = readFileSync(join(checkout, file), 'utf8');
      return [...text.matchAll(/'bash',\s*\[\s*('[^']*')/g)].map(([, first]) => `${file}: ${first}`);
    });
    expect(shells).to.have.length.above(5);
    // With -n, bash reads its script from standard input and executes nothing.
    expect(shells.filter((shell) => !/: '(--norc|-n)'$/.test(shell))).to.deep.equal([]);
  });
});
