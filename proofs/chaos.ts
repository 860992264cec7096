import { rmSync } from 'node:fs';
import { chooseMutants, mutation } from './chaos/mutants.ts';
import { type RunReport, runChaos } from './chaos/run.ts';
import { numberOption } from './trial/options.ts';

/*
 * `make chaos`: kills processes and the database at random, seed by seed, and checks that nothing is lost.
 *
 * - SEEDS=10: number of seeds, from 1 on
 * - SEED=7: that seed alone
 * - SECONDS=20: duration of load and faults, per seed; the calm after it comes on top
 * - MUTANTS=1: runs with faults in the service instead, one mutant after the other. Each must be caught. With ONLY=lease,refund,
 *   only mutants whose name or file contains one of these
 */

/** Fifteen links a second: with ten endpoints each, nearly two hundred deliveries. */
const FULL = { linksPerSecond: 15, refundsPerSecond: 4, workers: 3, serves: 2, durable: true };

async function main(): Promise<void> {
  if (process.env.MUTANTS !== undefined) return runMutants();
  const seconds = numberOption('SECONDS', 20);
  const from = numberOption('SEED', 1);
  const seeds = process.env.SEED === undefined ? numberOption('SEEDS', 10) : 1;
  const reports: RunReport[] = [];
  for (let seed = from; seed < from + seeds; seed++) {
    console.log(`seed ${seed}`);
    const report = await runChaos({ ...FULL, seed, seconds, say: (text) => console.log(`  ${text}`) });
    reports.push(report);
    for (const text of report.violations.slice(0, 20)) console.log(`  VIOLATION ${text}`);
    if (report.violations.length > 0)
      console.log(`  ${report.violations.length} violations; logs in ${report.directory}`);
  }
  console.table(reports.map(rowOf));
  const bad = reports.filter(({ violations }) => violations.length > 0).map(({ seed }) => seed);
  if (bad.length === 0) return console.log('Nothing was lost, and no rule was broken.');
  console.log(bad.map((seed) => `Repeat with: make chaos SEED=${seed} SECONDS=${seconds}`).join('\n'));
  process.exitCode = 1;
}

/** Runs with each mutant. It names the rule that must notice it. */
async function runMutants(): Promise<void> {
  const seed = numberOption('SEED', 1);
  const seconds = numberOption('SECONDS', 12);
  let escaped = 0;
  const mutants = chooseMutants(process.env.ONLY);
  for (const mutant of mutants) {
    console.log(`mutant: ${mutant.name}`);
    const how = { ...FULL, ...mutation(mutant), seed, seconds, durable: false };
    const report = await runChaos({ ...how, say: () => undefined });
    const caught = report.violations.filter((text) => text.startsWith(mutant.violation));
    if (caught.length === 0) escaped += 1;
    console.log(caught.length > 0 ? `  caught ${caught.length} times, first: ${caught[0]}` : '  ESCAPED');
    for (const other of caught.length > 0 ? [] : report.violations.slice(0, 5)) console.log(`  though: ${other}`);
    rmSync(report.directory, { recursive: true, force: true });
  }
  console.log(`${mutants.length - escaped} of ${mutants.length} mutants were caught.`);
  if (escaped > 0) process.exitCode = 1;
}

function rowOf(report: RunReport) {
  const { seed, faults, refunds, links, events, statuses, interrupted, lost, doubled, drainedMs } = report;
  const counts = { ...faults, ...refunds, links, events, ...statuses, interrupted, lost, doubled };
  return { seed, ...counts, drainedMs, violations: report.violations.length };
}

await main();
