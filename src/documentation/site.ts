import type { Middleware } from 'koa';
import { document } from '../contract/document.ts';
import { answerFile, FRESH_SECONDS, publicFile, requireReading } from '../web/public-file.ts';
import { readBasePath } from '../web/request.ts';
import { changelogPage } from './content/changelog.ts';
import { listDownloads } from './content/downloads.ts';
import { ERROR_CODES, errorPage, errorTable } from './content/error-pages.ts';
import { DOCS_URL, EXAMPLE_URL, GUIDE_SECTIONS, readGuide } from './content/guides.ts';
import { type Rendered, renderMarkdown } from './content/markdown.ts';
import { referenceIndex, referencePages } from './content/reference/pages.ts';
import { ASSETS, type DocumentationPage, type Group, PAGE_HEADERS, renderPage } from './render.ts';

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

const MARKDOWN = 'text/markdown; charset=utf-8';

/** Targets of paths that lead elsewhere. The contract names the last one. */
const REDIRECTS: ReadonlyMap<string, string> = new Map([
  ['/', '/docs'],
  ['/docs/', '/docs'],
  ['/docs.md', '/docs/index.md'],
  ['/api-guide.md', '/docs/index.md'],
]);

/** Serves the documentation and the published contract to everyone. They contain no data of practices or patients. */
export function documentationRoutes(publicUrl: string, senderNetworks: readonly string[]): Middleware {
  const site = buildSite(publicUrl, senderNetworks);
  return async (ctx, next) => {
    const target = REDIRECTS.get(ctx.path);
    if (target !== undefined) {
      requireReading(ctx);
      ctx.redirect(`${site.basePath}${target}`);
      ctx.set('Cache-Control', `public, max-age=${FRESH_SECONDS}`);
      return;
    }
    const file = site.files.get(ctx.path) ?? (ctx.path.startsWith('/docs/') ? site.notFound : undefined);
    if (file === undefined) return next();
    await answerFile(ctx, file, file === site.notFound ? 404 : 200);
    ctx.state.operationId = 'documentation';
  };
}

/** Lists all documents of the service. `senderNetworks` are the CIDRs from which webhooks come; it is empty if they are not fixed. */
export function buildSite(publicUrl: string, senderNetworks: readonly string[] = []) {
  const basePath = readBasePath(publicUrl);
  const addAddress = (text: string) => text.replaceAll(EXAMPLE_URL, () => publicUrl);
  const renderText = (markdown: string) => renderMarkdown(markdown, (href) => pageAddress(href, publicUrl, basePath));
  const makePage: MakePage = (name, title, make) => {
    const markdown = publicFile(`/docs/${name}.md`, MARKDOWN, () => addAddress(make()));
    let cache: Rendered | undefined;
    const render = () => {
      cache ??= renderText(markdown.bytes().toString());
      return cache;
    };
    return { path: name === 'index' ? '/docs' : `/docs/${name}`, title, markdown, render };
  };
  const html = (navigation: readonly Group[], page: Parameters<typeof renderPage>[2]) =>
    publicFile(page.path, 'text/html; charset=utf-8', () => renderPage(basePath, navigation, page), PAGE_HEADERS);
  const guides = listGuides(makePage, senderNetworks);
  const reference = listReference(makePage);
  const pages = [...guides.pages, ...reference.pages];
  const files = [
    ...[guides, reference].flatMap(({ pages, navigation }) => pages.map((page) => html(navigation, page))),
    ...pages.map(({ markdown }) => markdown),
    ...Object.values(ASSETS),
    publicFile('/docs/search.json', 'application/json', () => searchIndex(pages, basePath)),
    publicFile('/llms.txt', MARKDOWN, () => llmsText(pages, publicUrl)),
    ...listDownloads(publicUrl, senderNetworks),
  ];
  return {
    basePath,
    /** By path. */
    files: new Map(files.map((file) => [file.path, file])),
    /** Page for an unknown path below `/docs/`. */
    notFound: html(guides.navigation, { path: '/docs/404', render: () => renderText(addAddress(UNKNOWN_PAGE)) }),
  };
}

type MakePage = (name: string, title: string, make: () => string) => DocumentationPage;

/** Lists all pages but the reference. */
function listGuides(makePage: MakePage, senderNetworks: readonly string[]) {
  const sections = GUIDE_SECTIONS.map(({ title, guides }) => ({
    title,
    links: guides.map((name) => {
      const text = readGuide(name);
      return makePage(name, readTitle(name, text), () => text + madePart(name, senderNetworks));
    }),
  }));
  const pages = [
    ...sections.flatMap(({ links }) => links),
    makePage('changelog', 'Changelog', changelogPage),
    ...ERROR_CODES.map((code) => makePage(`errors/${code}`, code, () => errorPage(code))),
  ];
  return { pages, navigation: [...sections, REFERENCE] };
}

function listReference(makePage: MakePage) {
  const index = makePage('reference', 'Reference', () => referenceIndex(document));
  const entries = referencePages(document).map(({ name, title, group, make }) => ({
    group,
    page: makePage(`reference/${name}`, title, make),
  }));
  const groups = Object.entries(Object.groupBy(entries, ({ group }) => group));
  const sections = groups.map(([title, members = []]) => ({ title, links: members.map(({ page }) => page) }));
  const overview = { title: 'Guides', links: [{ title: 'Overview', path: '/docs' }] };
  return { pages: [index, ...entries.map(({ page }) => page)], navigation: [overview, REFERENCE, ...sections] };
}

/** @throws Error if the text does not begin with a heading */
function readTitle(name: string, text: string): string {
  const title = /^# (.+)\n/.exec(text)?.[1];
  if (title === undefined) throw new Error(`docs/guides/${name}.md must begin with a heading: "# Title"`);
  return title;
}

/** Returns the part of a guide that is made: the table of error codes, or the list of senders. */
function madePart(name: string, senderNetworks: readonly string[]): string {
  if (name === 'errors') return `\n## All codes\n\n${errorTable()}\n`;
  return name === 'senders' ? `\n## The addresses\n\n${senderList(senderNetworks)}\n` : '';
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

const UNKNOWN_PAGE = `# No such page

The address has no page: it is mistyped, or the page has moved. Search for it above, or begin with the [overview](index.md), the
[quickstart](quickstart.md) or the [reference](${DOCS_URL}/reference).
`;

/** Returns what docs.js indexes for the search, as JSON: an entry for each part of a page. The entry of a page's beginning has no heading. */
function searchIndex(pages: readonly DocumentationPage[], basePath: string): string {
  const entries = pages.flatMap(({ title, path, render }) =>
    render().sections.map(({ id, heading, text }) => ({
      title,
      heading: id === null ? '' : heading,
      href: `${basePath}${path}${id === null ? '' : `#${id}`}`,
      text,
    })),
  );
  return JSON.stringify({ entries });
}

/** Returns the list of pages for language models, in the form of llmstxt.org. */
function llmsText(pages: readonly DocumentationPage[], publicUrl: string): string {
  const linesBelow = (paths: RegExp) =>
    pages
      .filter(({ path }) => paths.test(path))
      .map(
        ({ title, render, markdown }) =>
          `- [${title}](${publicUrl}${markdown.path}): ${firstSentences(render().summary)}`,
      )
      .join('\n');
  return `# Paylinks

> Payment links for the balances of medical and dental patients, with signed webhooks. A JSON API over HTTPS.

Contract: [OpenAPI 3.1](${publicUrl}/openapi.yaml), [OpenAPI 3.0](${publicUrl}/openapi-3.0.yaml).
Every page is Markdown.

## Guides

${linesBelow(/^\/docs(\/[^/]+)?$/)}

## Reference

${linesBelow(/^\/docs\/reference\//)}

## Error codes

${linesBelow(/^\/docs\/errors\//)}

## Optional

- [Postman collection](${publicUrl}/docs/postman.json): Requests for all operations, in an order in which all succeed.
`;
}

/** Returns the first two sentences. One that leads to a list or a snippet ends here. */
function firstSentences(text: string): string {
  const sentences = text.split(/(?<=\.)\s+/).slice(0, 2);
  return sentences.join(' ').replace(/:$/, '.');
}
