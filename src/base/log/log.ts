import { type DestinationStream, type Logger, pino } from 'pino';
import { describeError } from './describe-error.ts';

/** What a redacted field shows. */
const CENSOR = '[redacted]';

/**
 * The process's logger: one JSON line per request and per attempt at info, ids and units in its fields. What may be
 * secret or tell about a patient is never passed to it; redaction by field name is the second line of defence. No child
 * loggers: pino puts their own fields into every line without asking the redaction. A test refuses them.
 *
 * @param sensitiveFields names whose values are blanked, at the top of a line and one level below
 */
export function createLogger(
  level: string,
  sensitiveFields: Iterable<string> = [],
  destination?: DestinationStream,
): Logger {
  const names = new Set([...sensitiveFields, 'authorization', 'token', 'key']);
  const options = {
    level,
    base: { pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: describeError },
    // pino's own `redact` walks every path of every line, which costs several times the line itself.
    formatters: { log: (fields: Record<string, unknown>) => redacted(fields, names) },
  };
  return pino(options, destination ?? standardOutput());
}

let shared: DestinationStream | undefined;

/** The one stream to standard output. */
function standardOutput(): DestinationStream {
  shared ??= perTurn(pino.destination({ dest: 1, sync: true }));
  return shared;
}

/** What a pipe takes in one piece (PIPE_BUF), so that lines of several processes on one pipe stay whole. */
const MAX_WRITE = 4_096;

/** Writes the lines of one turn of the event loop at once: under load a write per line costs as much as the line. */
function perTurn(destination: DestinationStream): DestinationStream {
  let lines = '';
  const flush = () => {
    if (lines === '') return;
    const text = lines;
    lines = '';
    destination.write(text);
  };
  process.on('exit', flush);
  return {
    write(line) {
      if (lines.length + line.length > MAX_WRITE) flush();
      if (lines === '') setImmediate(flush);
      lines += line;
    },
  };
}

/** The same fields; a copy with the sensitive ones blanked if there are any, at the top or one level below. */
function redacted(fields: Record<string, unknown>, names: ReadonlySet<string>): Record<string, unknown> {
  let copy: Record<string, unknown> | undefined;
  for (const name in fields) {
    const value = fields[name];
    const shown = names.has(name) ? CENSOR : isPlain(value) ? blanked(value, names) : value;
    if (shown === value) continue;
    copy ??= { ...fields };
    copy[name] = shown;
  }
  return copy ?? fields;
}

function blanked(fields: object, names: ReadonlySet<string>): object {
  const entries = Object.entries(fields);
  if (!entries.some(([name]) => names.has(name))) return fields;
  return Object.fromEntries(entries.map(([name, value]) => [name, names.has(name) ? CENSOR : value]));
}

/** Errors are told by their serializer, which shows nothing but what it knows. */
function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !(value instanceof Error);
}
