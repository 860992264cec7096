import { join } from 'node:path';
import { localFolder } from './service.ts';
import { numberOption } from './trial/options.ts';
import { runUpgrade, type UpgradeReport } from './upgrade/run.ts';
import { build, commitOf, lastRelease, nextMinor, numberOf } from './upgrade/version.ts';

/*
 * `make upgrade`: two APIs and two workers of a former version run under load. The present version migrates the database,
 * starts beside them and takes over. A former version 1.x is stopped before. Exit status 1 if a request failed, or if an event was lost.
 *
 * - FROM=<revision>: the former version; otherwise the last release. A comma separates several
 * - TO=HEAD: the version that takes over, as it is committed
 * - LINKS=10: links per second
 * - HISTORY=20000: links in the database before
 */

const folder = join(localFolder, 'upgrade');

async function main(): Promise<void> {
  const to = process.env.TO || 'HEAD';
  const toCommit = commitOf(to);
  const named = (process.env.FROM ?? '').split(',').filter((revision) => revision !== '');
  const revisions = named.length > 0 ? named : [lastRelease()];
  if (toCommit === null) return console.log(`skipped: this clone lacks ${to}`);
  const reports: UpgradeReport[] = [];
  for (const revision of revisions) {
    const commit = revision === null ? null : commitOf(revision);
    if (commit === null) {
      console.log(
        `skipped: this clone lacks ${revision ?? 'the commit of the last release'}. Run: git fetch --unshallow`,
      );
      continue;
    }
    console.log(`from ${revision} (${commit}) to ${to} (${toCommit}); logs in ${folder}`);
    const [fromNumber, toNumber] = [numberOf(commit), numberOf(toCommit)];
    const report = await runUpgrade({
      from: build(commit, join(folder, 'from'), null),
      // Between two releases, all commits have the number of the older one. A release has one of its own.
      to: build(toCommit, join(folder, 'to'), toNumber === fromNumber ? nextMinor(toNumber) : null),
      folder: join(folder, 'run'),
      linksPerSecond: numberOption('LINKS', 10),
      history: numberOption('HISTORY', 20_000, 0),
      withStop: fromNumber.startsWith('1.'),
      say: (text) => console.log(`  ${text}`),
    });
    reports.push(report);
    for (const text of report.violations.slice(0, 20)) console.log(`  VIOLATION ${text}`);
  }
  if (reports.length === 0) return;
  console.table(reports.map(({ violations, ...row }) => ({ ...row, violations: violations.length })));
  if (reports.every(({ violations }) => violations.length === 0)) {
    return console.log('No request failed, no event was lost, and the stored data agree.');
  }
  process.exitCode = 1;
}

await main();
process.exit();
