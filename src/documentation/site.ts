import { readFileSync } from 'node:fs';
import { document } from '../contract/document.ts';
import { BASE } from '../web/base.ts';
import { changelogPage } from './content/changelog.ts';
import { commandPackage } from './content/command-package.ts';
import { DOWNLOADS, PICTURES, postmanCollection } from './content/downloads.ts';
import { ERROR_CODES, errorPage, errorTable } from './content/error-pages.ts';
import { EXAMPLE_URL, GUIDE_SECTIONS, readGuide } from './content/guides.ts';
import { type Rendered, renderMarkdown } from './content/markdown.ts';
import { referenceIndex, referencePages } from './content/reference/pages.ts';
import { publishedTexts } from './content/reference/published.ts';
import { llmsText, searchIndex } from './content/summaries.ts';
import { PublicFile } from './public-file.ts';
import { type DocumentationPage, type Group, renderPage } from './render.ts';
import { CONTRACT_HEADERS, PAGE_HEADERS, SHARED_HEADERS } from './security-headers.ts';

/** All that the service serves without a key, except health checks. */
export type Site = ReturnType<typeof buildSite>;

/** Links to the reference, which the navigation of every page has. */
const REFERENCE: Group = {
  title: 'Reference',
  links: [
    { title: 'All operations', path: '/docs/reference' },
    { title: 'Changelog', path: '/docs/changelog' },
    { title: 'Contract (OpenAPI 3.1)', path: '/openapi.yaml' },
    { title: 'Postman collection', path: '/docs/postman.json' },
  ],
};

/** MiniSearch as a script for browsers, which makes a global variable. */
const SEARCH_ENGINE = new URL('../umd/index.js', import.meta.resolve('minisearch'));

const HTML = 'text/html; charset=utf-8';
const MARKDOWN = 'text/markdown; charset=utf-8';

/**
 * Lists all documents of the service. Each is made at its first use.
 *
 * @param publicUrl address of the service, without trailing slash
 * @param senderNetworks CIDRs from which webhooks come; empty if they are not fixed
 * @throws Error if a guide is missing or has no heading
 */
export function buildSite(publicUrl: string, senderNetworks: readonly string[] = []) {
  const basePath = new URL(publicUrl).pathname.replace(/\/+$/, '');
  const render = (markdown: string) => renderMarkdown(markdown, (href) => pageAddress(href, publicUrl, basePath));
  const guides = GUIDE_SECTIONS.map(({ title, guides: names }) => ({
    title,
    pages: names.map((name) => {
      const text = readGuide(name, publicUrl);
      return makePage(name, readTitle(name, text), () => withList(name, text, publicUrl, senderNetworks), render);
    }),
  }));
  const errors = ERROR_CODES.map((code) => makePage(`errors/${code}`, code, () => errorPage(code, publicUrl), render));
  const index = makePage('reference', 'Reference', () => referenceIndex(document, publicUrl), render);
  const reference = referencePages(document, publicUrl).map(({ name, title, group, make }) => ({
    group,
    page: makePage(`reference/${name}`, title, () => make().replaceAll(EXAMPLE_URL, publicUrl), render),
  }));
  const changelog = makePage('changelog', 'Changelog', changelogPage, render);
  const plain = [...guides.flatMap((section) => section.pages), changelog, ...errors];
  const ofReference = [index, ...reference.map(({ page }) => page)];
  const pages = [...plain, ...ofReference];
  const assets = listAssets();
  const navigation = [...guides.map(({ title, pages }) => ({ title, links: pages })), REFERENCE];
  const referenceNavigation = groupReference(reference);
  const html = (path: string, groups: readonly Group[], content: () => Rendered, markdown?: PublicFile) =>
    new PublicFile(path, HTML, PAGE_HEADERS, () =>
      renderPage({ basePath, files: assets, navigation: groups, path, content: content(), markdown }),
    );
  const bothForms = (page: DocumentationPage, groups: readonly Group[]) => [
    html(page.path, groups, page.rendered, page.markdown),
    page.markdown,
  ];
  const files = [
    ...plain.flatMap((page) => bothForms(page, navigation)),
    ...ofReference.flatMap((page) => bothForms(page, referenceNavigation)),
    ...Object.values(assets),
    ...DOWNLOADS.map(({ path, read }) => shared(path, 'text/plain; charset=utf-8', read)),
    ...PICTURES.map(({ path, type, read }) => shared(path, type, read)),
    shared('/docs/search.json', 'application/json', () => searchIndex(pages, basePath)),
    shared('/llms.txt', MARKDOWN, () => llmsText(pages, publicUrl)),
    ...filesForPrograms(publicUrl, senderNetworks),
  ];
  const renderUnknown = () => render(unknownPage(publicUrl));
  return {
    basePath,
    /** By path. */
    files: new Map(files.map((file) => [file.path, file])),
    /** DocumentationPage for an unknown path below `/docs/`. */
    notFound: html('/docs/404', navigation, renderUnknown),
  };
}

function groupReference(reference: readonly { group: string; page: DocumentationPage }[]): Group[] {
  const groups = Object.entries(Object.groupBy(reference, ({ group }) => group));
  return [
    { title: 'Guides', links: [{ title: 'Overview', path: '/docs' }] },
    REFERENCE,
    ...groups.map(([title, members = []]) => ({ title, links: members.map(({ page }) => page) })),
  ];
}

function shared(path: string, type: string, make: () => string | Buffer): PublicFile {
  return new PublicFile(path, type, SHARED_HEADERS, make);
}

/** Lists the files that programs read, or that a consumer installs. */
function filesForPrograms(publicUrl: string, senderNetworks: readonly string[]): PublicFile[] {
  return [
    shared('/docs/postman.json', 'application/json', () => postmanCollection(publicUrl)),
    shared('/docs/senders.json', 'application/json', () => `${JSON.stringify({ networks: senderNetworks })}\n`),
    shared('/docs/paylinks-dev.tgz', 'application/gzip', commandPackage),
    ...publishedTexts(publicUrl).map(({ path, type, make }) => new PublicFile(path, type, CONTRACT_HEADERS, make)),
  ];
}

function makePage(
  name: string,
  title: string,
  make: () => string,
  render: (markdown: string) => Rendered,
): DocumentationPage {
  const markdown = new PublicFile(`/docs/${name}.md`, MARKDOWN, SHARED_HEADERS, make);
  let cache: Rendered | undefined;
  const rendered = () => {
    cache ??= render(markdown.bytes().toString());
    return cache;
  };
  return { path: name === 'index' ? '/docs' : `/docs/${name}`, title, markdown, rendered };
}

/** @throws Error if the text does not begin with a heading */
function readTitle(name: string, text: string): string {
  const title = /^# (.+)\n/.exec(text)?.[1];
  if (title === undefined) throw new Error(`docs/guides/${name}.md must begin with a heading: "# Title"`);
  return title;
}

/** Adds the part of a guide that is made: the table of error codes, or the list of senders. */
function withList(name: string, text: string, publicUrl: string, senderNetworks: readonly string[]): string {
  switch (name) {
    case 'errors':
      return `${text}\n## All codes\n\n${errorTable(publicUrl)}\n`;
    case 'senders':
      return `${text}\n## The addresses\n\n${senderList(senderNetworks)}\n`;
    default:
      return text;
  }
}

function senderList(networks: readonly string[]): string {
  if (networks.length === 0)
    return 'This installation has no fixed addresses. Admit all addresses to the path of your receiver, and verify the signature. To have fixed ones, ask the operator of the service.';
  return networks.map((cidr) => `- \`${cidr}\``).join('\n');
}

/** Returns the address of a link in a rendered page. Links to our own address become paths, so that they work behind any name. */
function pageAddress(href: string, publicUrl: string, basePath: string): string {
  if (href.startsWith('#')) return href;
  if (href === publicUrl || href.startsWith(`${publicUrl}/`)) return `${basePath}${href.slice(publicUrl.length)}`;
  if (/^https:\/\//.test(href)) return href;
  const [, name = '', fragment = ''] = /^(?:\.\.\/)?([a-z-]+)\.md(#.*)?$/.exec(href) ?? [];
  if (!GUIDE_SECTIONS.some(({ guides }) => guides.includes(name))) {
    throw new Error(`A guide links to ${href}: link to a file of docs/guides/, or to ${EXAMPLE_URL}/…`);
  }
  return `${basePath}/docs${name === 'index' ? '' : `/${name}`}${fragment}`;
}

function unknownPage(publicUrl: string): string {
  return `# No such page

The address has no page: it is mistyped, or the page has moved. Search for it above, or begin here:

- [Overview](index.md): what the service does, and where to start.
- [Quickstart](quickstart.md): your first link.
- [Webhooks](webhooks.md): what a receiver must do.
- [Reference](${publicUrl}/docs/reference): all operations, events and resources.
- [Errors](errors.md): all codes.
- [Changelog](${publicUrl}/docs/changelog): what changed in each release.
`;
}

function listAssets() {
  const folder = new URL('assets/', import.meta.url);
  const asset = (name: string, type: string, parts: readonly URL[] = [new URL(name, folder)]) =>
    new PublicFile(`/docs/assets/${name}`, type, SHARED_HEADERS, () =>
      Buffer.concat(parts.map((part) => readFileSync(part))),
    );
  return {
    style: asset('docs.css', 'text/css; charset=utf-8', [BASE, new URL('docs.css', folder)]),
    script: asset('docs.js', 'text/javascript; charset=utf-8', [SEARCH_ENGINE, new URL('docs.js', folder)]),
    icon: asset('icon.svg', 'image/svg+xml'),
  };
}
