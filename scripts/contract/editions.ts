import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { type Json, valueAt } from '../../src/contract/json-pointer.ts';
import { type Difference, type Edition, releasesIn } from '../../src/documentation/content/changelog.ts';
import { type Change, changesOf } from './changes.ts';

const folder = new URL('../../contract/released/', import.meta.url);

/** An edition of the contract with its differences from the edition before. */
interface Compared extends Pick<Edition, 'version' | 'since'> {
  text: string;
  changes: Change[];
}

/** Returns the versions of the released contracts, the oldest first. Versions are compared by their numbers. */
export function releasedVersions(files: readonly string[]): string[] {
  const versions = files.filter((file) => /^\d+\.\d+\.\d+\.yaml$/.test(file)).map((file) => file.replace('.yaml', ''));
  if (versions.length === 0) throw new Error('contract/released has no file such as 1.0.0.yaml');
  return versions.sort((left, right) => left.localeCompare(right, 'en', { numeric: true }));
}

/** Compares each released contract with the one before, and the present one with the last. The newest comes first. */
export async function compareEditions(present: string): Promise<Compared[]> {
  const released = releasedVersions(readdirSync(folder)).map((version) => ({
    version,
    text: readFileSync(new URL(`${version}.yaml`, folder), 'utf8'),
  }));
  const isReleased = released.at(-1)?.text === present;
  const all = [...released, ...(isReleased ? [] : [{ version: null, text: present }])];
  const compared = all.map(async ({ version, text }, index) => {
    const before = all[index - 1];
    const changes = before === undefined ? [] : await changesOf(before.text, text);
    return { version, since: before?.version ?? null, text, changes };
  });
  return (await Promise.all(compared)).reverse();
}

export function editionsFrom(compared: readonly Compared[]): Edition[] {
  return compared.map(({ version, since, text, changes }) => {
    const document: Json = parse(text);
    const revision = `${valueAt(document, '#/info/x-revision')}`;
    const shown = changes.filter(({ name, pointer, fact }) => name !== null && !isNoise(pointer, fact));
    const all = shown.map((change): Difference => {
      const fact = change.fact.replace(/^it was /, '');
      return { names: [`${change.name}`], fact, places: [placeOf(document, change.pointer, fact)] };
    });
    const byName = merged(all, 'places', ({ names, fact }) => `${names}: ${fact}`);
    return {
      version,
      revision,
      since,
      differences: merged(byName, 'names', ({ places, fact }) => `${places}: ${fact}`),
    };
  });
}

/** Returns true for the other side of a change that the list has, and for the identity of a parameter, which is Redocly's. */
function isNoise(pointer: string, fact: string): boolean {
  return pointer.endsWith('/x-extensible-enum') || fact.startsWith('key was');
}

/** Makes one difference of those with the same key, with the members of all. */
function merged(
  differences: readonly Difference[],
  member: 'names' | 'places',
  keyOf: (difference: Difference) => string,
): Difference[] {
  return [...Map.groupBy(differences, keyOf).values()].flatMap(([first, ...others]) =>
    first === undefined ? [] : [{ ...first, [member]: [...new Set([first, ...others].flatMap((one) => one[member]))] }],
  );
}

/** Returns the operation, event or component at a pointer; for a whole one its kind. */
function placeOf(document: Json, pointer: string, fact: string): string {
  const [, kind = '', name = '', member, ...rest] = pointer
    .split('/')
    .map((segment) => decodeURIComponent(segment).replaceAll('~1', '/').replaceAll('~0', '~'));
  const isWhole = rest.length === 0 && /^(added|removed)$/.test(fact);
  if (kind === 'components') return isWhole ? name : `${member}`;
  if (member === undefined) return kind;
  const operation = Object(Object(Object(document)[kind])[name])[member];
  return kind === 'paths' ? `${Object(operation).operationId ?? name}` : name;
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
