/**
 * First characters by which spreadsheets take a cell for a formula, also in full width. Some programs leave out blanks and
 * invisible marks before them.
 */
const FORMULA = /^(?:[\t\r\n]|[\s\p{Cf}]*[=+\-@\uff1d\uff0b\uff0d\uff20])/u;

/** Byte order mark, by which spreadsheets recognize UTF-8. */
const BOM = '\ufeff';

/** Characters per chunk. A write to the socket per row would cost more than the row. */
const CHUNK_LENGTH = 16_384;

/** Text, or an amount in dollars. */
export type CsvCell = string | number;

/** A column of a file: its title, and its cell in each row. Null is an empty cell. */
export type CsvColumn<Row> = readonly [title: string, cell: (row: Row) => CsvCell | null];

/** Returns rows as a file for spreadsheets. */
export function csvDownload<Row>(filename: string, columns: readonly CsvColumn<Row>[], rows: AsyncIterable<Row>) {
  const header = columns.map(([title]) => title);
  const content = csvOf(header, lines());
  return { kind: 'download' as const, filename, type: 'text/csv; charset=utf-8', content };

  async function* lines() {
    for await (const row of rows) yield columns.map(([, cell]) => cell(row) ?? '');
  }
}

/**
 * Writes equally long rows as CSV (RFC 4180) for spreadsheets, while they are read. Every cell is quoted, and a text that would
 * be a formula begins with an apostrophe. Amounts are numbers for spreadsheets, negative ones, too.
 */
export async function* csvOf(
  header: readonly string[],
  rows: AsyncIterable<readonly CsvCell[]> | Iterable<readonly CsvCell[]>,
): AsyncGenerator<string> {
  let chunk = `${BOM}${lineOf(header)}`;
  for await (const row of rows) {
    chunk += lineOf(row);
    if (chunk.length < CHUNK_LENGTH) continue;
    yield chunk;
    chunk = '';
  }
  yield chunk;
}

function lineOf(cells: readonly CsvCell[]): string {
  return `${cells.map(cellOf).join(',')}\r\n`;
}

function cellOf(text: CsvCell): string {
  if (typeof text === 'number') return `"${text.toFixed(2)}"`;
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return `"${safe.replaceAll('"', '""')}"`;
}
