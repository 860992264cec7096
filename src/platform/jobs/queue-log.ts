import { Logger as GraphileLogger } from 'graphile-worker';
import type { Logger } from 'pino';
import { logRepeated } from '../base/log/log-repeated.ts';
import { isOfStatement } from '../database/query/errors.ts';

/**
 * Creates the job queue's logger. It writes errors and warnings to our log as such, all else at debug. So also the warning that
 * the concurrency exceeds the pool: jobs of named queues use no connection, and `JOB_CONNECTIONS` counts all others.
 */
export function graphileLogger(log: Logger): GraphileLogger {
  return new GraphileLogger(() => (level, message, meta) => {
    if (level === 'error') log.error(message);
    else if (level === 'warning' && meta?.concurrency === undefined) log.warn(message);
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
