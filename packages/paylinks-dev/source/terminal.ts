import { homedir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';

/** The world around a command. Tests give their own. */
export interface Terminal {
  environment: Readonly<Record<string, string | undefined>>;
  /** Writes to standard output. */
  write(text: string): void;
  /** Writes to standard error. */
  warn(text: string): void;
  /** Reads standard input to its end. */
  readInput(): Promise<Buffer>;
  /** Aborted by Ctrl-C and SIGTERM. */
  stopped: AbortSignal;
}

/** Returns the terminal of this process. */
export function processTerminal(): Terminal {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  return {
    environment: process.env,
    write: (text) => process.stdout.write(text),
    warn: (text) => process.stderr.write(text),
    readInput: () => buffer(process.stdin),
    stopped: stop.signal,
  };
}

/** Returns the folder of the command's own files. */
export function configFolder({ environment }: Pick<Terminal, 'environment'>): string {
  const { PAYLINKS_CONFIG_DIR: own, XDG_CONFIG_HOME: base } = environment;
  return own ?? join(base ?? join(homedir(), '.config'), 'paylinks-dev');
}

/** Returns the rows as a table with aligned columns; `-` stands for no value. */
export function table(rows: readonly (readonly unknown[])[]): string {
  const texts = rows.map((row) => row.map(cell));
  const widths = (texts[0] ?? []).map((_, column) => Math.max(...texts.map((row) => row[column]?.length ?? 0)));
  return texts
    .map((row) => `${row.map((text, column) => text.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd())
    .map((line) => `${line}\n`)
    .join('');
}

/** Returns text for a terminal: control characters of values from outside are left out. */
function cell(value: unknown): string {
  if (value === null || value === undefined) return '-';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return printable(text);
}

/** Returns the text without control characters, which could change the terminal. */
export function printable(text: string): string {
  return text.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, ' ');
}
