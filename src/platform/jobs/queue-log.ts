import { Logger as GraphileLogger } from 'graphile-worker';
import type { Logger } from 'pino';
import { observe, report } from '../base/diagnostics.ts';
import { logRepeated } from '../base/log/log-repeated.ts';
import { isOfStatement } from '../database/query/errors.ts';

/** The warning that the concurrency exceeds the pool goes to debug: `JOB_CONNECTIONS` counts the connections. */
export function graphileLogger(log: Logger): GraphileLogger {
  return new GraphileLogger(() => (level, message, meta) => {
    if (level === 'error') log.error(message);
    else if (level === 'warning' && meta?.concurrency === undefined) log.warn(message);
    else log.debug(message);
  });
}

/**
 * Logs a failure of work that a timer repeats. While the database is unavailable, other parts say so. Any other
 * failure, such as a missing privilege, would stay unseen for ever.
 */
export function logFault(log: Logger, err: unknown, message: string): void {
  if (isOfStatement(err)) logRepeated(log, 'warn', { err }, message);
  else log.debug({ err }, message);
}

/** Reports the outcome. In a trace, the run is a span with its statements below. */
export function reportJob<T>(task: string, run: () => Promise<T>): Promise<T> {
  return observe(
    () => ({ kind: 'job', task }),
    () => reportOutcome(task, run),
  );
}

export async function reportOutcome<T>(task: string, run: () => Promise<T>): Promise<T> {
  try {
    const result = await run();
    report('job', () => ({ task, outcome: 'done' }));
    return result;
  } catch (error) {
    report('job', () => ({ task, outcome: 'failed' }));
    throw error;
  }
}
