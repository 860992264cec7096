import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installedBinaries, POSTGRES_MAJORS, type PostgresMajor } from 'development-postgres/binaries';
import { type FilesPart, listTestFiles } from './longest-first.ts';
import type { Outcome } from './reporter.ts';

/*
 * `make test`: all that CI checks. The checks come first, then the tests on the PostgreSQL of POSTGRES. The tests that depend on its
 * version run once more on the oldest one that is supported. SDKs in TypeScript and Python are made beside the tests of
 * operations, because both mostly wait. Failures are repeated at the end. Then comes what was left out, because something is
 * missing on this machine. The last line is "N passed, N failed", the sum of all.
 *
 * ONLY=<folder of test/, or a file> runs these tests alone. PART=<name> runs one part alone.
 */

const [OLDEST] = POSTGRES_MAJORS;

/** SDKs for which CI has the tools. */
const SDKS = ['hey-api', 'openapi-fetch', 'openapi-python-client'];

/** The part of the contract that the test processes saw. */
const COVERAGE = '.local/contract-coverage';

/** Number of lines that the end repeats of a command that failed. */
const SHOWN_LINES = 40;

const folder = mkdtempSync(join(tmpdir(), 'paylinks-outcomes-'));
const total: Outcome = { passed: 0, failures: [], leftOut: [] };

const PARTS = {
  checks: () => runCommand('make', ['--no-print-directory', 'check']),
  suite: async () => {
    rmSync(COVERAGE, { recursive: true, force: true });
    mkdirSync(COVERAGE, { recursive: true });
    // Six processes on two cores, because many tests wait for deadlines and for other processes.
    await runFiles('suite', 6, { CONTRACT_COVERAGE: COVERAGE });
    await runCommand('node', ['test/contract-checker/coverage.ts', COVERAGE]);
  },
  operations: () => runFiles('operations', 4),
  sdks: makeSdks,
  again: async () => {
    if (process.env.POSTGRES === `${OLDEST}`) return;
    if (isInstalled(OLDEST)) await runFiles('again', 6, { POSTGRES: `${OLDEST}` });
    else
      total.leftOut.push(
        `the tests that depend on the version once more, because PostgreSQL ${OLDEST} is not installed`,
      );
  },
};

async function main({ ONLY: only, PART: part }: NodeJS.ProcessEnv): Promise<void> {
  if (only) {
    const directory = [only, join('test', only)].find((path) =>
      statSync(path, { throwIfNoEntry: false })?.isDirectory(),
    );
    return runMocha([directory === undefined ? only : `${directory}/**/*.test.ts`]);
  }
  if (part) {
    const run = Object.entries(PARTS).find(([name]) => name === part)?.[1];
    if (run === undefined) throw new Error(`PART is "${part}"; it must be one of ${Object.keys(PARTS).join(', ')}.`);
    return run();
  }
  await PARTS.checks();
  await PARTS.suite();
  await Promise.all([PARTS.operations(), PARTS.sdks()]);
  await PARTS.again();
}

function runFiles(part: FilesPart, jobs: number, env: NodeJS.ProcessEnv = {}): Promise<void> {
  const cache = join(process.cwd(), '.local/compile-cache');
  return runMocha(['--parallel', '--jobs', `${jobs}`, ...listTestFiles(part)], { NODE_COMPILE_CACHE: cache, ...env });
}

/** Runs mocha, and adds its outcome. */
async function runMocha(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<void> {
  const outcomeFile = join(mkdtempSync(join(folder, 'run-')), 'outcome.json');
  const color = process.stdout.isTTY ? ['--color'] : [];
  const run = await execute('mocha', ['--reporter', 'test/reporter.ts', ...color, ...args], {
    env: { ...env, TEST_OUTCOME: outcomeFile },
  });
  if (!existsSync(outcomeFile)) return addFailure('mocha', run.output);
  const outcome: Outcome = JSON.parse(readFileSync(outcomeFile, 'utf8'));
  total.passed += outcome.passed;
  total.failures.push(...outcome.failures);
  total.leftOut.push(...outcome.leftOut);
  if (run.code !== 0 && outcome.failures.length === 0) addFailure('mocha', run.output);
}

/** Runs a command that counts as a failure when it fails, and else not at all. */
async function runCommand(command: string, args: readonly string[]): Promise<void> {
  const { code, output } = await execute(command, args);
  if (code !== 0) addFailure([command, ...args].join(' '), output);
}

function isInstalled(major: PostgresMajor): boolean {
  try {
    installedBinaries(major);
    return true;
  } catch {
    return false;
  }
}

/** Makes and tries the SDKs. Shows the output at the end, because other tests run beside it. */
async function makeSdks(): Promise<void> {
  const { code, output } = await execute('node', ['proofs/sdk-test.ts', ...SDKS], { isShown: false });
  process.stdout.write(output);
  total.passed += output.match(/^ok /gm)?.length ?? 0;
  for (const [, reason = ''] of output.matchAll(/^skipped +(.*)$/gm)) total.leftOut.push(`SDK ${reason}`);
  if (code !== 0) addFailure('make sdk-test', output);
}

function addFailure(name: string, output: string): void {
  total.failures.push(`${name}\n${output.trimEnd().split('\n').slice(-SHOWN_LINES).join('\n')}`);
}

function execute(
  command: string,
  args: readonly string[],
  { env = {}, isShown = true }: { env?: NodeJS.ProcessEnv; isShown?: boolean } = {},
): Promise<{ code: number; output: string }> {
  const child = spawn(command, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (isShown) process.stdout.write(text);
    });
  }
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code: code ?? 1, output }));
  });
}

try {
  await main(process.env);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
for (const failure of total.failures) console.log(`\nFAILED ${failure}`);
if (total.leftOut.length > 0) console.log('\nLeft out on this machine:');
for (const [reason, tests] of Map.groupBy(total.leftOut, (reason) => reason)) {
  console.log(`  ${reason}${tests.length > 1 ? ` (${tests.length} tests)` : ''}`);
}
console.log(`${total.passed} passed, ${total.failures.length} failed`);
process.exitCode = total.failures.length === 0 ? 0 : 1;
