import type { Logger } from 'pino';
import { describeError, safeMessage } from './describe-error.ts';

const WINDOW_MS = 1_000;

/** Further causes are counted together, to limit memory. */
const MAX_CAUSES = 100;

const causesByLogger = new WeakMap<Logger, Map<string, { count: number; err: unknown }>>();

/**
 * Logs errors that may occur thousands of times per second. The first of a cause is logged in full. Then there is one
 * line per second with the `count` since the last.
 *
 * @param fields logged with the first error only
 */
export function logRepeated(
  log: Logger,
  level: 'error' | 'warn',
  { err, ...fields }: { err: unknown } & Record<string, unknown>,
  message: string,
): void {
  const causes = causesByLogger.get(log) ?? new Map<string, { count: number; err: unknown }>();
  causesByLogger.set(log, causes);
  const cause = causeKey(err, message);
  const key = causes.size < MAX_CAUSES || causes.has(cause) ? cause : message;
  const repeated = causes.get(key);
  if (repeated !== undefined) {
    repeated.count += 1;
    repeated.err = err;
    return;
  }
  log[level]({ ...fields, err, count: 1 }, message);
  const since = { count: 0, err };
  causes.set(key, since);
  const timer = setInterval(() => {
    if (since.count === 0) {
      causes.delete(key);
      clearInterval(timer);
      return;
    }
    log[level]({ cause: describeBriefly(since.err), count: since.count }, message);
    since.count = 0;
  }, WINDOW_MS).unref();
}

function causeKey(err: unknown, message: string): string {
  const root = findRoot(err);
  return `${message} ${root instanceof Error ? `${root.name} ${safeMessage(root)}` : typeof root}`;
}

function findRoot(err: unknown): unknown {
  return err instanceof Error && err.cause !== undefined ? findRoot(err.cause) : err;
}

function describeBriefly(err: unknown): object {
  const { stack: _stack, cause: _cause, ...brief } = describeError(findRoot(err)) as Record<string, unknown>;
  return brief;
}
