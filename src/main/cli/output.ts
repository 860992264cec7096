/** Result of a command: one JSON document with `--json`, otherwise a table, or for a list without items the text `empty`. */
export type Shown = { data: readonly object[]; empty?: string } | object;

/** Returns the text of a result for standard output, with a line break at its end. */
export function render(result: Shown, json: boolean): string {
  if (json) return `${JSON.stringify({ ...result, empty: undefined }, null, 2)}\n`;
  if ('data' in result && Array.isArray(result.data)) {
    if (result.data.length > 0) return listTable(result.data);
    return 'empty' in result ? `${result.empty}\n` : 'none\n';
  }
  const rows = Object.entries(result).map(([name, value]) => [name, cell(value)]);
  return table(rows);
}

function listTable(items: readonly object[]): string {
  const names = Object.keys(items[0] ?? {});
  const rows = items.map((item) => Object.values(item).map(cell));
  return table([names, ...rows]);
}

function table(rows: string[][]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  const line = (row: string[]) =>
    row
      .map((text, column) => text.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return rows.map((row) => `${line(row)}\n`).join('');
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return '-';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
