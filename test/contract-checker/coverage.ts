import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ContractChecker } from './contract-checker.ts';

/** Documented responses that no test can bring about, each with its reason. */
const NOT_EXERCISED: ReadonlyMap<string, string> = new Map();

/** Faults of a whole run: documented responses that no test exercised, and exceptions that are none any more. */
export function coverageFaults(directory: string): string[] {
  const checker = new ContractChecker();
  for (const file of readdirSync(directory)) {
    checker.addExercised(JSON.parse(readFileSync(join(directory, file), 'utf8')));
  }
  const missing = checker.neverExercised();
  return [
    ...missing
      .filter((response) => !NOT_EXERCISED.has(response))
      .map((response) => `documented, but no test exercises it: ${response}`),
    ...[...NOT_EXERCISED.keys()]
      .filter((response) => !missing.includes(response))
      .map((response) => `exercised, so no longer an exception: ${response}`),
  ];
}

if (import.meta.main) {
  const [, , directory] = process.argv;
  if (directory === undefined) throw new Error('usage: coverage.ts <folder that the test run wrote to>');
  const faults = coverageFaults(directory);
  for (const fault of faults) console.error(fault);
  console.log(faults.length === 0 ? 'Every documented response was exercised.' : 'The contract is not covered.');
  process.exitCode = faults.length === 0 ? 0 : 1;
}
