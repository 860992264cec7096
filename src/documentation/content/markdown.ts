import { Marked, Renderer, type Token, type Tokens } from 'marked';
import { escapeHtml } from '../../web/html.ts';

/** The text below one heading, for the table of contents and the search. */
interface Section {
  /** The part of the address behind `#`; null for the text before the second heading. */
  id: string | null;
  heading: string;
  /** 2 for the parts of a page, 3 and more for their parts. */
  depth: number;
  /** Plain text without code blocks. */
  text: string;
}

export type Rendered = ReturnType<typeof renderMarkdown>;

/**
 * Renders Markdown. Raw HTML in it appears as text, so a page can contain neither script nor style.
 * @param resolveLink returns the address of a link's target, or throws if there is no such page
 * @throws Error if the text has no heading of depth 1
 */
export function renderMarkdown(text: string, resolveLink: (href: string) => string) {
  const marked = new Marked();
  const tokens = marked.lexer(text);
  const { title, sections } = readSections(tokens);
  const headings = sections.values();
  const groups = groupTabs(tokens);
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
        return `<a href="${escapeHtml(resolveLink(href))}">${this.parser.parseInline(inline)}</a>`;
      },
      image: ({ href, text }) =>
        // Wide diagrams scroll on their own, also by keyboard.
        `<span class="table" tabindex="0"><img class="diagram" src="${escapeHtml(resolveLink(href))}" alt="${escapeHtml(text)}"></span>`,
      code(token) {
        const group = groups.get(token);
        if (group === undefined || group.length === 1) return codeBlock(token, group !== undefined);
        const begin = token === group[0] ? '<div class="tabs" role="radiogroup" aria-label="Samples">\n' : '';
        const end = token === group.at(-1) ? '</div>\n' : '';
        return `${begin}${renderTab(token, group, [...new Set(groups.values())].indexOf(group))}${end}`;
      },
      table(token) {
        // Wide tables scroll on their own, also by keyboard.
        return `<div class="table" tabindex="0">${Renderer.prototype.table.call(this, token)}</div>\n`;
      },
    },
  });
  const paragraph = tokens.find((token) => token.type === 'paragraph');
  return {
    /** Text of the first heading. */
    title,
    /** Text of the first paragraph. */
    summary: paragraph === undefined ? '' : plainText(paragraph).replaceAll('\n', ' '),
    /** Everything below the first heading. */
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
      const section = sections.at(-1);
      if (section !== undefined) section.text = `${section.text} ${plainText(token)}`.replaceAll(/\s+/g, ' ').trim();
    }
  }
  const [first] = sections;
  if (first?.depth !== 1) throw new Error('a page of the documentation begins with one # heading');
  return { title: first.heading, sections };
}

/** Words of a fence behind the language: the file that a reader saves the code in, and the title of a tab. */
const FILE = /\bfile=(\S+)/;
const TAB = /\btab="([^"]*)"/;

/** The first word behind the fence is the language. A tab that stands alone has its title as caption. */
function codeBlock({ text, lang: info = '' }: Tokens.Code, isAlone: boolean): string {
  const [language = ''] = info.split(' ');
  const title = FILE.exec(info)?.[1] ?? (isAlone ? TAB.exec(info)?.[1] : undefined);
  const caption = title === undefined ? '' : `<figcaption>${escapeHtml(title)}</figcaption>`;
  return `<figure class="code">${caption}<pre><code class="language-${escapeHtml(language)}">${escapeHtml(text)}\n</code></pre></figure>\n`;
}

/** Returns for each code block with the title of a tab the blocks that stand beside it. A reader chooses one of them. */
function groupTabs(tokens: readonly Token[]): Map<Token, Tokens.Code[]> {
  const groups = new Map<Token, Tokens.Code[]>();
  let group: Tokens.Code[] = [];
  for (const token of tokens) {
    if (token.type === 'space') continue;
    if (token.type === 'code' && TAB.test(token.lang ?? '')) {
      group.push(token as Tokens.Code);
      groups.set(token, group);
    } else {
      group = [];
    }
  }
  return groups;
}

/** Returns a code block behind its radio button. The style sheet shows the block of the chosen one. */
function renderTab(token: Tokens.Code, group: readonly Tokens.Code[], number: number): string {
  const id = `tab-${number}-${group.indexOf(token)}`;
  const title = escapeHtml(TAB.exec(token.lang ?? '')?.[1] ?? '');
  const checked = token === group[0] ? ' checked' : '';
  return `<input type="radio" name="tab-${number}" id="${id}"${checked}><label for="${id}">${title}</label>${codeBlock(token, false)}`;
}

/** Returns the text of a token without its markup. */
function plainText(token: Token | Tokens.TableCell): string {
  const { type, header, rows, items = [], tokens, text = ' ' } = Object(token);
  const parts = type === 'table' ? [...header, ...rows.flat()] : items;
  if (parts.length > 0) return parts.map(plainText).join(' ');
  return tokens === undefined ? text : tokens.map(plainText).join(type === 'list_item' ? ' ' : '');
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
