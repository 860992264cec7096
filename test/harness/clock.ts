import type { Clock } from '../../src/platform/base/time/clock.ts';

/** A clock that stands still until a test moves it; the database gets the same time. */
export class SettableClock implements Clock {
  readonly #start: string;
  #now: Date;

  constructor(start = '2030-06-15T12:00:00.000Z') {
    this.#start = start;
    this.#now = new Date(start);
  }

  reset(): void {
    this.set(this.#start);
  }

  now(): Date {
    return new Date(this.#now);
  }

  shared(): Date {
    return this.now();
  }

  set(time: string): void {
    this.#now = new Date(time);
  }

  advance(by: { days?: number; hours?: number; minutes?: number; seconds?: number; ms?: number }): void {
    const { days = 0, hours = 0, minutes = 0, seconds = 0, ms = 0 } = by;
    const totalMs = (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000 + ms;
    this.#now = new Date(this.#now.getTime() + totalMs);
  }
}
