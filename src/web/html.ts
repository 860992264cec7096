/* Pages as data: every page of the service is made of elements, and every text is escaped. */

/** An attribute that is `true` has no value, and one that is `false`, null or `undefined` is left out. */
export type Attributes = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** An element. Without content, it has no end tag. */
export interface Block {
  tag: string;
  attributes?: Attributes;
  content?: Content;
}

/** HTML that the renderer of Markdown made. It is the only text that is not escaped. */
export class RawHtml {
  /** Private, so that no other object passes for raw HTML. */
  readonly #html: string;

  constructor(html: string) {
    this.#html = html;
  }

  toString(): string {
    return this.#html;
  }
}

/** A text, a block, or several of them in a row. Null and false are nothing. */
export type Content = string | Block | RawHtml | null | false | readonly Content[];

export function element(tag: string, attributes: Attributes, ...content: readonly Content[]): Block {
  return { tag, attributes, content };
}

/** Returns an element with a class and no other attribute. */
export function mark(tag: string, content: Content, className?: string): Block {
  return element(tag, { class: className }, content);
}

/** Isolates the direction of a text that a person or a program wrote, such as an Arabic name. */
export function own(content: Content): Block {
  return element('bdi', {}, content);
}

/** Returns a value that a form sends, and that nobody sees. */
export function hiddenField(name: string, value: string): Block {
  return { tag: 'input', attributes: { type: 'hidden', name, value } };
}

/** Facts about a page that its blocks need. */
interface PageContext {
  /** Path of the service's or the console's address, without trailing slash. */
  basePath: string;
  /** Token of the session, which all forms that are sent to us have; null without a session. */
  csrfToken: string | null;
}

/** Attributes with addresses. Values that begin with a slash are paths below the base path. */
const ADDRESS = /^(?:href|src|action|data-(?:options|stay|left|leave|index))$/;

/** Elements that end a line, so that a person can read the source of a page. */
const ENDS_LINE =
  /^(?:html|head|body|header|nav|main|footer|title|script|div|dl|dd|fieldset|form|h[1-3]|legend|li|ol|option|p|section|summary|t(?:able|head|body|r)|ul)$/;

/** Parts of a page, for its head and its body. */
interface PageParts {
  language: string;
  title: string;
  files: Record<'icon' | 'style' | 'script', LoadedFile>;
  /** Further elements of the head. */
  head: Content;
  body: Content;
}

/** A file that a page loads. Browsers refuse one that has another hash. */
interface LoadedFile {
  path: string;
  integrity?: string | undefined;
}

export function renderHtmlPage({ language, title, files, head, body }: PageParts, page: PageContext): string {
  const { icon, style, script } = files;
  const document = element(
    'html',
    { lang: language },
    mark('head', [
      { tag: 'meta', attributes: { charset: 'utf-8' } },
      meta('viewport', 'width=device-width, initial-scale=1'),
      meta('color-scheme', 'light dark'),
      mark('title', title),
      headLink('icon', icon),
      headLink('stylesheet', style),
      head,
      element('script', { src: script.path, integrity: script.integrity, defer: true }, ''),
    ]),
    mark('body', body),
  );
  return `<!doctype html>\n${renderContent(document, page)}`;
}

/** Renders the HTML of a mail, whose addresses are whole. */
export function renderHtmlMail(whole: Block): string {
  return `<!doctype html>\n${renderContent(whole, { basePath: '', csrfToken: null })}`;
}

export function meta(name: string, content: string): Block {
  return { tag: 'meta', attributes: { name, content } };
}

export function headLink(rel: string, { path, ...rest }: LoadedFile & { type?: string; title?: string }): Block {
  return { tag: 'link', attributes: { rel, href: path, ...rest } };
}

/** Renders blocks. All texts and values of attributes are escaped. */
function renderContent(content: Content, page: PageContext): string {
  if (content === null || content === false) return '';
  if (typeof content === 'string') return escapeHtml(content);
  if ('map' in content) return content.map((one) => renderContent(one, page)).join('');
  if (content instanceof RawHtml) return content.toString();
  const { tag, attributes = {}, content: inner } = content;
  const start = `<${tag}${renderAttributes(attributes, page)}>`;
  if (inner === undefined) return start;
  const hasToken = tag === 'form' && attributes.method === 'post' && page.csrfToken !== null;
  const token = hasToken ? renderContent(hiddenField('csrf', page.csrfToken ?? ''), page) : '';
  return `${start}${token}${renderContent(inner, page)}</${tag}>${ENDS_LINE.test(tag) ? '\n' : ''}`;
}

function renderAttributes(attributes: Attributes, { basePath }: PageContext): string {
  const parts = Object.entries(attributes).map(([name, value]) => {
    if (value == null || value === false) return '';
    if (value === true) return ` ${name}`;
    const text = `${value}`;
    const isPath = text.startsWith('/') && ADDRESS.test(name);
    return ` ${name}="${escapeHtml(isPath ? `${basePath}${text}` : text)}"`;
  });
  return parts.join('');
}

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
