import { type DestinationStream, type Logger, pino } from 'pino';
import { describeError } from './describe-error.ts';

/** What a redacted field shows. */
const CENSOR = '[redacted]';

/**
 * The process's logger: one JSON line per request and per attempt at info, ids and units in its fields. What may be
 * secret or tell about a patient is never passed to it; redaction by field name is the second line of defence.
 *
 * @param sensitiveFields names whose values are blanked, at the top of a line and one level below
 */
export function createLogger(
  level: string,
  sensitiveFields: Iterable<string> = [],
  destination?: DestinationStream,
): Logger {
  const names = [...sensitiveFields, 'authorization', 'token', 'key'];
  const options = {
    level,
    base: { pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: describeError },
    redact: { paths: [...new Set(names.flatMap((name) => [name, `*.${name}`]))], censor: CENSOR },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}
