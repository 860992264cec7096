import { Logger as GraphileLogger } from 'graphile-worker';
import type { Logger } from 'pino';
import { logRepeated } from '../base/log/log-repeated.ts';
import { isOfStatement } from '../database/query/errors.ts';

/** Creates the job queue's logger. It writes errors and warnings to our log as such, all else at debug. */
export function graphileLogger(log: Logger): GraphileLogger {
  return new GraphileLogger(() => (level, message) => {
    if (level === 'error') log.error(message);
    else if (level === 'warning') log.warn(message);
    else log.debug(message);
  });
}

/**
 * Logs a failure of work that a timer repeats. While the database is unavailable, other parts say so, and this is logged at
 * debug. A statement that fails otherwise, such as for a missing privilege, would fail unseen for ever, so it is a warning.
 */
export function logFault(log: Logger, err: unknown, message: string): void {
  if (isOfStatement(err)) logRepeated(log, 'warn', { err }, message);
  else log.debug({ err }, message);
}
