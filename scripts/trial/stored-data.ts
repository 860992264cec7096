import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { ReportedViolation } from '../../src/base/invariant.ts';

const present = fileURLToPath(new URL('../../src/cli/main.js', import.meta.url));

/**
 * Runs `paylinks check` on a database, as an operator does after a failure. Returns the violations.
 *
 * @param program the command of another version of the service
 */
export function checkStoredData(databaseUrl: string, program = present): string[] {
  const env = { ...process.env, DATABASE_URL: databaseUrl, PROCESSOR: 'sandbox' };
  const { stdout, stderr } = spawnSync(process.execPath, [program, 'check', '--json'], { env, encoding: 'utf8' });
  if (stdout === '') return [`the check itself failed: ${stderr}`];
  // The command prints one JSON document of this form.
  const { data } = JSON.parse(stdout) as { data: ReportedViolation[] };
  return data.map(({ invariant, problem }) => `${invariant}: ${problem}`);
}
