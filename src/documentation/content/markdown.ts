import { Marked, type Token, type Tokens } from 'marked';
import { escapeHtml } from '../../web/html.ts';
import { highlight } from './highlight.ts';

/** A page made from Markdown. */
export interface Rendered {
  /** Text of the first heading. */
  title: string;
  /** Text of the first paragraph. */
  summary: string;
  /** Everything below the first heading. */
  html: string;
  /** The parts of the page between headings, for the table of contents and the search. */
  sections: Section[];
}

/** The text below one heading. */
export interface Section {
  /** The part of the address behind `#`; null for the text before the second heading. */
  id: string | null;
  heading: string;
  /** 2 for the parts of a page, 3 and more for their parts. */
  depth: number;
  /** Plain text without code blocks. */
  text: string;
}

/** Returns the address of a link's target. @throws Error if the target is no page of the documentation */
export type ResolveLink = (href: string) => string;

/**
 * Renders Markdown. Raw HTML in it appears as text, so a page can contain neither script nor style.
 *
 * @throws Error if the text has no heading of depth 1, or if a link leads nowhere
 */
export function renderMarkdown(text: string, resolveLink: ResolveLink): Rendered {
  const marked = new Marked();
  const tokens = marked.lexer(text);
  const { title, sections } = readSections(tokens);
  const headings = sections.values();
  const groups = tabGroups(tokens);
  marked.use({
    renderer: {
      html: ({ text: raw }) => escapeHtml(raw),
      heading({ tokens: inline, depth }) {
        const id = headings.next().value?.id ?? null;
        const content = this.parser.parseInline(inline);
        // The page around it has the first heading.
        if (id === null) return '';
        return `<h${depth} id="${id}"><a class="anchor" href="#${id}">${content}</a></h${depth}>\n`;
      },
      link({ href, tokens: inline }) {
        const target = resolveLink(href);
        const isExternal = /^https?:/.test(target);
        const rel = isExternal ? ' rel="noopener noreferrer"' : '';
        return `<a href="${escapeHtml(target)}"${rel}>${this.parser.parseInline(inline)}</a>`;
      },
      image: ({ href, text }) =>
        // Wide diagrams scroll on their own, also by keyboard.
        `<span class="table" tabindex="0"><img class="diagram" src="${escapeHtml(resolveLink(href))}" alt="${escapeHtml(text)}"></span>`,
      code(token) {
        const group = groups.get(token);
        if (group === undefined || group.blocks.length === 1) return codeBlock(token, group !== undefined);
        const begin = token === group.blocks[0] ? '<div class="tabs" role="radiogroup" aria-label="Samples">\n' : '';
        return `${begin}${tab(token, group)}${token === group.blocks.at(-1) ? '</div>\n' : ''}`;
      },
      table(token) {
        const head = `<tr>${token.header.map((cell) => `<th scope="col">${renderInline(this, cell)}</th>`).join('')}</tr>`;
        const rows = token.rows.map(
          (row) => `<tr>${row.map((cell) => `<td>${renderInline(this, cell)}</td>`).join('')}</tr>`,
        );
        // Wide tables scroll on their own, also by keyboard.
        return `<div class="table" tabindex="0"><table><thead>${head}</thead><tbody>${rows.join('')}</tbody></table></div>\n`;
      },
    },
  });
  const paragraph = tokens.find((token) => token.type === 'paragraph');
  return {
    title,
    summary: paragraph === undefined ? '' : plainText(paragraph).replaceAll('\n', ' '),
    html: marked.parser(tokens),
    sections,
  };
}

function readSections(tokens: readonly Token[]): { title: string; sections: Section[] } {
  const ids = new Set<string>();
  const sections: Section[] = [];
  for (const token of tokens) {
    if (token.type === 'heading') {
      const heading = plainText(token);
      const id = token.depth === 1 ? null : uniqueId(heading, ids);
      sections.push({ id, heading, depth: token.depth, text: '' });
    } else if (token.type !== 'code') {
      const last = sections.at(-1);
      if (last !== undefined) last.text = `${last.text} ${plainText(token)}`.replaceAll(/\s+/g, ' ').trim();
    }
  }
  const [first] = sections;
  if (first?.depth !== 1) throw new Error('a page of the documentation begins with one # heading');
  return { title: first.heading, sections };
}

function renderInline(renderer: { parser: { parseInline(tokens: Token[]): string } }, cell: Tokens.TableCell): string {
  return renderer.parser.parseInline(cell.tokens);
}

/** Words of a fence behind the language: the file that a reader saves the code in, and the title of a tab. */
const FILE = /\bfile=(\S+)/;
const TAB = /\btab="([^"]*)"/;

/** The first word behind the fence is the language. A tab that stands alone has its title as caption. */
function codeBlock({ text, lang: info = '' }: Tokens.Code, isAlone: boolean): string {
  const [language = ''] = info.split(' ');
  const title = FILE.exec(info)?.[1] ?? (isAlone ? TAB.exec(info)?.[1] : undefined);
  const caption = title === undefined ? '' : `<figcaption>${escapeHtml(title)}</figcaption>`;
  return `<figure class="code">${caption}<pre><code class="language-${escapeHtml(language)}">${highlight(text, language)}\n</code></pre></figure>\n`;
}

/** Code blocks that stand one after the other, and of which a reader chooses one. */
interface TabGroup {
  /** Number of the group on its page. */
  number: number;
  blocks: Tokens.Code[];
}

/** Returns the group of each code block that has the title of a tab. */
function tabGroups(tokens: readonly Token[]): Map<Token, TabGroup> {
  const groups = new Map<Token, TabGroup>();
  let last: TabGroup | undefined;
  let count = 0;
  for (const token of tokens) {
    if (token.type === 'space') continue;
    if (token.type === 'code' && TAB.test(token.lang ?? '')) {
      last ??= { number: ++count, blocks: [] };
      last.blocks.push(token as Tokens.Code);
      groups.set(token, last);
    } else {
      last = undefined;
    }
  }
  return groups;
}

/** Returns a code block behind its radio button. The style sheet shows the block of the chosen one. */
function tab(token: Tokens.Code, { number, blocks }: TabGroup): string {
  const id = `tab-${number}-${blocks.indexOf(token)}`;
  const title = escapeHtml(TAB.exec(token.lang ?? '')?.[1] ?? '');
  const checked = token === blocks[0] ? ' checked' : '';
  return `<input type="radio" name="tab-${number}" id="${id}"${checked}><label for="${id}">${title}</label>${codeBlock(token, false)}`;
}

/** Returns the text of a token without its markup. */
function plainText(token: Token | Tokens.TableCell): string {
  if ('type' in token && token.type === 'table') {
    const { header, rows } = token as Tokens.Table;
    return [header, ...rows].map((row) => row.map(plainText).join(' ')).join(' ');
  }
  if ('type' in token && token.type === 'list') return (token as Tokens.List).items.map(plainText).join(' ');
  if ('tokens' in token && token.tokens !== undefined) {
    return token.tokens.map(plainText).join('type' in token && token.type === 'list_item' ? ' ' : '');
  }
  if ('type' in token && token.type === 'space') return ' ';
  return 'text' in token ? (token.text ?? '') : ' ';
}

function uniqueId(heading: string, ids: Set<string>): string {
  const stem = heading
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
  let id = stem;
  for (let count = 2; ids.has(id); count++) id = `${stem}-${count}`;
  ids.add(id);
  return id;
}
