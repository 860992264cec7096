import { type DestinationStream, type Logger, pino } from 'pino';
import { describeError } from './describe-error.ts';
import { LineWriter } from './line-writer.ts';

const CENSOR = '[redacted]';

/**
 * Callers never pass the logger secrets or patients' data; redaction by field name is a second safeguard. A test refuses
 * child loggers, whose fields pino writes without redaction.
 *
 * @param sensitiveFields names of redacted fields, at the top of a line and one level below
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
    // pino's own `redact` checks every path in every line, which costs several times as much as the line.
    formatters: { log: (fields: Record<string, unknown>) => redact(fields, names) },
  };
  const log: Logger = pino(
    options,
    destination ?? standardOutput((count) => log.warn({ count }, 'lines of the log were dropped')),
  );
  return log;
}

let outputWriter: DestinationStream | undefined;

/** @param afterLoss of the first logger is used */
function standardOutput(afterLoss: (count: number) => void): DestinationStream {
  // Reading `process.stdout` makes Node set a pipe or socket to answer EAGAIN when it is full, instead of waiting for its
  // reader. A write that waits would keep a thread, and the process could not end.
  outputWriter ??= new LineWriter(process.stdout.fd, afterLoss);
  return outputWriter;
}

function redact(fields: Record<string, unknown>, names: ReadonlySet<string>): Record<string, unknown> {
  let copy: Record<string, unknown> | undefined;
  for (const name in fields) {
    const value = fields[name];
    const redacted = names.has(name) ? CENSOR : redactFields(value, names);
    if (redacted === value) continue;
    copy ??= { ...fields };
    copy[name] = redacted;
  }
  return copy ?? fields;
}

function redactFields(value: unknown, names: ReadonlySet<string>): unknown {
  // The serializer of errors shows only safe fields.
  if (typeof value !== 'object' || value === null || value instanceof Error) return value;
  const entries = Object.entries(value);
  if (!entries.some(([name]) => names.has(name))) return value;
  return Object.fromEntries(entries.map(([name, value]) => [name, names.has(name) ? CENSOR : value]));
}
