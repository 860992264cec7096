import { join } from 'node:path';
import { localFolder } from '../scripts/service.ts';
import { runUpgrade } from './upgrade/run.ts';
import { build, commitOf, lastRelease, nextMinor, numberOf } from './upgrade/version.ts';

/*
 * `make upgrade`: two APIs and two workers of a former version run under load. The present version, as it is committed, migrates the
 * database, starts beside them and takes over. Exit status 1 if a request failed, or if an event was lost.
 *
 * - FROM=<revision>: the former version; otherwise the last release
 */

const folder = join(localFolder, 'upgrade');

async function main(): Promise<void> {
  const revision = process.env.FROM || lastRelease();
  const [commit, present] = [revision && commitOf(revision), commitOf('HEAD')];
  if (!commit || !present) {
    const lacking = revision ?? 'the commit of the last release';
    return console.log(`skipped: this clone lacks ${lacking}. Run: git fetch --unshallow`);
  }
  console.log(`from ${revision} (${commit}) to ${present}; logs in ${folder}`);
  const [fromNumber, toNumber] = [numberOf(commit), numberOf(present)];
  const { violations, ...report } = await runUpgrade({
    from: build(commit, join(folder, 'from'), null),
    // Between two releases, all commits have the number of the older one. A release has one of its own.
    to: build(present, join(folder, 'to'), toNumber === fromNumber ? nextMinor(toNumber) : null),
    folder: join(folder, 'run'),
    say: (text) => console.log(`  ${text}`),
  });
  for (const text of violations.slice(0, 20)) console.log(`  VIOLATION ${text}`);
  console.table([{ ...report, violations: violations.length }]);
  if (violations.length > 0) process.exitCode = 1;
  else console.log('No request failed, no event was lost, and the stored data agree.');
}

await main();
process.exit();
