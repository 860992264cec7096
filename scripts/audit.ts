import { spawnSync } from 'node:child_process';
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
 * there are any. A registry that gives no answer, or knows no audits, is no finding: that is said, with status 0.
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
  const findings = Object.values(report.vulnerabilities);
  for (const { name, severity, range, via } of findings) {
    const reasons = via.map((cause) => (typeof cause === 'string' ? `by ${cause}` : `${cause.title} ${cause.url}`));
    process.stdout.write(`${severity}: ${name} ${range}: ${reasons.join('; ')}\n`);
  }
  process.stdout.write(`The registry knows of ${findings.length} vulnerable packages.\n`);
  if (findings.length > 0) process.exitCode = 1;
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
