import { setTimeout as pause } from 'node:timers/promises';
import { logRepeated } from '../../base/log/log-repeated.ts';
import type { Scope } from '../../base/scope.ts';

/* One statement a second writes the rows. Some may be missing: when the database cannot keep up, or after a crash. */

const PAUSE_MS = 1_000;
const MAX_WAITING_ROWS = 2_000;
const LAST_WRITE_MS = 1_000;

export interface WriteBehind<Row> {
  /** Takes a row. Never waits and never throws. */
  add(row: Row): void;
  /** Writes what waits, for at most a second, and takes no more. */
  close(): Promise<void>;
}

/** @param what names the rows in the log, such as `the log of API requests` */
export function createWriteBehind<Row>(
  newScope: () => Scope,
  what: string,
  insert: (scope: Scope, rows: readonly Row[]) => Promise<unknown>,
): WriteBehind<Row> {
  let waiting: Row[] = [];
  let omitted = 0;
  let writing: Promise<void> | null = null;

  const write = async (): Promise<void> => {
    const batch = waiting;
    waiting = [];
    const scope = newScope();
    if (omitted > 0) {
      scope.log.warn({ omitted }, `${what} left entries out: the database was slow`);
      omitted = 0;
    }
    await insert(scope, batch).catch((err) => {
      logRepeated(scope.log, 'warn', { err, omitted: batch.length }, `${what} left entries out`);
    });
  };
  const writeNext = (): Promise<void> => {
    // One statement at a time: a slow database gets no further ones.
    if (writing === null && waiting.length > 0) {
      writing = write().finally(() => {
        writing = null;
      });
    }
    return writing ?? Promise.resolve();
  };
  const timer = setInterval(() => void writeNext(), PAUSE_MS).unref();

  return {
    add(row) {
      if (waiting.length < MAX_WAITING_ROWS) waiting.push(row);
      else omitted++;
    },
    async close() {
      clearInterval(timer);
      const late = pause(LAST_WRITE_MS, undefined, { ref: false });
      await Promise.race([writeNext().then(writeNext), late]);
    },
  };
}
