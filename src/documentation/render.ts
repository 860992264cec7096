import { type Content, element, headLink, mark, meta, RawHtml, renderHtmlPage } from '../web/html.ts';
import type { PublicFile } from '../web/public-file.ts';
import type { Rendered } from './content/markdown.ts';

export interface DocumentationPage {
  /** Path below the public address, with leading slash. */
  path: string;
  title: string;
  /** The page as Markdown, for readers that are programs. */
  markdown: PublicFile;
  /** Renders the Markdown, or returns what it rendered before. @throws Error if a link leads nowhere */
  rendered: () => Rendered;
}

/** A group of links in the navigation. */
export interface Group {
  title: string;
  links: readonly { title: string; path: string }[];
}

/** Everything that a page shows. */
interface View {
  basePath: string;
  files: Record<'style' | 'script' | 'icon', PublicFile>;
  navigation: readonly Group[];
  path: string;
  content: Rendered;
  /** The same page as Markdown, if there is one. */
  markdown?: PublicFile;
}

export function renderPage({ basePath, files, navigation, path, content, markdown }: View): string {
  const { title, summary, sections, html } = content;
  const { style, script, icon } = files;
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
  return element('nav', { class: 'contents', 'aria-label': 'On this page' }, renderList(links));
}

function renderMenu(groups: readonly Group[], shownPath: string): Content {
  const lists = groups.map(({ title, links }) => [
    mark('p', mark('strong', title), 'hint'),
    renderList(links.map(({ path, title }) => link(path, title, path === shownPath))),
  ]);
  return element('nav', { 'aria-label': 'Documentation' }, lists);
}

function renderList(links: readonly Content[]): Content {
  const items = links.map((one) => mark('li', one));
  return mark('ul', items);
}

function link(href: string, text: string, isShown = false): Content {
  return element('a', { href, 'aria-current': isShown && 'page' }, text);
}
