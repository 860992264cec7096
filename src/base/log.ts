import { type DestinationStream, type Logger, pino } from 'pino';

/**
 * The process's logger: one JSON line per request and per attempt at info, ids and units in its fields. What may be
 * secret or tell about a patient is never passed to it; the redaction is the second line of defence.
 */
export function createLogger(level: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: { pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: ['*.authorization', '*.secret', '*.key', '*.patient', 'patient', 'secret'], censor: '[redacted]' },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}
