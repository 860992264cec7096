import { Marked, type Token, type Tokens } from 'marked';

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

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Returns the text with HTML's special characters escaped. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? character);
}

/**
 * Renders Markdown. Raw HTML in it appears as text, so a page can contain neither script nor style.
 *
 * @throws Error if the text has no heading of depth 1, or if a link leads nowhere
 */
export function renderMarkdown(text: string, resolveLink: ResolveLink): Rendered {
  const ids = new Set<string>();
  const sections: Section[] = [];
  const marked = new Marked({ gfm: true });
  const tokens = marked.lexer(text);
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
  if (first === undefined || first.depth !== 1)
    throw new Error('a page of the documentation begins with one # heading');
  const headings = sections.values();
  marked.use({
    renderer: {
      html: ({ text: raw }) => escapeHtml(raw),
      heading({ tokens: inline, depth }) {
        const id = headings.next().value?.id ?? null;
        const content = this.parser.parseInline(inline);
        // The page's template has the first heading.
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
        `<img class="diagram" src="${escapeHtml(resolveLink(href))}" alt="${escapeHtml(text)}" loading="lazy">`,
      code: ({ text: code, lang }) => codeBlock(code, lang ?? ''),
      table(token) {
        const head = `<tr>${token.header.map((cell) => `<th scope="col">${inlineOf(this, cell)}</th>`).join('')}</tr>`;
        const rows = token.rows.map(
          (row) => `<tr>${row.map((cell) => `<td>${inlineOf(this, cell)}</td>`).join('')}</tr>`,
        );
        // Wide tables scroll on their own, also by keyboard.
        return `<div class="table" tabindex="0"><table><thead>${head}</thead><tbody>${rows.join('')}</tbody></table></div>\n`;
      },
    },
  });
  const paragraph = tokens.find((token) => token.type === 'paragraph');
  return {
    title: first.heading,
    summary: paragraph === undefined ? '' : plainText(paragraph).replaceAll('\n', ' '),
    html: marked.parser(tokens),
    sections,
  };
}

function inlineOf(renderer: { parser: { parseInline(tokens: Token[]): string } }, cell: Tokens.TableCell): string {
  return renderer.parser.parseInline(cell.tokens);
}

/** The first word behind the fence is the language. `file=` names the file that a reader saves the code in. */
function codeBlock(code: string, info: string): string {
  const [language = ''] = info.split(' ');
  const file = /\bfile=(\S+)/.exec(info)?.[1];
  const caption = file === undefined ? '' : `<figcaption>${escapeHtml(file)}</figcaption>`;
  return `<figure class="code">${caption}<pre tabindex="0"><code class="language-${escapeHtml(language)}">${escapeHtml(code)}\n</code></pre></figure>\n`;
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
  return 'text' in token ? unescapeHtml(token.text ?? '') : ' ';
}

/** The lexer escapes some texts already. */
function unescapeHtml(text: string): string {
  return Object.entries(ESCAPES).reduce((all, [character, entity]) => all.replaceAll(entity, character), text);
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
