/* Fails after a whole run if a documented response was exercised by no test. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ContractChecker } from './contract-checker.ts';

const [, , directory] = process.argv;
if (directory === undefined) throw new Error('usage: coverage.ts <folder that the test run wrote to>');
const checker = new ContractChecker();
for (const file of readdirSync(directory)) {
  checker.addExercised(JSON.parse(readFileSync(join(directory, file), 'utf8')));
}
const missing = checker.neverExercised();
for (const response of missing) console.error(`documented, but no test exercises it: ${response}`);
console.log(missing.length === 0 ? 'Every documented response was exercised.' : 'The contract is not covered.');
process.exitCode = missing.length === 0 ? 0 : 1;
