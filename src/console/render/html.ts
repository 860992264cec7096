/** An attribute that is `true` has no value, and one that is `false` or `undefined` is left out. */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** An element. Without content, it has no end tag. */
export interface Mark {
  tag: string;
  attributes?: Attributes;
  content?: Content;
}

/** A template in `templates/`, with its values. */
interface Part {
  template: string;
  view: object;
}

export type Block = Mark | Part;

/** A text, a block, or several of them in a row. Null and false are nothing. */
export type Content = string | Block | null | false | readonly Content[];

export function element(tag: string, attributes: Attributes, ...content: readonly Content[]): Mark {
  return { tag, attributes, content };
}

export function mark(tag: string, content: Content, className?: string): Mark {
  return element(tag, { class: className }, content);
}

/** The page on which blocks stand, as far as they need it. */
interface Page {
  escaped: (text: unknown) => string;
  /** Returns the address of a path that begins with a slash. */
  url: (path: string) => string;
  /** Renders a template for the page, with a view. */
  include: (template: string, view: object) => string;
}

/** Elements that end a line, so that a person can read the source of a page. */
const ENDS_LINE = /^(?:div|dl|dd|fieldset|form|h[23]|legend|li|ol|option|p|section|summary|t(?:able|head|body|r))$/;

/** Renders blocks. All texts and values of attributes are escaped. */
export function htmlOf(content: Content, page: Page): string {
  if (content === null || content === false) return '';
  if (typeof content === 'string') return page.escaped(content);
  if ('map' in content) return content.map((one) => htmlOf(one, page)).join('');
  if ('template' in content) return page.include(content.template, content.view);
  const { tag, attributes = {}, content: inner } = content;
  const start = `<${tag}${attributesOf(attributes, page)}>`;
  return inner === undefined ? start : `${start}${htmlOf(inner, page)}</${tag}>${ENDS_LINE.test(tag) ? '\n' : ''}`;
}

function attributesOf(attributes: Attributes, { escaped, url }: Page): string {
  const shown = Object.entries(attributes).map(([name, value]) => {
    if (value === undefined || value === false) return '';
    if (value === true) return ` ${name}`;
    const isPath = (name === 'href' || name === 'action') && `${value}`.startsWith('/');
    return ` ${name}="${escaped(isPath ? url(`${value}`) : value)}"`;
  });
  return shown.join('');
}
