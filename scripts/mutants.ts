import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { styleText } from 'node:util';
import { startEmbeddedPostgres } from 'development-postgres';
import { atProcessEnd } from 'development-postgres/process-end';
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

async function main(): Promise<void> {
  const mutants = chooseMutants(MUTANTS, process.env.ONLY);
  const directory = mkdtempSync('/tmp/paylinks-mutants-');
  const server = await startEmbeddedPostgres({ directory: join(directory, 'postgres'), isDurable: false });
  const forget = atProcessEnd(() => rmSync(directory, { recursive: true, force: true }));
  try {
    requirePassing(mutants, directory);
    let caught = 0;
    for (const [index, mutant] of mutants.entries()) {
      const since = secondsSince(performance.now());
      const [verdict, detail] = judge(mutant, directory);
      const shown = styleText(verdict === 'caught' ? 'green' : 'red', verdict);
      console.log(`${index + 1}/${mutants.length} ${shown} in ${since()} s: ${mutant.name}`);
      console.log(`    ${mutant.file}, ${mutant.test}: ${detail}`);
      if (verdict === 'caught') caught += 1;
    }
    console.log(`${caught} of ${mutants.length} mutants were caught.`);
    if (caught < mutants.length) process.exitCode = 1;
  } finally {
    await server.stop();
    forget();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Runs the tests of all mutants without a fault. @throws Error when one fails, for it would "catch" any mutant */
function requirePassing(mutants: readonly Mutant[], directory: string): void {
  console.log('Without a fault:');
  for (const [test, ofFile] of Map.groupBy(mutants, (mutant) => mutant.test)) {
    const since = secondsSince(performance.now());
    const titles = ofFile.map(({ title }) => title);
    const pattern = titles.every((title) => title !== undefined) ? titles.map(RegExp.escape).join('|') : '';
    const { code, report } = runMocha(directory, [test, '--grep', pattern]);
    if (code !== 0 || report === null || report.stats.passes === 0) {
      const failed = report?.failures.map(({ fullTitle }) => fullTitle).join('; ') ?? 'mocha did not end in order';
      throw new Error(`${test} must pass without a fault, but: ${failed || 'no test has such a title'}`);
    }
    console.log(`  ${test}: ${report.stats.passes} pass in ${since()} s`);
  }
  console.log('With a fault:');
}

function judge(mutant: Mutant, directory: string): [verdict: Verdict, detail: string] {
  const found = occurrences(mutant);
  if (found !== 1) return ['DOES NOT FIT', `the text to replace stands in the file ${found} times`];
  const { nodeArguments, env } = mutation(mutant);
  const title = mutant.title === undefined ? [] : ['--fgrep', mutant.title];
  // Tests start processes of their own, which are mutants then as well.
  const options = { ...env, NODE_OPTIONS: nodeArguments.join(' ') };
  const { code, report, output } = runMocha(directory, [mutant.test, '--bail', ...title], options);
  if (code === null) return ['TOOK TOO LONG', `no end within ${RUN_LIMIT_MS / 1000} s`];
  if (report === null) return ['BROKE THE RUN', output.trim().split('\n').slice(-3).join(' | ')];
  // A hook that fails shows a mutant that cannot run at all, which is no fault that anybody would miss.
  const failure = report.failures.find((failed) => !failed.title.startsWith('"before'));
  if (failure !== undefined) return ['caught', failure.fullTitle];
  const [hook] = report.failures;
  if (hook !== undefined) return ['BROKE THE RUN', `${hook.title}: ${hook.err.message}`];
  return ['SURVIVED', `${report.stats.passes} tests pass all the same`];
}

/** Runs mocha on files of the checkout. `code` is null when it was ended for its time. */
function runMocha(directory: string, parameters: string[], env: NodeJS.ProcessEnv = {}) {
  const reportFile = join(directory, 'report.json');
  rmSync(reportFile, { force: true });
  const reporter = ['--reporter', 'json', '--reporter-option', `output=${reportFile}`];
  const { status, output } = spawnSync(
    process.execPath,
    [join(checkout, 'node_modules/mocha/bin/mocha.js'), '--exit', ...reporter, ...parameters],
    {
      ...{ cwd: checkout, encoding: 'utf8', timeout: RUN_LIMIT_MS, killSignal: 'SIGKILL' },
      env: { ...process.env, TEST_POSTGRES: join(directory, 'postgres'), ...env },
    },
  );
  // Mocha writes no report when it cannot load the tests.
  const report: MochaReport | null = existsSync(reportFile) ? JSON.parse(readFileSync(reportFile, 'utf8')) : null;
  return { code: status, report, output: output.join('') };
}

function secondsSince(startedMs: number): () => string {
  return () => ((performance.now() - startedMs) / 1000).toFixed(0);
}

await main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
