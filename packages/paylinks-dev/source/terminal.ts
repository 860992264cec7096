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
  /** Aborted by Ctrl-C and SIGTERM. Until a command reads it, they end the process. */
  readonly stopped: AbortSignal;
}

/** Returns the terminal of this process. */
export function processTerminal(): Terminal {
  let stopped: AbortSignal | undefined;
  // A reader that ends early, such as `head`, ends the command without an error of its own.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(1);
  });
  return {
    environment: process.env,
    write: (text) => process.stdout.write(text),
    warn: (text) => process.stderr.write(text),
    readInput: () => buffer(process.stdin),
    // Only a command that asks for the signal ends by itself. Node ends all others at once.
    get stopped() {
      stopped ??= stopSignal();
      return stopped;
    },
  };
}

function stopSignal(): AbortSignal {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  return stop.signal;
}

/** Returns the folder of the command's own files. An empty variable counts as absent. */
export function configFolder({ environment }: Pick<Terminal, 'environment'>): string {
  const { PAYLINKS_CONFIG_DIR: own, XDG_CONFIG_HOME: base } = environment;
  return own || join(base || join(homedir(), '.config'), 'paylinks-dev');
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

/** Control characters, and those that reverse the direction of text: they could change or falsify what the terminal shows. */
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g;

/** Returns the text without characters that could change the terminal. */
export function printable(text: string): string {
  return text.replaceAll(UNPRINTABLE, ' ');
}

/** Returns the value as a line of JSON, or as indented lines. Characters that could change the terminal are escaped. */
export function jsonLine(value: object, indent = 0): string {
  const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  const lines = JSON.stringify(value, null, indent).split('\n');
  return lines.map((line) => `${line.replaceAll(UNPRINTABLE, escaped)}\n`).join('');
}
