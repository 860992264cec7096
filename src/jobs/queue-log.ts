import { Logger as GraphileLogger } from 'graphile-worker';
import type { Logger } from 'pino';

/** Creates the job queue's logger. It writes errors and warnings to our log as such, all else at debug. */
export function graphileLogger(log: Logger): GraphileLogger {
  return new GraphileLogger(() => (level, message) => {
    if (level === 'error') log.error(message);
    else if (level === 'warning') log.warn(message);
    else log.debug(message);
  });
}
