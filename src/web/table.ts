import { type Block, type Content, element, mark } from './html.ts';

/** A column of a table: its title, the content of its cell in each row, and the class of its cells. The title has the class `amount`, too. */
export type Column<Row> = readonly [title: string, cell: (row: Row) => Content, className?: string];

/**
 * Returns a table, whose label is for screen readers. On a phone each row is a card, in which cells have the titles of their columns. In
 * a table with a total, the first cell of each line names it. The caption names the zone of times.
 */
export function table<Row>(
  label: string,
  rows: readonly Row[],
  columns: readonly (Column<Row> | null)[],
  { caption, className, total }: { caption?: string; className?: string; total?: Row } = {},
): Block {
  const shownColumns = columns.filter((column) => column !== null);
  const titles = shownColumns.map(([title, , look]) =>
    element('th', { scope: 'col', class: look === 'amount' ? look : undefined }, title),
  );
  const renderCells = (row: Row) =>
    shownColumns.map(([title, cell, look], place) => {
      const content = cell(row);
      if (total !== undefined && place === 0) return element('th', { scope: 'row' }, content);
      // Phones leave out empty cells, so their titles would only make long tables longer.
      return element('td', { class: look, 'data-label': content === '' ? undefined : title }, content);
    });
  const lines = rows.map((row) => mark('tr', renderCells(row)));
  const captionBlock = caption === undefined ? null : mark('caption', caption);
  const foot = total === undefined ? null : mark('tfoot', mark('tr', renderCells(total)));
  const grid = mark('table', [captionBlock, mark('thead', mark('tr', titles)), mark('tbody', lines), foot], className);
  return element('div', { class: 'scroll', role: 'region', 'aria-label': label, tabindex: 0 }, grid);
}
