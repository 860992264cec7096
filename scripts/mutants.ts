import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { styleText } from 'node:util';
import { atProcessEnd } from '../src/embedded/process-end.ts';
import { startEmbeddedPostgres } from '../src/embedded/server.ts';
import { chooseMutants, MUTANTS, type Mutant } from './mutants/list.ts';
import { checkout, mutation, occurrences } from './mutants/mutation.ts';

/*
 * `make mutants`: puts one small fault after the other into the service, and expects a test to fail each time.
 *
 *   ONLY=fee,src/pages   the mutants whose name or file contains one of these
 *
 * The checkout stays as it is: the fault is put in while the file is loaded. Without a fault all these tests must pass,
 * so that is tried first. Exits 1 if a mutant survived, no longer fits its file, or ended its run otherwise.
 */

/** Longer than any of the test files takes; a mutant may make its test wait for ever. */
const RUN_LIMIT_MS = 180_000;

type Verdict = 'caught' | 'SURVIVED' | 'DOES NOT FIT' | 'BROKE THE RUN' | 'TOOK TOO LONG';

/** The parts of mocha's JSON report that are read here. */
interface MochaReport {
  stats: { passes: number };
  failures: { fullTitle: string; title: string; err: { message?: string } }[];
}

interface Result {
  verdict: Verdict;
  /** The test that failed, or what else happened. */
  detail: string;
  seconds: number;
}

async function main(): Promise<void> {
  const mutants = chooseMutants(MUTANTS, process.env.ONLY);
  const directory = mkdtempSync('/tmp/paylinks-mutants-');
  const server = await startEmbeddedPostgres({ directory: join(directory, 'postgres'), durable: false });
  const forget = atProcessEnd(() => rmSync(directory, { recursive: true, force: true }));
  try {
    await requirePassing(mutants, directory);
    const results: [Mutant, Result][] = [];
    for (const [index, mutant] of mutants.entries()) {
      const result = await runMutant(mutant, directory);
      results.push([mutant, result]);
      const verdict = styleText(result.verdict === 'caught' ? 'green' : 'red', result.verdict);
      console.log(`${index + 1}/${mutants.length} ${verdict} in ${result.seconds.toFixed(0)} s: ${mutant.name}`);
      console.log(`    ${mutant.file}, ${mutant.test}: ${result.detail}`);
    }
    report(results);
  } finally {
    await server.stop();
    forget();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Runs the tests of all mutants without a fault. @throws Error when one fails, for it would "catch" any mutant */
async function requirePassing(mutants: readonly Mutant[], directory: string): Promise<void> {
  console.log('Without a fault:');
  for (const [test, ofFile] of Map.groupBy(mutants, (mutant) => mutant.test)) {
    const startedMs = performance.now();
    const titles = ofFile.map(({ title }) => title);
    const pattern = titles.every((title) => title !== undefined) ? titles.map(RegExp.escape).join('|') : '';
    const { code, report } = await runMocha(directory, [test, '--grep', pattern], {});
    if (code !== 0 || report === null || report.stats.passes === 0) {
      const failed = report?.failures.map(({ fullTitle }) => fullTitle).join('; ') ?? 'mocha did not end in order';
      throw new Error(`${test} must pass without a fault, but: ${failed || 'no test has such a title'}`);
    }
    const seconds = (performance.now() - startedMs) / 1000;
    console.log(`  ${test}: ${report.stats.passes} pass in ${seconds.toFixed(0)} s`);
  }
  console.log('With a fault:');
}

async function runMutant(mutant: Mutant, directory: string): Promise<Result> {
  const startedMs = performance.now();
  const result = (verdict: Verdict, detail: string): Result => {
    return { verdict, detail, seconds: (performance.now() - startedMs) / 1000 };
  };
  const found = occurrences(mutant);
  if (found !== 1) return result('DOES NOT FIT', `the text to replace stands in the file ${found} times`);
  const { nodeArguments, env } = mutation(mutant);
  const title = mutant.title === undefined ? [] : ['--fgrep', mutant.title];
  // Tests start processes of their own, which are mutants then as well.
  const options = { ...env, NODE_OPTIONS: nodeArguments.join(' ') };
  const { code, report, output } = await runMocha(directory, [mutant.test, '--bail', ...title], options);
  if (code === null) return result('TOOK TOO LONG', `no end within ${RUN_LIMIT_MS / 1000} s`);
  if (report === null) return result('BROKE THE RUN', output.trim().split('\n').slice(-3).join(' | '));
  // A hook that fails shows a mutant that cannot run at all, which is no fault that anybody would miss.
  const failure = report.failures.find((failed) => !failed.title.startsWith('"before'));
  if (failure !== undefined) return result('caught', failure.fullTitle);
  const [hook] = report.failures;
  if (hook !== undefined) return result('BROKE THE RUN', `${hook.title}: ${hook.err.message}`);
  return result('SURVIVED', `${report.stats.passes} tests pass all the same`);
}

/** Runs mocha on files of the checkout, in a process group of its own. `code` is null when it was ended for its time. */
async function runMocha(directory: string, parameters: string[], env: NodeJS.ProcessEnv) {
  const reportFile = join(directory, 'report.json');
  rmSync(reportFile, { force: true });
  const reporter = ['--reporter', 'json', '--reporter-option', `output=${reportFile}`];
  const child = spawn(
    process.execPath,
    [join(checkout, 'node_modules/mocha/bin/mocha.js'), '--exit', ...reporter, ...parameters],
    {
      cwd: checkout,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, TEST_POSTGRES: join(directory, 'postgres'), ...env },
    },
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk;
    });
  }
  const { promise: ended, resolve, reject } = Promise.withResolvers<number | null>();
  child.once('error', reject);
  child.once('close', resolve);
  const kill = () => {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  };
  const timer = setTimeout(kill, RUN_LIMIT_MS);
  const forget = atProcessEnd(kill);
  const code = await ended;
  clearTimeout(timer);
  forget();
  return { code, report: readReport(reportFile), output };
}

/** Null when mocha could not even load the tests. */
function readReport(file: string): MochaReport | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return null;
  }
}

function report(results: readonly [Mutant, Result][]): void {
  console.table(
    results.map(([{ name, file }, { verdict, seconds }]) => {
      return { mutant: name, file, verdict, seconds: Math.round(seconds) };
    }),
  );
  const caught = results.filter(([, { verdict }]) => verdict === 'caught').length;
  console.log(`${caught} of ${results.length} mutants were caught.`);
  if (caught < results.length) process.exitCode = 1;
}

await main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
