import { escapeHtml } from '../../documentation/content/html.ts';

/** An attribute that is `true` has no value, and one that is `false` or `undefined` is left out. */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** An element. Without content, it has no end tag. */
export interface Block {
  tag: string;
  attributes?: Attributes;
  content?: Content;
}

/** A text, a block, or several of them in a row. Null and false are nothing. */
export type Content = string | Block | null | false | readonly Content[];

export function element(tag: string, attributes: Attributes, ...content: readonly Content[]): Block {
  return { tag, attributes, content };
}

/** Returns an element with a class and no other attribute. */
export function mark(tag: string, content: Content, className?: string): Block {
  return element(tag, { class: className }, content);
}

/** Returns a value that a form sends, and that nobody sees. */
export function hiddenField(name: string, value: string): Block {
  return { tag: 'input', attributes: { type: 'hidden', name, value } };
}

/** Facts about a page that its blocks need. */
interface PageContext {
  /** Path of the console's address, without trailing slash. */
  basePath: string;
  /** Token of the session, which all forms that are sent to us have; null without a session. */
  csrfToken: string | null;
}

/** Attributes with addresses. Those that begin with a slash are paths of the console. */
const ADDRESS = /^(?:href|src|action|data-(?:options|stay|left|leave))$/;

/** Elements that end a line, so that a person can read the source of a page. */
const ENDS_LINE =
  /^(?:html|head|body|header|nav|main|footer|title|script|div|dl|dd|fieldset|form|h[1-3]|legend|li|ol|option|p|section|summary|t(?:able|head|body|r)|ul)$/;

/** Renders blocks. All texts and values of attributes are escaped. */
export function htmlOf(content: Content, page: PageContext): string {
  if (content === null || content === false) return '';
  if (typeof content === 'string') return escapeHtml(content);
  if ('map' in content) return content.map((one) => htmlOf(one, page)).join('');
  const { tag, attributes = {}, content: inner } = content;
  const start = `<${tag}${attributesOf(attributes, page)}>`;
  if (inner === undefined) return start;
  const hasToken = tag === 'form' && attributes.method === 'post' && page.csrfToken !== null;
  const token = hasToken ? htmlOf(hiddenField('csrf', page.csrfToken ?? ''), page) : '';
  return `${start}${token}${htmlOf(inner, page)}</${tag}>${ENDS_LINE.test(tag) ? '\n' : ''}`;
}

function attributesOf(attributes: Attributes, { basePath }: PageContext): string {
  const shown = Object.entries(attributes).map(([name, value]) => {
    if (value === undefined || value === false) return '';
    if (value === true) return ` ${name}`;
    const isPath = ADDRESS.test(name) && `${value}`.startsWith('/');
    return ` ${name}="${escapeHtml(isPath ? `${basePath}${value}` : `${value}`)}"`;
  });
  return shown.join('');
}
