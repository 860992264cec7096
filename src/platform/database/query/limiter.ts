import type { Limiter } from '../../base/scope.ts';
import { DatabaseUnavailable } from './errors.ts';

interface Limits {
  /** Several practices that wait for locks must not take all connections. */
  placesInAll: number;
  /** Work of one name at once. Default: no further limit. */
  placesPerName?: number;
  /** Longest wait for a place, in milliseconds. Default: no limit. */
  maxWaitMs?: number;
}

interface Places {
  underWay: number;
  waiting: (() => void)[];
}

export function createLimiter({ placesInAll, placesPerName = placesInAll, maxWaitMs }: Limits): Limiter {
  const names = new Map<string, Places>();
  let underWay = 0;

  /** A name that got a place goes behind the others, where the loop over the `Map` reaches it again. */
  const fill = (): void => {
    for (const [name, places] of names) {
      if (underWay >= placesInAll) return;
      if (places.underWay >= placesPerName) continue;
      const begin = places.waiting.shift();
      if (begin === undefined) continue;
      goLast(name, places);
      places.underWay++;
      underWay++;
      begin();
    }
  };
  const goLast = (name: string, places: Places): void => {
    names.delete(name);
    names.set(name, places);
  };
  const enter = (name: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const places = names.get(name) ?? { underWay: 0, waiting: [] };
      names.set(name, places);
      const refuse = () => {
        places.waiting.splice(places.waiting.indexOf(begin), 1);
        forget(name, places);
        reject(new DatabaseUnavailable(new Error('other work waits for the database')));
      };
      const timer = maxWaitMs === undefined ? undefined : setTimeout(refuse, maxWaitMs);
      const begin = () => {
        clearTimeout(timer);
        resolve();
      };
      places.waiting.push(begin);
      fill();
    });
  const forget = (name: string, places: Places): void => {
    if (places.underWay === 0 && places.waiting.length === 0) names.delete(name);
  };
  const leave = (name: string): void => {
    underWay--;
    const places = names.get(name);
    if (places === undefined) return;
    places.underWay--;
    // Other names go first.
    goLast(name, places);
    fill();
    forget(name, places);
  };
  return {
    async run(name, work) {
      await enter(name);
      try {
        return await work();
      } finally {
        leave(name);
      }
    },
  };
}
