import { atLocation, type Viewer } from '../../payment-links/model/staff-status.ts';
import type { SearchResult } from '../../payment-links/office/search.ts';
import { trimBlanks } from '../../platform/base/text.ts';
import { addDays, parseDay, startOfDay } from '../../platform/base/time/zoned-time.ts';
import * as ui from '../../web/blocks.ts';
import { mayDo } from '../model/roles.ts';
import { type MemberVisit, type Visit, viewerOf } from '../routing/visit.ts';
import type { Formats, PracticeView } from './formats.ts';

type Input = Readonly<Record<string, string>>;

/** Returns what a person typed into the fields of these names. */
export function typedTexts<Name extends string>(values: ReadonlyMap<string, string>, names: readonly Name[]) {
  // Every name has an entry.
  return Object.fromEntries(names.map((name) => [name, typedText(values, name)])) as Record<Name, string>;
}

/** Returns what a person typed, without blanks around it. A missing text is empty. */
export function typedText(values: ReadonlyMap<string, string>, name: string): string {
  return trimBlanks((values.get(name) ?? '').replaceAll('\r\n', '\n'));
}

/** Returns the id of the location that the filter names; empty for all, and for one that the person does not see. */
export function readLocation({ query, locations }: PracticeView): string {
  return locations.find(({ id }) => id === query.get('location'))?.id ?? '';
}

/** Returns the links and payments that the person sees at a location of `readLocation`. */
export function viewerAt(visit: MemberVisit, location: string): Viewer {
  const viewer = viewerOf(visit);
  return location === '' ? viewer : atLocation(viewer, location);
}

/** Returns the start of the first day and the end of the last one; null for a text that is no day. */
export function readDays(first: string, last: string, timeZone: string): readonly [Date | null, Date | null] {
  const [from, to] = [parseDay(first), parseDay(last)];
  return [from === null ? null : startOfDay(from, timeZone), to === null ? null : startOfDay(addDays(to, 1), timeZone)];
}

export function isFiltered(input: Input): boolean {
  return Object.values(input).some((text) => text !== '');
}

export function pathWith(path: string, parameters: Input): string {
  const entries = Object.entries(parameters).filter(([, text]) => text !== '');
  return entries.length === 0 ? path : `${path}?${new URLSearchParams(entries)}`;
}

/** Returns the form that downloads what a list of links or payments has, for people who may. */
export function exportForm({ member, modePath }: MemberVisit, list: string, input: Input, words: string): ui.Content {
  const path = pathWith(modePath(`${list}/export`), input);
  return mayDo(member, 'payments.export') && ui.download(path, words);
}

/** Returns what a search says above its matches. */
export function searchLines(words: string, matches: SearchResult | null): ui.Content {
  const cut = 'There are more matches than a search reads, so some may be missing. Type more of the name.';
  return (
    matches !== null && [ui.lead(ui.own(words)), matches.isCut && ui.text(cut, { class: 'alert', role: 'status' })]
  );
}

interface List<Row> {
  title: string;
  path: string;
  input: Input;
  rows: readonly Row[];
  columns: readonly (ui.Column<Row> | null)[];
  className?: string;
  /** Stands in place of a table without rows if nothing limits the list. */
  empty: ui.Content;
  /** Start of the next page; null on the last one. */
  next: string | null;
}

/** Returns a page of a list, and links to the first page and the next one. Addresses have the start of a page as `start`. */
export function listBlocks<Row>(
  { query }: Visit,
  { caption }: Formats,
  list: List<Row>,
): readonly [table: ui.Content, paging: ui.Content] {
  const { title, path, input, rows, columns, className, empty, next } = list;
  const isLimited = isFiltered(input) || query.has('start');
  const noMatch = 'Nothing matches the filter. Check what you typed, or remove a filter.';
  const nothing = isLimited ? ui.text(noMatch, { class: 'card' }) : empty;
  return [
    rows.length === 0 ? nothing : ui.table(title, rows, columns, { caption, className }),
    ui.paging(
      [query.has('start') ? pathWith(path, input) : null, 'First page'],
      [next === null ? null : pathWith(path, { ...input, start: next }), 'Next page', 'next'],
    ),
  ];
}
