import { logRepeated } from '../../base/log/log-repeated.ts';
import type { Scope } from '../../base/scope.ts';

/*
 * Notes that a request leaves behind without waiting for the database. They collect in memory, and one statement a second writes
 * them. Notes are a help and no record: when the database cannot keep up, or a process dies, some are missing.
 */

const PAUSE_MS = 1_000;

/** Most notes in memory. Further ones are left out until the next statement. */
const MAX_WAITING = 2_000;

/** Longest wait for the last statement when the process ends. */
const LAST_WRITE_MS = 1_000;

export interface WriteBehind<Note> {
  /** Takes a note. Never waits and never throws. */
  add(note: Note): void;
  /** Writes what waits, for at most a second, and takes no more. */
  close(): Promise<void>;
}

/**
 * Starts to write the notes of a process.
 *
 * @param what names the notes in the log, such as `the log of API requests`
 */
export function createWriteBehind<Note>(
  newScope: () => Scope,
  what: string,
  insert: (scope: Scope, notes: readonly Note[]) => Promise<unknown>,
): WriteBehind<Note> {
  let waiting: Note[] = [];
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
    add(note) {
      if (waiting.length < MAX_WAITING) waiting.push(note);
      else omitted++;
    },
    async close() {
      clearInterval(timer);
      const { promise: isLate, resolve } = Promise.withResolvers<void>();
      const limit = setTimeout(resolve, LAST_WRITE_MS);
      await Promise.race([writeNext().then(writeNext), isLate]);
      clearTimeout(limit);
    },
  };
}
