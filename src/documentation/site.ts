import { readFileSync } from 'node:fs';
import { publishedTexts } from '../contract/document.ts';
import { ERROR_CODES, errorPage, errorTable } from './content/error-pages.ts';
import { EXAMPLE_URL, GUIDE_SECTIONS, readGuide } from './content/guides.ts';
import { type Rendered, renderMarkdown } from './content/markdown.ts';
import { postmanCollection } from './content/postman.ts';
import { llmsText, searchIndex } from './content/summaries.ts';
import { VERIFIERS } from './content/verifiers.ts';
import type { Page } from './page.ts';
import { type PublicFile, publicFile } from './public-file.ts';
import { type Assets, type Link, layout } from './render.ts';
import { CONTRACT_HEADERS, pageHeaders, SHARED_HEADERS } from './security-headers.ts';

/** All that the service serves without a key, except health checks. */
export interface Site {
  /** Path of the public address, without trailing slash. */
  basePath: string;
  /** By path. */
  files: ReadonlyMap<string, PublicFile>;
  /** Page for an unknown path below `/docs/`. */
  notFound: PublicFile;
}

const HTML = 'text/html; charset=utf-8';
const MARKDOWN = 'text/markdown; charset=utf-8';

/**
 * Renders the whole documentation, once per process.
 *
 * @param publicUrl address of the service, without trailing slash
 * @throws Error if a guide is missing, has no heading, or links to nothing
 */
export function buildSite(publicUrl: string): Site {
  const basePath = new URL(publicUrl).pathname.replace(/\/+$/, '');
  const render = (markdown: string) => renderMarkdown(markdown, (href) => pageAddress(href, publicUrl, basePath));
  const guides = GUIDE_SECTIONS.map(({ title, guides: names }) => ({
    title,
    pages: names.map((name) => makePage(name, guideText(name, publicUrl), render)),
  }));
  const errors = ERROR_CODES.map((code) => makePage(`errors/${code}`, errorPage(code, publicUrl), render));
  const pages = [...guides.flatMap((section) => section.pages), ...errors];
  const assets = readAssets();
  const navigation = [
    ...guides.map((section) => ({ title: section.title, links: section.pages.map((page) => linkTo(page, basePath)) })),
    { title: 'Reference', links: referenceLinks(basePath) },
  ];
  const frame = { basePath, assets, navigation };
  const files = [
    ...pages.map((page) => publicFile(page.path, HTML, layout({ ...frame, page }), pageHeaders('page'))),
    publicFile('/docs/reference', HTML, layout({ ...frame, page: referencePage(basePath) }), pageHeaders('reference')),
    ...pages.map((page) => page.markdown),
    ...Object.values(assets),
    ...VERIFIERS.map(({ path, text }) => publicFile(path, 'text/plain; charset=utf-8', text, SHARED_HEADERS)),
    publicFile('/docs/search.json', 'application/json', searchIndex(pages, basePath), SHARED_HEADERS),
    publicFile('/docs/postman.json', 'application/json', postmanCollection(publicUrl), SHARED_HEADERS),
    publicFile('/llms.txt', MARKDOWN, llmsText(pages, publicUrl), SHARED_HEADERS),
    ...publishedTexts(publicUrl).map(({ path, type, text }) => publicFile(path, type, text, CONTRACT_HEADERS)),
  ];
  const unknown = { ...render('# No such page\n\nUse the search or the list of pages.\n'), path: '/docs/404' };
  return {
    basePath,
    files: new Map(files.map((file) => [file.path, file])),
    notFound: publicFile(unknown.path, HTML, layout({ ...frame, page: unknown }), pageHeaders('page')),
  };
}

function makePage(name: string, markdown: string, render: (markdown: string) => Rendered): Page {
  return {
    ...render(markdown),
    path: name === 'index' ? '/docs' : `/docs/${name}`,
    markdown: publicFile(`/docs/${name}.md`, MARKDOWN, markdown, SHARED_HEADERS),
  };
}

/** Only the guide about errors gets a part that is made: the table of the catalogue. */
function guideText(name: string, publicUrl: string): string {
  const text = readGuide(name, publicUrl);
  return name === 'errors' ? `${text}\n## All codes\n\n${errorTable(publicUrl)}\n` : text;
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

function linkTo(page: Page, basePath: string): Link {
  return { title: page.title, href: `${basePath}${page.path}` };
}

function referenceLinks(basePath: string): Link[] {
  return [
    { title: 'All operations', href: `${basePath}/docs/reference` },
    { title: 'Contract (OpenAPI 3.1)', href: `${basePath}/openapi.yaml` },
    { title: 'Postman collection', href: `${basePath}/docs/postman.json` },
  ];
}

function referencePage(basePath: string): Rendered & { path: string; isReference: true } {
  // Redoc replaces the paragraph.
  const html = `<div id="reference" data-contract="${basePath}/openapi.json">
<p>This page needs JavaScript. The <a href="${basePath}/openapi.yaml">contract</a> has the same content.</p>
</div>`;
  return {
    title: 'Reference',
    summary: 'All operations.',
    html,
    sections: [],
    path: '/docs/reference',
    isReference: true,
  };
}

function readAssets(): Assets {
  const read = (name: string, type: string, folder = new URL('assets/', import.meta.url)) =>
    publicFile(`/docs/assets/${name}`, type, readFileSync(new URL(name, folder)), SHARED_HEADERS);
  const script = 'text/javascript; charset=utf-8';
  return {
    style: read('docs.css', 'text/css; charset=utf-8'),
    script: read('docs.js', script),
    icon: read('icon.svg', 'image/svg+xml'),
    reference: read('reference.js', script),
    redoc: read('redoc.js', script, new URL('../../generated/documentation/', import.meta.url)),
  };
}
