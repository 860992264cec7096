import type { Logger } from 'pino';
import { describeError, safeMessage } from './describe-error.ts';

/** Length of the time in which the same trouble is told once. */
const WINDOW_MS = 1_000;

/** Causes told apart at once; what comes beyond counts with the others. Bounds the memory. */
const MAX_CAUSES = 100;

/** What repeats itself: how often since its last line, and the latest of it. */
interface Repeated {
  count: number;
  err: unknown;
}

const repeatedOf = new WeakMap<Logger, Map<string, Repeated>>();

/**
 * Logs trouble that may come thousands of times a second: the first of a cause at once, in full, and while it goes on a
 * line a second with how many there were since. `count` adds up to all of them.
 *
 * @param fields are told of the first only
 */
export function logRepeated(
  log: Logger,
  level: 'error' | 'warn',
  { err, ...fields }: { err: unknown } & Record<string, unknown>,
  message: string,
): void {
  const causes = repeatedOf.get(log) ?? new Map<string, Repeated>();
  repeatedOf.set(log, causes);
  const cause = causeOf(err, message);
  const key = causes.size < MAX_CAUSES || causes.has(cause) ? cause : message;
  const repeated = causes.get(key);
  if (repeated !== undefined) {
    repeated.count += 1;
    repeated.err = err;
    return;
  }
  log[level]({ ...fields, err, count: 1 }, message);
  causes.set(key, { count: 0, err });
  const timer = setInterval(() => {
    const since = causes.get(key);
    if (since === undefined || since.count === 0) {
      causes.delete(key);
      clearInterval(timer);
      return;
    }
    log[level]({ cause: briefly(since.err), count: since.count }, message);
    since.count = 0;
  }, WINDOW_MS).unref();
}

/** The innermost error is the cause; those around it say where it was met. */
function causeOf(err: unknown, message: string): string {
  const root = rootOf(err);
  return `${message} ${root instanceof Error ? `${root.name} ${safeMessage(root)}` : typeof root}`;
}

function rootOf(err: unknown): unknown {
  return err instanceof Error && err.cause !== undefined ? rootOf(err.cause) : err;
}

/** Without the frames: the first line had them. */
function briefly(err: unknown): object {
  const { stack: _stack, cause: _cause, ...brief } = describeError(rootOf(err)) as Record<string, unknown>;
  return brief;
}
