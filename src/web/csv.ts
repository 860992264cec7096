import { clockIn } from '../platform/base/time/zoned-time.ts';

/** First characters by which spreadsheets take a cell for a formula, also in full width, or behind blanks and invisible marks. */
const FORMULA = /^(?:[\t\r\n]|[\s\p{Cf}]*[=+\-@\uff1d\uff0b\uff0d\uff20])/u;

/** Byte order mark, by which spreadsheets recognize UTF-8. */
const BOM = '\ufeff';

/** Characters per chunk. A write to the socket per row would cost more than the row. */
const CHUNK_LENGTH = 16_384;

/** A column of a file: its title, and its cell in each row: text, an amount in dollars, or null for an empty cell. */
export type CsvColumn<Row> = readonly [title: string, cell: (row: Row) => string | number | null];

/** Returns the columns of a time: in a time zone, and in UTC. */
export function timeColumns<Row>(title: string, timeZone: string, read: (row: Row) => Date | null): CsvColumn<Row>[] {
  const cell = (format: (at: Date) => string) => (row: Row) => {
    const at = read(row);
    return at && format(at);
  };
  return [
    [`${title} (${timeZone})`, cell((at) => clockIn(at, timeZone))],
    [`${title} (UTC)`, cell((at) => at.toISOString())],
  ];
}

/** Returns rows as a file for spreadsheets. */
export function csvDownload<Row>(filename: string, columns: readonly CsvColumn<Row>[], rows: AsyncIterable<Row>) {
  return { kind: 'download' as const, filename, type: 'text/csv; charset=utf-8', content: writeCsv(columns, rows) };
}

/**
 * Writes rows as CSV (RFC 4180) for spreadsheets, while they are read. Every cell is quoted, and a text that would
 * be a formula begins with an apostrophe. Amounts are numbers for spreadsheets, negative ones, too.
 */
export async function* writeCsv<Row>(
  columns: readonly CsvColumn<Row>[],
  rows: AsyncIterable<Row> | Iterable<Row>,
): AsyncGenerator<string> {
  let chunk = `${BOM}${writeLine(columns.map(([title]) => title))}`;
  for await (const row of rows) {
    chunk += writeLine(columns.map(([, cell]) => cell(row) ?? ''));
    if (chunk.length < CHUNK_LENGTH) continue;
    yield chunk;
    chunk = '';
  }
  yield chunk;
}

function writeLine(cells: readonly (string | number)[]): string {
  const texts = cells.map((cell) => {
    if (typeof cell === 'number') return `"${cell.toFixed(2)}"`;
    const text = FORMULA.test(cell) ? `'${cell}` : cell;
    return `"${text.replaceAll('"', '""')}"`;
  });
  return `${texts.join(',')}\r\n`;
}
