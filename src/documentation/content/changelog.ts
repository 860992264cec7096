import { readFileSync } from 'node:fs';
import { escapeHtml } from '../../pages/render/html.ts';

const root = new URL('../../../', import.meta.url);

/** An edition of the contract: each released one, and the present one if it differs. `make generate` makes the list. */
export interface Edition {
  /** Null for the present edition, if it is not released. */
  version: string | null;
  revision: string;
  /** Version of the edition before; null for the first one. */
  since: string | null;
  /** Differences from the edition before. */
  differences: Difference[];
}

/** Equal changes of the same places. */
export interface Difference {
  /** Names of the changed parts: fields, statuses, schemas. */
  names: string[];
  fact: string;
  /** Operations, events and schemas that have them, or a kind of parts, such as `schemas`. */
  places: string[];
}

/** Most places that a difference names. */
const MAX_PLACES = 6;

/** Path of the feed below the public address. */
export const FEED = '/docs/changelog.atom';

/**
 * Returns the releases of a changelog, the newest first. Version and day are null for what is not released yet. `api` is Markdown for users
 * of the API: all sections whose headings begin with "API".
 */
export function releasesIn(changelog: string) {
  const partsOf = (text: string, mark: string) => text.split(new RegExp(`^${mark} `, 'm')).slice(1);
  return partsOf(changelog, '##').map((text) => {
    const [, version = null, date = null] = /^(\d+\.\d+\.\d+) - (\S+)\n/.exec(text) ?? [];
    const sections = partsOf(text, '###').filter((section) => section.startsWith('API: '));
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

/** Returns all editions of the contract, the newest first. */
export function readEditions(): Edition[] {
  return JSON.parse(read('generated/documentation/editions.json'));
}

function readReleases() {
  // The guides link to each other without their folder.
  return releasesIn(read('CHANGELOG.md').replaceAll('](docs/guides/', ']('));
}

function read(path: string): string {
  return readFileSync(new URL(path, root), 'utf8');
}

/** Returns the changelog for integrators as Markdown: a part for each edition of the contract. */
export function changelogPage(publicUrl: string): string {
  const releases = readReleases();
  const parts = readEditions().map((edition) => {
    const { version, revision, since } = edition;
    const { date, api = '' } = releases.find((one) => one.version === version) ?? {};
    const title = version === null ? 'Not released yet' : `${date}: version ${version}`;
    const link =
      since === null ? '' : ` [All differences from ${since}](${publicUrl}/docs/${differencesName(edition)}).`;
    return `## ${title}\n\nThe contract has the revision \`${revision}\`.${link}\n\n${api}\n`;
  });
  return `# Changelog

Changes for users of the API, by the day of their release. The newest come first, and a [feed](${publicUrl}${FEED}) announces them.
[Versioning](versioning.md) says what may change.

${parts.join('\n')}`;
}

/** Returns the name of the page with the differences of an edition. */
export function differencesName({ version }: Edition): string {
  return `changelog/${version ?? 'next'}`;
}

/**
 * Returns the differences of an edition as Markdown.
 *
 * @param pages names of the pages of the reference, to which the places lead
 */
export function differencesPage(
  { version, revision, since, differences }: Edition,
  pages: ReadonlySet<string>,
  publicUrl: string,
): string {
  const rows = differences.map(({ names, fact, places }) => {
    const links = places.map((place) =>
      pages.has(place) ? `[${place}](${publicUrl}/docs/reference/${place})` : place,
    );
    const more = links.length > MAX_PLACES ? ` and ${links.length - MAX_PLACES} more` : '';
    const parts = names.map((name) => `\`${name}\``).join(', ');
    return `| ${parts} | ${fact} | ${links.slice(0, MAX_PLACES).join(', ')}${more} |`;
  });
  return `# Differences from ${since} to ${version ?? 'the next version'}

A program compared the two contracts, without texts and examples. The newer one has the revision \`${revision}\`.
[The changelog](${publicUrl}/docs/changelog) says what the differences mean.

${['| part | difference | where |', '|---|---|---|', ...rows].join('\n')}
`;
}

/** Returns the feed of the releases. `render` returns the HTML of Markdown. */
export function atomFeed(publicUrl: string, render: (markdown: string) => string): string {
  const page = `${publicUrl}/docs/changelog`;
  const released = readReleases().filter(({ date }) => date !== null);
  const entries = released.map(({ version, date, api }) => {
    const address = `${page}#${date}-version-${version?.replaceAll('.', '-')}`;
    return `<entry>
<title>Version ${version}</title>
<id>${address}</id>
<link href="${address}"/>
<updated>${date}T00:00:00Z</updated>
<content type="html">${escapeHtml(render(`# ${version}\n\n${api}`))}</content>
</entry>`;
  });
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:base="${page}">
<title>Changes of the Payment Links API</title>
<id>${page}</id>
<link href="${page}"/>
<link rel="self" href="${publicUrl}${FEED}"/>
<updated>${released[0]?.date}T00:00:00Z</updated>
<author><name>Paylinks</name></author>
${entries.join('\n')}
</feed>
`;
}
