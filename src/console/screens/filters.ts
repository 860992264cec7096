import { trimBlanks } from '../../platform/base/text.ts';
import * as ui from '../../web/blocks.ts';
import type { Formats } from './formats.ts';

/** Returns what a person typed into the fields of these names, without blanks around it. A missing text is empty. */
export function typedTexts<Name extends string>(values: ReadonlyMap<string, string>, names: readonly Name[]) {
  const entries = names.map((name) => [name, trimBlanks((values.get(name) ?? '').replaceAll('\r\n', '\n'))]);
  // Every name has an entry.
  return Object.fromEntries(entries) as Record<Name, string>;
}

export function isFiltered(input: Readonly<Record<string, string>>): boolean {
  return Object.values(input).some((text) => text !== '');
}

export function pathWith(path: string, parameters: Readonly<Record<string, string>>): string {
  const entries = Object.entries(parameters).filter(([, text]) => text !== '');
  return entries.length === 0 ? path : `${path}?${new URLSearchParams(entries)}`;
}

/** Returns the sum of the amounts in a list, or in one of its pages. */
export function totalText(
  rows: readonly { amountCents: number }[],
  isWhole: boolean,
  { money, count }: Formats,
): ui.Content {
  const cents = rows.reduce((sum, { amountCents }) => sum + amountCents, 0);
  const where = isWhole ? 'in all' : 'on this page';
  return rows.length > 1 && ui.text(`${count(rows.length)} amounts ${where}: ${money(cents)}.`, { class: 'hint' });
}

/** Returns the links to the first and the next page of a list, with its filter. `older` is `before` of the next page. */
export function pagesOf(
  path: string,
  input: Readonly<Record<string, string>>,
  isFirst: boolean,
  older: string | null,
): ui.Block {
  return ui.paging(
    [isFirst ? null : pathWith(path, input), 'Newest'],
    [older === null ? null : pathWith(path, { ...input, before: older }), 'Older', 'next'],
  );
}
