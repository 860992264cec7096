import { type Attributes, type Block, type Content, element, hiddenField, mark } from './html.ts';

export { type Block, type Content, element, hiddenField, mark, own } from './html.ts';
export { type Column, table } from './table.ts';

/* Screens describe their pages by these elements: tables, forms, facts and texts. `html.ts` renders them. */

export interface ConsolePage {
  kind: 'page';
  status: number;
  title: string;
  /** Stand below the title: what was refused, with links to the wrong fields, or what was done. */
  error: string | undefined;
  faults: readonly Content[] | undefined;
  done: string | undefined;
  blocks: Content;
}

/** A name with its value, and the class of the value. */
export type Fact = readonly [name: string, value: Content, className?: string];

/** A field of a form: how it looks, and all other attributes of its input. */
export interface Field {
  /** The name, unless the page has several fields of this name. */
  id?: string;
  /** Stands below the input, or above it. */
  hint?: Content;
  isHintAbove?: boolean;
  /** Refuses the value. */
  fault?: string;
  /** True if the alert of the page says why the value is wrong. */
  isWrong?: boolean;
  /** Makes the field a list to choose from. */
  options?: readonly Option[];
  /** First of these options, for no choice. */
  all?: string;
  /** Makes the field a text of so many lines. */
  rows?: number;
  className?: string;
  [attribute: string]: Content | number | boolean | undefined;
}

/** An entry of a list to choose from. */
export type Option = readonly [value: string, text: string];

interface Form {
  title?: string;
  /** Stands above the fields. */
  text?: Content;
  /** Without it, the button has the title. */
  button?: string;
  /** Name that the button sends, with the value `yes`. Absent: it sends none. */
  name?: string;
  method?: 'get';
  className?: string;
  attributes?: Attributes;
  hidden?: Readonly<Record<string, string>> | undefined;
  /** A sentence that the person confirms by a tick, because the step cannot be undone. */
  label?: Content;
  /** Class of the button: `stop` for what cannot be undone, `quiet` for what one rarely needs. */
  look?: 'stop' | 'quiet' | undefined;
  beside?: Content;
}

/** Attributes of fields whose values are no words of a language. */
export const CODE = { autocomplete: 'off', autocapitalize: 'none', spellcheck: 'false' } as const;

/** Returns a page of blocks. With an error, its status is 422 unless another one is given. */
export function page(
  title: string,
  {
    error,
    faults,
    done,
    status = error === undefined ? 200 : 422,
  }: Partial<Omit<ConsolePage, 'kind' | 'title' | 'blocks'>>,
  blocks: Content,
): ConsolePage {
  return { kind: 'page', status, title, error, faults, done, blocks };
}

export function text(content: Content, attributes: Attributes = {}): Block {
  return element('p', attributes, content);
}

/** Returns the sentence under the heading of a page. */
export function lead(content: Content): Block {
  return text(content, { class: 'lead' });
}

export function heading(title: Content): Block {
  return element('h2', {}, title);
}

export function section(title: Content, blocks: readonly Content[], attributes: Attributes = {}): Block {
  return element('section', attributes, title === null ? null : heading(title), ...blocks);
}

/** Returns blocks that a class of the style sheet lays out. */
export function group(className: string, ...blocks: readonly Content[]): Block {
  return mark('div', blocks, className);
}

export function card(title: Content, blocks: readonly Content[]): Block {
  return section(title, blocks, { class: 'card' });
}

/** Returns links for which screen readers have a name. */
export function nav(label: string, links: readonly Content[], className?: string): Block {
  return element('nav', { class: className, 'aria-label': label }, list('ul', links));
}

/** Returns links to pages that belong together, of which one is shown. */
export function tabs<Tab extends string>(
  title: string,
  entries: readonly (readonly [tab: NoInfer<Tab>, text: string, href: string])[],
  shownTab: Tab,
): Block {
  const links = entries.map(([tab, text, href]) => link(href, text, { 'aria-current': tab === shownTab && 'page' }));
  return nav(title, links, 'tabs');
}

/** Returns a text of a program, with a name for screen readers. */
export function code(name: string, content: string): Block {
  return element('pre', { class: 'code', tabindex: 0, role: 'region', 'aria-label': name }, content);
}

/** Returns the button that copies the field of an id, for browsers with scripts. */
export function copyButton(id: string, words: string): Block {
  const button = element('button', { type: 'button', class: 'quiet', 'data-copy': id }, words);
  return text([button, ' ', element('span', { role: 'status' })], { class: 'buttons', hidden: true });
}

/** Returns a state in words. The style sheet gives it a color. */
export function badge(words: string, state?: string): Block {
  return mark('span', words, state === undefined ? 'badge' : `badge is-${state}`);
}

/** Returns the button that prints the page, for browsers with scripts. */
export function printButton(words: string): Block {
  return element('button', { type: 'button', 'data-print': true, hidden: true }, words);
}

/** Returns a figure that leads to its list, with a note below. */
export function figure(label: string, value: string, href: string, note: Content = null): Content {
  const words = [mark('span', label), ' ', mark('strong', value)];
  return [link(href, words, { class: 'figure' }), note !== null && text(note, { class: 'hint' })];
}

/** Returns blocks that a click shows. */
export function details(summary: string, attributes: Attributes, blocks: readonly Content[]): Block {
  return element('details', attributes, mark('summary', summary), ...blocks);
}

/** Returns fields that belong together. An input below one choice chooses it (`console.js`), which `choice` names by its id. */
export function fieldset(
  legend: string,
  blocks: readonly Content[],
  { choice, fault }: { choice?: string; fault?: string } = {},
): Block {
  const faultId = `${choice}-error`;
  const attributes = { 'data-choice': choice, 'aria-describedby': fault && faultId };
  const refusal = fault ? text(fault, { class: 'fault', id: faultId }) : null;
  return element('fieldset', attributes, mark('legend', legend), refusal, ...blocks);
}

export function list(tag: 'ul' | 'ol', items: readonly Content[], className?: string): Block {
  const lines = items.map((item) => mark('li', item));
  return mark(tag, lines, className);
}

/** Returns names with values, and leaves names without a value out. The class `facts` puts each name beside its value. */
export function facts(className: string | undefined, rows: readonly Fact[]): Block {
  const entries = rows.filter(([, value]) => value !== null && value !== false);
  const lines = entries.map(([name, value, look]) => mark('div', [mark('dt', name), mark('dd', value, look)]));
  return mark('dl', lines, className);
}

export function form(action: string, words: Form, blocks: Content = null): Block {
  const { title, text: about, button, name, method, attributes, hidden, className = 'card', label, beside } = words;
  const look = words.look ?? (label === undefined ? undefined : 'stop');
  const submit = element('button', { class: look, name, value: name && 'yes' }, button ?? title ?? null);
  return element(
    'form',
    { class: className || undefined, method: method ?? 'post', action, ...attributes },
    title === undefined ? null : heading(title),
    about === undefined ? null : text(about),
    blocks,
    hiddenFields(hidden),
    // A page may have several such forms, so the box has their action as its id.
    label === undefined ? null : choice('checkbox', action, label, { name: 'confirmed', required: true }),
    text(beside === undefined ? submit : [submit, ' ', beside]),
  );
}

/** Returns a button that stands alone, as in a cell of a table. The label names it for screen readers. */
export function button(
  action: string,
  content: string,
  { look, label, hidden }: { look: 'stop' | 'quiet'; label?: string; hidden?: Form['hidden'] },
): Block {
  const submit = element('button', { class: look, 'aria-label': label }, content);
  return element('form', { method: 'post', action }, hiddenFields(hidden), submit);
}

function hiddenFields(hidden: Form['hidden'] = {}): Block[] {
  return Object.entries(hidden).map(([name, value]) => hiddenField(name, value));
}

/** Returns the form that filters a list. With a filter, a link leads to the whole list. `kept` are filters without a field. */
export function filterForm(
  path: string,
  isFiltered: boolean,
  blocks: readonly Content[],
  kept?: Form['hidden'],
): Block {
  const beside = isFiltered ? link(path, 'Show all') : undefined;
  return details('Filter', { class: 'card filters', open: isFiltered }, [
    form(path, { method: 'get', className: 'filter', button: 'Apply', beside, hidden: kept }, blocks),
  ]);
}

/** Returns a field. Without options and rows, it has one line. */
export function field(name: string, label: string, value: string | null | undefined, rest: Field = {}): Block {
  const { id = name, hint, isHintAbove = false, fault, isWrong = false, options, all, rows, ...others } = rest;
  // All but the named properties are attributes of the input.
  const { className = 'field', ...attributes } = others as Attributes & { className?: string };
  const hintId = `${id}-help`;
  const notes = [isWrong && 'form-error', hint && hintId, fault && `${id}-error`].filter(Boolean).join(' ');
  const aria = { 'aria-describedby': notes || undefined, 'aria-invalid': (fault || isWrong) && 'true' };
  const help = hint ? text(hint, { class: 'hint', id: hintId }) : null;
  const refusal = fault ? text(fault, { class: 'fault', id: `${id}-error` }) : null;
  const choices = all === undefined ? options : [['', all] as const, ...(options ?? [])];
  const input = renderInput({ id, name, ...attributes, ...aria }, value ?? undefined, choices, rows);
  const parts = isHintAbove ? [help, refusal, input] : [refusal, input, help];
  return mark('div', [element('label', { for: id }, label), parts], className);
}

/** Returns the fields of a form by their names. The words have their labels, and their hints, such as `phone` and `phoneHelp`. */
export function fields<Name extends string>(
  words: Readonly<Record<NoInfer<Name>, string> & Partial<Record<`${NoInfer<Name>}Help`, string>>>,
  values: Readonly<Partial<Record<NoInfer<Name>, string | null>>>,
  looks: Readonly<Record<Name, Field>>,
): Block[] {
  const hints: Readonly<Record<string, string | undefined>> = words;
  const names = Object.keys(looks) as Name[];
  return names.map((name) => field(name, words[name], values[name], { hint: hints[`${name}Help`], ...looks[name] }));
}

function renderInput(input: Attributes, value: string | undefined, options?: readonly Option[], rows?: number): Block {
  if (options !== undefined) {
    const choices = options.map(([one, text]) => element('option', { value: one, selected: one === value }, text));
    return element('select', input, ...choices);
  }
  if (rows === undefined) return { tag: 'input', attributes: { ...input, value } };
  // Browsers drop the first line break of a textarea.
  return element('textarea', { ...input, rows }, value?.startsWith('\n') === true ? '\n' : '', value ?? '');
}

export function check(name: string, label: Content, isChecked = false, isIndented = false): Block {
  return choice('checkbox', name, label, { name, checked: isChecked }, isIndented);
}

/** Returns one of several boxes of which one is chosen. */
export function radio(name: string, value: string, label: string, isChecked: boolean): Block {
  return choice('radio', `${name}-${value}`, label, { name, value, checked: isChecked });
}

function choice(type: string, id: string, label: Content, attributes: Attributes, isIndented = false): Block {
  const input = { tag: 'input', attributes: { type, id, ...attributes } };
  return mark('div', [input, element('label', { for: id }, label)], isIndented ? 'choice indented' : 'choice');
}

/** Returns the links to other pages of a list. A link without an address is left out. */
export function paging(...links: readonly (readonly [href: string | null, text: string, rel?: 'next'])[]): Block {
  const items = links.map(([href, text, rel]) => href !== null && [link(href, text, { rel }), ' ']);
  return text(items, { class: 'paging' });
}

/** Returns the form that downloads what a list shows. Its address has the filter of the list. */
export function download(action: string, button: string): Block {
  return form(action, { className: 'download', button, look: 'quiet' });
}

/** Returns a link. Paths begin with a slash. */
export function link(href: string, content: Content, attributes: Attributes = {}): Block {
  return element('a', { class: 'touch', href, ...attributes }, content);
}

/** Returns a moment as a text, with the moment for programs. */
export function moment(at: Date | string, text: string): Block {
  return element('time', { datetime: typeof at === 'string' ? at : at.toISOString() }, text);
}

export const BREAK: Block = { tag: 'br' };
