import { DatabaseUnavailable } from '../database/query/errors.ts';

/** Bounds how much of a kind one practice does at once in this process, so that it leaves connections to the others. */
export interface PracticeLimiter {
  /**
   * Runs the work when the practice has a place, in the order in which they came.
   *
   * @throws DatabaseUnavailable when its turn does not come in time
   */
  run<T>(practiceId: string, work: () => Promise<T>): Promise<T>;
}

/** Work of one practice: how many run, and who waits. */
interface Places {
  underWay: number;
  waiting: (() => void)[];
}

/**
 * @param places how many of a practice run at once
 * @param maxWaitMs longest wait for a place
 */
export function createPracticeLimiter(places: number, maxWaitMs: number): PracticeLimiter {
  const practices = new Map<string, Places>();

  const enter = (practiceId: string): Promise<void> => {
    const practice = practices.get(practiceId) ?? { underWay: 0, waiting: [] };
    practices.set(practiceId, practice);
    if (practice.underWay < places) {
      practice.underWay++;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        practice.waiting.splice(practice.waiting.indexOf(begin), 1);
        reject(new DatabaseUnavailable(new Error('other requests of the practice are waiting for the database')));
      };
      const timer = setTimeout(giveUp, maxWaitMs);
      const begin = () => {
        clearTimeout(timer);
        resolve();
      };
      practice.waiting.push(begin);
    });
  };
  const leave = (practiceId: string): void => {
    const practice = practices.get(practiceId);
    if (practice === undefined) return;
    // The place is handed over, not given back, so that nobody slips in between.
    const next = practice.waiting.shift();
    if (next !== undefined) next();
    else if (--practice.underWay === 0) practices.delete(practiceId);
  };
  return {
    async run(practiceId, work) {
      await enter(practiceId);
      try {
        return await work();
      } finally {
        leave(practiceId);
      }
    },
  };
}
