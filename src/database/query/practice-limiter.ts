import type { PracticeLimiter } from '../../base/scope.ts';
import { DatabaseUnavailable } from './errors.ts';

export interface PracticeLimits {
  /** Work of one practice at once. */
  placesPerPractice: number;
  /** Work of all practices at once. Several practices that wait for locks must not take all connections. */
  placesInAll: number;
  /** Longest wait for a place, in milliseconds. */
  maxWaitMs: number;
}

interface Places {
  underWay: number;
  waiting: (() => void)[];
}

export function createPracticeLimiter({ placesPerPractice, placesInAll, maxWaitMs }: PracticeLimits): PracticeLimiter {
  const practices = new Map<string, Places>();
  let underWay = 0;

  /**
   * Starts waiting work while there are places. The practice that got one goes behind the others. The loop finds it there
   * again, because a `Map` is iterated in the order of insertion, with new entries.
   */
  const fill = (): void => {
    for (const [practiceId, practice] of practices) {
      if (underWay >= placesInAll) return;
      if (practice.underWay >= placesPerPractice) continue;
      const begin = practice.waiting.shift();
      if (begin === undefined) continue;
      practices.delete(practiceId);
      practices.set(practiceId, practice);
      practice.underWay++;
      underWay++;
      begin();
    }
  };
  const enter = (practiceId: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const practice = practices.get(practiceId) ?? { underWay: 0, waiting: [] };
      practices.set(practiceId, practice);
      const refuse = () => {
        practice.waiting.splice(practice.waiting.indexOf(begin), 1);
        forget(practiceId, practice);
        reject(new DatabaseUnavailable(new Error('other work waits for the database')));
      };
      const timer = setTimeout(refuse, maxWaitMs);
      const begin = () => {
        clearTimeout(timer);
        resolve();
      };
      practice.waiting.push(begin);
      fill();
    });
  const forget = (practiceId: string, practice: Places): void => {
    if (practice.underWay === 0 && practice.waiting.length === 0) practices.delete(practiceId);
  };
  const leave = (practiceId: string): void => {
    underWay--;
    const practice = practices.get(practiceId);
    if (practice === undefined) return;
    practice.underWay--;
    // What others have asked for in the meantime goes first.
    practices.delete(practiceId);
    practices.set(practiceId, practice);
    fill();
    forget(practiceId, practice);
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
