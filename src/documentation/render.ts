import * as ui from '../web/blocks.ts';
import { type Content, element, headLink, mark, meta, RawHtml, renderHtmlPage } from '../web/html.ts';
import { assetFile, type PublicFile } from '../web/public-file.ts';
import type { Rendered } from './content/markdown.ts';

/** Headers of a page. Scripts and styles come from files of our own origin only. */
export const PAGE_HEADERS = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
    "form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'same-origin',
  'X-Frame-Options': 'DENY',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), usb=(), payment=()',
} as const;

/** MiniSearch as a script for browsers, which makes a global variable. */
const SEARCH_ENGINE = new URL('../umd/index.js', import.meta.resolve('minisearch'));

const FOLDER = new URL('assets/', import.meta.url);

export const ASSETS = {
  style: assetFile('/docs/assets/docs.css', FOLDER),
  script: assetFile('/docs/assets/docs.js', FOLDER, [SEARCH_ENGINE]),
  icon: assetFile('/docs/assets/icon.svg', FOLDER),
};

interface Page {
  /** Path below the public address, with leading slash. */
  path: string;
  /** The page as Markdown, for readers that are programs. */
  markdown?: PublicFile;
  /** Renders the Markdown, or returns what it rendered before. @throws Error if a link leads nowhere */
  render: () => Rendered;
}

export interface DocumentationPage extends Required<Page> {
  title: string;
}

/** A group of links in the navigation. */
export interface Group {
  title: string;
  links: readonly { title: string; path: string }[];
}

export function renderPage(basePath: string, navigation: readonly Group[], { path, render, markdown }: Page): string {
  const { title, summary, sections, html } = render();
  const { style, script, icon } = ASSETS;
  const search = element('div', { class: 'search', role: 'search', 'data-index': '/docs/search.json' }, '');
  const parts = [mark('h1', title), renderContents(path, sections), new RawHtml(html)];
  const body = [
    element('a', { class: 'skip', href: '#main' }, 'Skip to the content'),
    mark('header', [mark('p', link('/docs', 'Paylinks documentation'), 'brand'), search], 'site-header'),
    element(
      'div',
      { class: 'frame' },
      element('details', { class: 'pages' }, mark('summary', 'All pages'), renderMenu(navigation, path)),
      element('main', { id: 'main', tabindex: -1 }, parts),
    ),
    mark('footer', [
      markdown !== undefined && mark('p', link(markdown.path, 'This page as Markdown')),
      mark('p', link('/llms.txt', 'All pages as a list')),
    ]),
  ];
  const head = [
    meta('description', summary),
    markdown !== undefined && headLink('alternate', { path: markdown.path, type: 'text/markdown' }),
  ];
  const addresses = { style: style.address(), script: script.address(), icon: icon.address() };
  const page = { language: 'en', title: `${title} · Paylinks`, files: addresses, head, body };
  return renderHtmlPage(page, { basePath, csrfToken: null });
}

function renderContents(path: string, sections: Rendered['sections']): Content {
  const contents = sections.filter(({ depth, id }) => depth === 2 && id !== null);
  if (contents.length < 2 || path === '/docs' || path.startsWith('/docs/reference/')) return null;
  const links = contents.map(({ id, heading }) => link(`#${id}`, heading));
  return ui.nav('On this page', links, 'contents');
}

function renderMenu(groups: readonly Group[], shownPath: string): Content {
  const lists = groups.map(({ title, links }) => [
    mark('p', mark('strong', title), 'hint'),
    ui.list(
      'ul',
      links.map(({ path, title }) => link(path, title, path === shownPath)),
    ),
  ]);
  return element('nav', { 'aria-label': 'Documentation' }, lists);
}

function link(href: string, text: string, isShown = false): Content {
  return element('a', { href, 'aria-current': isShown && 'page' }, text);
}
