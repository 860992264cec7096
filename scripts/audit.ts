import { spawnSync } from 'node:child_process';
import { productionPackages } from './release/lockfile.ts';
import { checkout } from './service.ts';

/** The part of npm's report that is printed. */
interface Report {
  vulnerabilities: Record<
    string,
    { name: string; severity: string; range: string; via: (string | { title: string; url: string })[] }
  >;
}

/**
 * `make audit`: asks the registry for known vulnerabilities of all packages in package-lock.json. Ends with status 1 if
 * there are any. A registry that gives no answer, or knows no audits, is no fault: that is said, with status 0. Audits know
 * nothing of Node itself, so it also says which release of the pinned line is the newest one in the registry.
 */
const { stdout, stderr, error } = spawnSync('npm', ['audit', '--json', '--package-lock-only'], {
  cwd: checkout,
  encoding: 'utf8',
  maxBuffer: 64 * 1024 * 1024,
});
if (error !== undefined) throw error;
const report = readReport(stdout);
if (report === null) {
  const reason = /^npm (?:error|warn) (?:audit )?(.*)$/m.exec(stderr.replace(/^npm warn Unknown .*$/gm, ''))?.[1];
  process.stdout.write(
    `No answer: the registry did not say whether the packages have known vulnerabilities (${reason}).\n`,
  );
  process.stdout.write('Nothing was checked. Run it again where the registry answers audits.\n');
} else {
  const vulnerable = Object.values(report.vulnerabilities);
  for (const { name, severity, range, via } of vulnerable) {
    const reasons = via.map((cause) => (typeof cause === 'string' ? `by ${cause}` : `${cause.title} ${cause.url}`));
    process.stdout.write(`${severity}: ${name} ${range}: ${reasons.join('; ')}\n`);
  }
  process.stdout.write(`The registry knows of ${vulnerable.length} vulnerable packages.\n`);
  if (vulnerable.length > 0) process.exitCode = 1;
}

for (const { name, version } of productionPackages().filter((one) => /^node-linux-/.test(one.name))) {
  process.stdout.write(`${name} ${version}: ${newestOfLine(name, version)}\n`);
}

/** Says which release of the same major version is the newest one that the registry has. */
function newestOfLine(name: string, version: string): string {
  const view = spawnSync('npm', ['view', name, 'versions', '--json'], { cwd: checkout, encoding: 'utf8' });
  const versions = readVersions(view.stdout);
  if (versions === null) return 'the registry did not say which release of Node is the newest of its line.';
  const [major = ''] = version.split('.');
  const numbers = (one: string) => one.split('.').map(Number);
  const line = versions.filter((one) => one.startsWith(`${major}.`) && /^[\d.]+$/.test(one)).map(numbers);
  const newest = line
    .toSorted((a, b) => (a[1] ?? 0) - (b[1] ?? 0) || (a[2] ?? 0) - (b[2] ?? 0))
    .at(-1)
    ?.join('.');
  return newest === version || newest === undefined
    ? `the newest release of Node ${major} in the registry.`
    : `Node ${newest} is newer. Look for fixed vulnerabilities in its changelog, and update the package.`;
}

/** Null unless npm printed a list of versions. */
function readVersions(text: string): string[] | null {
  try {
    const answer: unknown = JSON.parse(text);
    return Array.isArray(answer) ? answer.map(String) : null;
  } catch {
    return null;
  }
}

/** Null unless npm printed the registry's answer. */
function readReport(text: string): Report | null {
  try {
    const answer: Partial<Report> = JSON.parse(text);
    return answer.vulnerabilities === undefined ? null : (answer as Report);
  } catch {
    return null;
  }
}
