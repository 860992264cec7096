import { firstIdAt } from '../../src/base/ids.ts';

/*
 * Deliveries over time. An interval is the time that ids with the same first seven digits have: 32,768 ms. Within it, deliveries
 * are evenly spread.
 */

/** Number of deliveries, and their times. */
export interface History {
  deliveries: number;
  now: Date;
  /** Time of the oldest delivered ones. Their retention is shorter than that of the others. */
  deliveredSince: Date;
  /** Time of the oldest others: exhausted, or waiting for a retry. */
  othersSince: Date;
}

/** A part of the time with the numbers of its deliveries. */
export interface Interval {
  /** Beginning of the ids of its events. */
  prefix: string;
  startAt: Date;
  /** Number of its first delivery. */
  first: number;
  delivered: number;
  others: number;
}

const INTERVAL_MS = 32 ** 3;

/** Characters of an id of an event up to those that name the interval. */
const PREFIX_CHARACTERS = 'evt_'.length + 7;

/** Ids have three digits for the place within the interval. */
const MOST_PER_INTERVAL = 1_000;

/** Share of deliveries that are not delivered. */
const OTHERS = 0.02;

/** Returns the intervals with a delivery, oldest first. The numbers of all intervals add up to the history's. */
export function intervalsOf({ deliveries, now, deliveredSince, othersSince }: History): Interval[] {
  const others = Math.round(deliveries * OTHERS);
  const lastMs = Math.floor(now.getTime() / INTERVAL_MS) * INTERVAL_MS;
  const intervals: Interval[] = [];
  let first = 0;
  for (let ms = Math.ceil(othersSince.getTime() / INTERVAL_MS) * INTERVAL_MS; ms < lastMs; ms += INTERVAL_MS) {
    const interval = {
      prefix: firstIdAt('event', new Date(ms)).slice(0, PREFIX_CHARACTERS),
      startAt: new Date(ms),
      first,
      delivered: between(deliveries - others, ms, deliveredSince.getTime(), lastMs),
      others: between(others, ms, othersSince.getTime(), lastMs),
    };
    const rows = interval.delivered + interval.others;
    if (rows > MOST_PER_INTERVAL) throw new RangeError(`${deliveries} deliveries are more than can be made`);
    first += rows;
    if (rows > 0) intervals.push(interval);
  }
  return intervals;
}

/** Returns the number of the rows that lie in the interval, of all that are spread from `sinceMs` to `lastMs`. */
function between(rows: number, ms: number, sinceMs: number, lastMs: number): number {
  const startMs = Math.ceil(sinceMs / INTERVAL_MS) * INTERVAL_MS;
  const upTo = (ms: number) => Math.round((rows * Math.max(0, ms - startMs)) / (lastMs - startMs));
  return upTo(ms + INTERVAL_MS) - upTo(ms);
}

/** Cuts the intervals into parts of about so many deliveries. */
export function partsOf(intervals: readonly Interval[], deliveries: number): Interval[][] {
  const parts: Interval[][] = [];
  let rows = 0;
  for (const interval of intervals) {
    if (rows >= deliveries || parts.length === 0) {
      parts.push([]);
      rows = 0;
    }
    parts.at(-1)?.push(interval);
    rows += interval.delivered + interval.others;
  }
  return parts;
}
