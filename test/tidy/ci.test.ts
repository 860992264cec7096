import { spawnSync } from 'node:child_process';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect } from 'chai';
import { useFolder } from '../harness/fixtures.ts';
import { checkout } from '../harness/processes.ts';

/** Output of a run in which a test failed, as mocha and make print it, with colors. */
const FAILED = `
  links
    1) a link expires

  \u001b[32m 12 passing\u001b[0m\u001b[90m (7m)\u001b[0m
  \u001b[31m 1 failing\u001b[0m

  1) links
       a link expires:
     AssertionError: expected 'active' to equal 'expired'

make: *** [Makefile:45: test-suite] Error 1
`;

const PASSED = '\n  13 passing (6m)\n\nEvery documented response was exercised.\n';

const SDKS = 'ok       one, 21 steps\nok       two, 21 steps\n';

describe('the run of CI', () => {
  const folder = useFolder('ci');

  /** Runs CI with a make that prints these outputs, and returns the lines of the output and the exit code. */
  function runCi(
    outputs: readonly (readonly [command: string, text: string, code: number, failedFiles?: readonly string[]])[],
  ) {
    const cases = outputs.map(([command, text, code, failedFiles = []], index) => {
      writeFileSync(join(folder, `${index}`), text);
      const listed = failedFiles.map((file) => `echo ${file} >> "$FAILED_TEST_FILES"; `).join('');
      return `  "${command}"*) ${listed}cat "${join(folder, `${index}`)}"; exit ${code} ;;`;
    });
    writeFileSync(join(folder, 'make'), `#!/bin/sh\ncase "$*" in\n  test-operations) ;;\n${cases.join('\n')}\nesac\n`, {
      mode: 0o755,
    });
    const { status, stdout } = spawnSync(join(checkout, '.ci/run'), {
      env: { ...process.env, PATH: `${folder}${delimiter}${process.env.PATH}` },
      encoding: 'utf8',
    });
    return { status, lines: stdout.trimEnd().split('\n') };
  }

  const PASSES = ['test', PASSED, 0] as const;
  const AGAIN_PASSES = ['test-suite', PASSED, 0] as const;
  const SDKS_PASS = ['sdk-test', SDKS, 0] as const;
  const alone = '--no-print-directory test-suite ONLY=test/links.test.ts';
  const links = ['test/links.test.ts'];

  it('the run of CI ends with the sum alone when everything passes', () => {
    const { status, lines } = runCi([AGAIN_PASSES, PASSES, SDKS_PASS]);
    expect([status, ...lines.slice(-2)]).to.deep.equal([0, 'ok       two, 21 steps', '28 passed, 0 failed']);
  });

  it('the run of CI repeats failing tests with their errors just above the sum, which is its last line', () => {
    const { status, lines } = runCi([AGAIN_PASSES, ['test', FAILED, 2], SDKS_PASS]);
    expect([status, lines.at(-1)]).to.deep.equal([1, '27 passed, 1 failed']);
    const end = lines.slice(lines.indexOf('make test:'));
    expect(end).to.include('       a link expires:');
    expect(end).to.include("     AssertionError: expected 'active' to equal 'expired'");
    expect(end).to.not.include('Every documented response was exercised.');
  });

  it('the run of CI counts a check that fails before the tests as a failure, and repeats its last lines', () => {
    const fault = 'src/processes/serve.ts(3,1): error TS2304: Cannot find name';
    const { status, lines } = runCi([AGAIN_PASSES, ['test', `${fault}\n`, 2], SDKS_PASS]);
    expect([status, lines.at(-1)]).to.deep.equal([1, '15 passed, 1 failed']);
    expect(lines.slice(lines.indexOf('make test:'))).to.include(fault);
  });

  it('a test that failed and passes alone on the same PostgreSQL is listed as unstable, and does not fail the run of CI', () => {
    const passesAlone = [`${alone} POSTGRES=15`, PASSED, 0] as const;
    const { status, lines } = runCi([passesAlone, ['test-suite', FAILED, 2, links], PASSES, SDKS_PASS]);
    expect([status, lines.at(-1)]).to.deep.equal([0, '28 passed, 0 failed']);
    const end = lines.slice(lines.indexOf('make test-suite POSTGRES=15 AGAIN=1:'));
    expect(end).to.include('       a link expires:');
    expect(end).to.include('Unstable, passed alone: test/links.test.ts');
  });

  it('a test that fails again alone, and more than three without a second run, fail the run of CI', () => {
    const again = runCi([[alone, FAILED, 2], AGAIN_PASSES, ['test', FAILED, 2, links], SDKS_PASS]);
    expect([again.status, again.lines.at(-1)]).to.deep.equal([1, '27 passed, 1 failed']);
    const files = [...links, 'test/a.test.ts', 'test/b.test.ts', 'test/c.test.ts'];
    const four = ['test', FAILED.replace('1 failing', '4 failing'), 2, files] as const;
    const many = runCi([['--no-print-directory', PASSED, 0], AGAIN_PASSES, four, SDKS_PASS]);
    expect([many.status, many.lines.at(-1)]).to.deep.equal([1, '27 passed, 4 failed']);
    expect(many.lines.join('\n')).to.not.include('Once more');
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
