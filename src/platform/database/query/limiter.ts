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

export function createLimiter(limits: Limits): Limiter {
  return new PlaceLimiter(limits);
}

class PlaceLimiter implements Limiter {
  readonly #limits: Limits;
  readonly #names = new Map<string, Places>();
  #underWay = 0;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  async run<T>(name: string, work: () => Promise<T>): Promise<T> {
    await this.#enter(name);
    try {
      return await work();
    } finally {
      this.#leave(name);
    }
  }

  #enter(name: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const places = this.#names.get(name) ?? { underWay: 0, waiting: [] };
      this.#names.set(name, places);
      const refuse = () => {
        places.waiting.splice(places.waiting.indexOf(begin), 1);
        this.#forget(name, places);
        reject(new DatabaseUnavailable(new Error('other work waits for the database')));
      };
      const { maxWaitMs } = this.#limits;
      const timer = maxWaitMs === undefined ? undefined : setTimeout(refuse, maxWaitMs);
      const begin = () => {
        clearTimeout(timer);
        resolve();
      };
      places.waiting.push(begin);
      this.#fill();
    });
  }

  #leave(name: string): void {
    this.#underWay--;
    const places = this.#names.get(name);
    if (places === undefined) return;
    places.underWay--;
    // Other names go first.
    this.#goLast(name, places);
    this.#fill();
    this.#forget(name, places);
  }

  /** A name that got a place goes behind the others, where the loop over the `Map` reaches it again. */
  #fill(): void {
    const { placesInAll, placesPerName = placesInAll } = this.#limits;
    for (const [name, places] of this.#names) {
      if (this.#underWay >= placesInAll) return;
      if (places.underWay >= placesPerName) continue;
      const begin = places.waiting.shift();
      if (begin === undefined) continue;
      this.#goLast(name, places);
      places.underWay++;
      this.#underWay++;
      begin();
    }
  }

  #goLast(name: string, places: Places): void {
    this.#names.delete(name);
    this.#names.set(name, places);
  }

  #forget(name: string, places: Places): void {
    if (places.underWay === 0 && places.waiting.length === 0) this.#names.delete(name);
  }
}
