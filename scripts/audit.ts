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
const vulnerabilities = read<Partial<Report>>(stdout)?.vulnerabilities;
if (vulnerabilities === undefined) {
  const reason = /^npm (?:error|warn) (?:audit )?(.*)$/m.exec(stderr.replace(/^npm warn Unknown .*$/gm, ''))?.[1];
  process.stdout.write(
    `No answer: the registry did not say whether the packages have known vulnerabilities (${reason}).\n`,
  );
  process.stdout.write('Nothing was checked. Run it again where the registry answers audits.\n');
} else {
  const vulnerable = Object.values(vulnerabilities);
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
  const [major = ''] = version.split('.');
  const view = spawnSync('npm', ['view', `${name}@^${major}`, 'version', '--json'], {
    cwd: checkout,
    encoding: 'utf8',
  });
  const versions = [read<string | string[] | object>(view.stdout)].flat().filter((one) => typeof one === 'string');
  if (versions.length === 0) return 'the registry did not say which release of Node is the newest of its line.';
  const newest = versions.toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true })).at(-1);
  return newest === version
    ? `the newest release of Node ${major} in the registry.`
    : `Node ${newest} is newer. Look for fixed vulnerabilities in its changelog, and update the package.`;
}

/** Returns the JSON that npm printed; null if it printed none. */
function read<T>(text: string): T | null {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
