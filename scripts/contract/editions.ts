import { readdirSync, readFileSync } from 'node:fs';
import { releasesIn } from '../../src/documentation/content/changelog.ts';
import { type Change, changesOf } from './changes.ts';

const folder = new URL('../../contract/released/', import.meta.url);

/** Returns the versions of the released contracts, the oldest first. Versions are compared by their numbers. */
export function releasedVersions(files: readonly string[]): string[] {
  const versions = files.filter((file) => /^\d+\.\d+\.\d+\.yaml$/.test(file)).map((file) => file.replace('.yaml', ''));
  if (versions.length === 0) throw new Error('contract/released has no file such as 1.0.0.yaml');
  return versions.sort((left, right) => left.localeCompare(right, 'en', { numeric: true }));
}

/** Returns the changes of the present contract since the last released one. */
export async function changesSinceRelease(present: string): Promise<Change[]> {
  const version = releasedVersions(readdirSync(folder)).at(-1);
  const released = readFileSync(new URL(`${version}.yaml`, folder), 'utf8');
  return released === present ? [] : changesOf(released, present);
}

/** Returns a sentence for each change that may not be released like this, with the next step. */
export function complaints(changes: readonly Change[], changelog: string): string[] {
  const unreleased = releasesIn(changelog).find(({ version }) => version === null)?.api ?? '';
  return changes.flatMap(({ isBreaking, pointer, fact, name }) => {
    if (isBreaking) {
      return [`Breaking: at ${pointer}, ${fact}. Undo the change, or make it in a new version of the API.`];
    }
    if (name === null || unreleased.includes(`\`${name}\``)) return [];
    return [
      `Not in the changelog: at ${pointer}, ${fact}. Name \`${name}\` in CHANGELOG.md under "Unreleased", in a section "API".`,
    ];
  });
}
