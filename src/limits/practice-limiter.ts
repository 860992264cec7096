import { DatabaseUnavailable } from '../database/query/errors.ts';

/** Limits the concurrent work of each practice in this process, so that connections remain for other practices. */
export interface PracticeLimiter {
  /**
   * Runs the work as soon as the practice has a free place. Waiting work starts in order of arrival.
   *
   * @throws DatabaseUnavailable if no place becomes free in time
   */
  run<T>(practiceId: string, work: () => Promise<T>): Promise<T>;
}

/** Work of one practice: the number of running items, and the waiting ones. */
interface Places {
  underWay: number;
  waiting: (() => void)[];
}

/**
 * Creates a limiter.
 *
 * @param places largest number of concurrent items of one practice
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
      const refuse = () => {
        practice.waiting.splice(practice.waiting.indexOf(begin), 1);
        reject(new DatabaseUnavailable(new Error('other requests of the practice are waiting for the database')));
      };
      const timer = setTimeout(refuse, maxWaitMs);
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
    // The next waiting item takes over the place directly. New work cannot overtake it.
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
