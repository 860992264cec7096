import { join } from 'node:path';
import { localFolder } from '../scripts/service.ts';
import { findPrograms, judgePatroni } from '../test/harness/programs.ts';
import { isFree } from '../test/harness/service-process.ts';
import { Cluster } from './failover/cluster.ts';
import { ADDRESSES } from './failover/configuration.ts';
import { type RoundReport, runRound } from './failover/run.ts';
import { SCENARIOS } from './failover/scenarios.ts';
import { chosen, numberOption } from './trial/options.ts';

/*
 * `make failover`: three PostgreSQL nodes under Patroni, HAProxy in front, the service unmodified. Each scenario takes nodes away
 * under load, and checks that nothing is lost. Exit status 1 if a rule was broken.
 *
 * - ROUNDS=10: number of rounds; each has every scenario once
 * - ONLY=kill,freeze: only these scenarios
 * - SECONDS=60: duration of the load in each
 */

const folder = join(localFolder, 'failover');

/** Links per second. Each has three deliveries. */
const LINKS_PER_SECOND = 5;

async function main(): Promise<void> {
  const [rounds, seconds] = [numberOption('ROUNDS', 1), numberOption('SECONDS', 60)];
  const scenarios = chosen(SCENARIOS);
  const found = findPrograms();
  if ('missingPackages' in found) {
    const packages = found.missingPackages.join(' ');
    console.log(`skipped: programs are missing. Install Debian's packages: apt-get install ${packages}`);
    return;
  }
  const patroni = judgePatroni(found.programs.patroni);
  if (patroni.refusal !== null) {
    console.error(patroni.refusal);
    process.exitCode = 1;
    return;
  }
  // Another run would lose its data.
  if (!(await isFree(5000, ADDRESSES.database))) {
    console.error(`${ADDRESSES.database}:5000 is in use. Let the other run of this command end, and start again.`);
    process.exitCode = 1;
    return;
  }
  const cluster = new Cluster(folder, found.programs);
  const reports: RoundReport[] = [];
  const common = { cluster, folder, linksPerSecond: LINKS_PER_SECOND, say: (text: string) => console.log(`  ${text}`) };
  const show = (report: RoundReport) => {
    reports.push(report);
    for (const text of report.violations.slice(0, 20)) common.say(`VIOLATION ${text}`);
    console.table([rowOf(report)]);
  };
  try {
    console.log(
      `starting three nodes; Patroni ${patroni.version}, PostgreSQL from ${found.programs.postgresFolder}, logs in ${folder}`,
    );
    await cluster.start();
    for (let round = 1; round <= rounds; round++) {
      for (const scenario of scenarios) {
        console.log(`round ${round} of ${rounds}: ${scenario.title}`);
        show(await runRound({ ...common, scenario, round, seconds }));
      }
    }
  } finally {
    cluster.stop();
    if (reports.length > 1) console.table(reports.map(rowOf));
  }
  const bad = reports.filter(({ violations }) => violations.length > 0).length;
  if (bad === 0) return console.log('Nothing was lost, and no rule was broken.');
  console.log(`${bad} of ${reports.length} runs broke a rule; the logs lie in ${folder}`);
  process.exitCode = 1;
}

function rowOf({ violations, ...report }: RoundReport) {
  return { ...report, violations: violations.length };
}

await main();
process.exit();
