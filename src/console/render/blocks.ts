import type { Reply } from '../routing/route.ts';

/*
 * Pages as data. A screen describes its page as a list of blocks: tables, forms, facts and texts. Each kind of block has one template
 * in `templates/blocks/`. What only one page has stands in a template of its own.
 */

type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** An element within a text. An attribute that is `true` has no value, and one that is `false` or `undefined` is left out. */
export interface Mark {
  tag: 'a' | 'b' | 'bdi' | 'br' | 'code' | 'p' | 'span' | 'strong' | 'time';
  attributes?: Attributes;
  content?: Content;
}

/** A text, an element, a block, or several of them in a row. */
export type Content = string | Mark | Block | readonly Content[];

/** A part of a page. */
export type Block =
  | { kind: 'text'; content: Content; attributes: Attributes }
  | {
      kind: 'section';
      tag: 'section' | 'div' | 'nav';
      attributes: Attributes;
      title?: Content;
      blocks: readonly Block[];
    }
  | { kind: 'facts'; rows: readonly Fact[]; className?: string }
  | { kind: 'field'; field: Field }
  | { kind: 'check'; check: Check }
  | { kind: 'fieldset'; legend: string; blocks: readonly Block[] }
  | { kind: 'details'; summary: string; isOpen: boolean; className?: string; blocks: readonly Block[] }
  | { kind: 'form'; form: Form }
  | { kind: 'table'; table: Table }
  | { kind: 'steps'; items: readonly Content[] }
  | { kind: 'template'; template: string; view: object };

/** A name with its value, and the class of the value. */
type Fact = readonly [name: string, value: Content, className?: string];

/** A field of a form. */
export interface Field {
  name: string;
  /** The name, unless the page has several fields of this name. */
  id?: string;
  label: string;
  value?: string;
  /** Stands below the input, or above it. */
  hint?: Content;
  isHintAbove?: boolean;
  /** Refuses the value. */
  fault?: string;
  /** Makes the field a list to choose from. */
  options?: readonly Option[];
  /** Makes the field a text of so many lines. */
  rows?: number;
  attributes?: Attributes;
  className?: string;
}

/** An entry of a list to choose from. */
export type Option = readonly [value: string, text: string];

/** A box to tick, or one of several to choose. */
interface Check {
  type: 'checkbox' | 'radio';
  id: string;
  name: string;
  label: Content;
  attributes: Attributes;
  isIndented?: boolean;
}

/** A form. Forms that change something have the token of the session. */
export interface Form {
  method?: 'get';
  action: string;
  className?: string;
  title?: string;
  /** Heads a form of a section that has a title. */
  subtitle?: string;
  attributes?: Attributes;
  blocks?: readonly Block[];
  hidden?: Readonly<Record<string, string>>;
  /** A sentence that the person confirms by a tick. */
  confirm?: string;
  confirmId?: string;
  button: string;
  /** The button stands alone, in a cell of a table. */
  isInCell?: boolean;
  /** Names the button for screen readers. */
  buttonLabel?: string;
  /** Class of the button: `stop` for what cannot be undone, `quiet` for what one rarely needs. */
  look?: 'stop' | 'quiet';
  /** Stands beside the button. */
  beside?: Content;
  /** Stands below the button. */
  after?: Content;
}

interface Table {
  /** Names the table for screen readers: a text, or the id of its heading. */
  label: string | { id: string };
  className?: string;
  columns: readonly { title: string; className?: string }[];
  rows: readonly (readonly Content[])[];
}

/** A column of a table: its title, and the content of its cell in each row. A class stands at the cells, `amount` at the title, too. */
export type Column<Row> = readonly [title: string, cell: (row: Row) => Content, className?: string];

/** Attributes of fields whose values are no words of a language. */
export const CODE = { autocomplete: 'off', autocapitalize: 'none', spellcheck: 'false' } as const;

/** Returns a page of blocks. With an error, its status is 422 unless another one is given. */
export function page(
  title: string,
  blocks: readonly (Block | null)[],
  { error, done, status = error === undefined ? 200 : 422 }: { error?: string; done?: string; status?: number } = {},
): Extract<Reply, { kind: 'page' }> {
  const view = { blocks: blocks.filter((block) => block !== null), error, done };
  return { kind: 'page', status, template: 'blocks', title, view };
}

/** Returns a part that only one page has, with the values of its template. */
export function part(template: string, view: object): Block {
  return { kind: 'template', template, view };
}

/** Returns the sentence under the heading of a page. */
export function lead(content: Content): Block {
  return text(content, { class: 'lead' });
}

/** Returns a paragraph. */
export function text(content: Content, attributes: Attributes = {}): Block {
  return { kind: 'text', content, attributes };
}

/** Returns a section with a heading. */
export function section(title: Content | null, blocks: readonly (Block | null)[], attributes: Attributes = {}): Block {
  return {
    kind: 'section',
    tag: 'section',
    title: title ?? undefined,
    attributes,
    blocks: blocks.filter((block) => block !== null),
  };
}

/** Returns a section whose heading names a table by its id. */
export function named(id: string, title: string, blocks: readonly (Block | null)[]): Block {
  return section(null, [heading(title, id), ...blocks]);
}

/** Returns a section without a heading, as a card. */
export function card(...blocks: readonly (Block | null)[]): Block {
  return section(null, blocks, { class: 'card' });
}

/** Returns a heading. */
export function heading(title: Content, id?: string): Block {
  return part('/blocks/heading', { title, id });
}

/** Returns a list of names and values. */
export function facts(rows: readonly (Fact | null)[], className: string | null = 'facts'): Block {
  return { kind: 'facts', rows: rows.filter((row) => row !== null), className: className ?? undefined };
}

/** Returns a table. Each row becomes a line, in which each column has a cell. */
export function table<Row>(
  label: Table['label'],
  rows: readonly Row[],
  columns: readonly (Column<Row> | null)[],
  className?: string,
): Block {
  const shown = columns.filter((column) => column !== null);
  return {
    kind: 'table',
    table: {
      label,
      className,
      columns: shown.map(([title, , className]) => ({ title, className })),
      rows: rows.map((row) => shown.map(([, cell]) => cell(row))),
    },
  };
}

/** Returns a form. */
export function form(form: Form): Block {
  return { kind: 'form', form: { className: 'card', ...form } };
}

/** Returns a form of one act. With a label, the person confirms it by a tick, because it cannot be undone. */
export function act(
  action: string,
  { title, text: about, label, button }: { title?: string; text?: string; label?: string; button: string },
  rest: Partial<Form> = {},
): Block {
  const blocks = about === undefined ? [] : [text(about)];
  return form({
    action,
    title,
    blocks,
    confirm: label,
    button,
    look: label === undefined ? undefined : 'stop',
    ...rest,
  });
}

/** Returns the form that filters a list. With a filter, a link leads to the whole list. */
export function filterForm(
  { title, button, reset }: Record<'title' | 'button' | 'reset', string>,
  path: string,
  isFiltered: boolean,
  blocks: readonly Block[],
): Block {
  const after = isFiltered ? link(path, reset) : undefined;
  return form({ method: 'get', action: path, className: 'card filter', title, button, blocks, after });
}

/** Returns a field of one line. */
export function field(name: string, label: string, value: string | undefined, rest: Partial<Field> = {}): Block {
  return { kind: 'field', field: { name, label, value, ...rest } };
}

/** Returns a list to choose from. `all` stands first, for no choice. */
export function select(
  name: string,
  label: string,
  value: string,
  options: readonly Option[],
  { all, ...rest }: Partial<Field> & { all?: string } = {},
): Block {
  const offered = all === undefined ? options : [['', all] as const, ...options];
  return { kind: 'field', field: { name, label, value, options: offered, ...rest } };
}

/** Returns a box to tick. */
export function check(name: string, label: Content, isChecked = false, rest: Partial<Check> = {}): Block {
  const attributes = { checked: isChecked };
  return { kind: 'check', check: { type: 'checkbox', id: name, name, label, attributes, ...rest } };
}

/** Returns one of several boxes of which one is chosen. */
export function radio(name: string, value: string, label: string, isChecked: boolean): Block {
  const attributes = { value, checked: isChecked };
  return { kind: 'check', check: { type: 'radio', id: `${name}-${value}`, name, label, attributes } };
}

/** Returns the links to other pages of a list. A link without an address is left out. */
export function paging(
  ...links: readonly (readonly [href: string | null, text: string, rel?: 'prev' | 'next'])[]
): Block {
  const shown = links.flatMap(([href, text, rel]) => (href === null ? [] : [link(href, text, { rel }), ' ']));
  return text(shown, { class: 'paging' });
}

/** Returns the form that downloads what a list shows. */
export function download(action: string, hidden: Readonly<Record<string, string>>, button: string): Block {
  return form({ action, className: 'download', hidden, button, look: 'quiet' });
}

/** Returns a link. Paths begin with `/console`. */
export function link(href: string, content: Content, attributes: Attributes = {}): Mark {
  return { tag: 'a', attributes: { class: 'touch', href, ...attributes }, content };
}

/** Returns a text of a person or a program, whose direction is its own. */
export function own(content: Content): Mark {
  return { tag: 'bdi', content };
}

/** Returns a text in an element, such as a `span` with a class. */
export function mark(tag: Mark['tag'], content: Content, className?: string): Mark {
  return { tag, attributes: { class: className }, content };
}

/** Returns a moment as a text, with the moment for programs. */
export function moment(at: Date | string, text: string): Mark {
  return { tag: 'time', attributes: { datetime: typeof at === 'string' ? at : at.toISOString() }, content: text };
}

/** A line break. */
export const BREAK: Mark = { tag: 'br' };
