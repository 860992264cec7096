import { readFileSync } from 'node:fs';

const file = new URL('../../../CHANGELOG.md', import.meta.url);

/** Returns the releases of a changelog, the newest first. `api` is Markdown of all sections whose headings begin with "API". */
export function releasesIn(changelog: string) {
  const splitParts = (text: string, mark: string) => text.split(new RegExp(`^${mark} `, 'm')).slice(1);
  return splitParts(changelog, '##').map((text) => {
    const [, version = null, date = null] = /^(\d+\.\d+\.\d+) - (\S+)\n/.exec(text) ?? [];
    const sections = splitParts(text, '###').filter((section) => section.startsWith('API: '));
    return {
      version,
      date,
      api: sections
        .map((section) => section.replace(/^API: (.)/, (_, letter) => `### ${letter.toUpperCase()}`))
        .join('')
        .trim(),
    };
  });
}

/** Returns the changelog for users of the API as Markdown: a part for each release. */
export function changelogPage(): string {
  // The guides link to each other without their folder.
  const text = readFileSync(file, 'utf8').replaceAll('](docs/guides/', '](');
  const parts = releasesIn(text)
    .filter(({ api }) => api !== '')
    .map(({ version, date, api }) => {
      const title = version === null ? 'Not released yet' : `${date}: version ${version}`;
      return `## ${title}\n\n${api}\n`;
    });
  return `# Changelog

Changes for users of the API, by the day of their release. The newest come first. [Versioning](versioning.md) says what may change.

${parts.join('\n')}`;
}
