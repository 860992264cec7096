/**
 * Compares `openapi.yaml` with the last released contract in `contract/released`. Fails for a breaking change, and for another
 * change that `CHANGELOG.md` does not name under "Unreleased".
 */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Change, changesOf } from './contract/changes.ts';

const root = new URL('../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');

/** Returns a sentence for each change that may not be released like this, with the next step. */
export function complaints(changes: readonly Change[], changelog: string): string[] {
  const unreleased = changelog.split(/^## /m).find((section) => section.startsWith('Unreleased')) ?? '';
  return changes.flatMap(({ isBreaking, pointer, fact, name }) => {
    if (isBreaking) {
      return [`Breaking: at ${pointer}, ${fact}. Undo the change, or make it in a new version of the API.`];
    }
    if (name === null || unreleased.includes(`\`${name}\``)) return [];
    return [`Not in the changelog: at ${pointer}, ${fact}. Name \`${name}\` in CHANGELOG.md under "Unreleased".`];
  });
}

/** Returns the file of the last released contract. Versions are compared by their numbers. */
export function lastReleased(files: readonly string[]): string {
  const [last] = files
    .filter((file) => /^\d+\.\d+\.\d+\.yaml$/.test(file))
    .sort((left, right) => right.localeCompare(left, 'en', { numeric: true }));
  if (last === undefined) throw new Error('contract/released has no file such as 1.0.0.yaml');
  return last;
}

async function main(): Promise<void> {
  const released = lastReleased(readdirSync(new URL('contract/released', root)));
  const changes = await changesOf(read(`contract/released/${released}`), read('generated/openapi.yaml'));
  const found = complaints(changes, read('CHANGELOG.md'));
  for (const complaint of found) console.error(complaint);
  if (found.length > 0) process.exitCode = 1;
  else console.log(`openapi.yaml is compatible with ${released}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
