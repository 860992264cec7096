import { firstIdAt } from '../../src/base/ids.ts';

/*
 * Deliveries over time. A slot is the time that ids with the same first seven digits have: 32,768 ms. Within it, deliveries
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
export interface Slot {
  /** Beginning of the ids of its events. */
  prefix: string;
  startAt: Date;
  /** Number of its first delivery. */
  first: number;
  delivered: number;
  others: number;
}

const SLOT_MS = 32 ** 3;

/** Characters of an id of an event up to those that name the slot. */
const PREFIX_CHARACTERS = 'evt_'.length + 7;

/** Ids have three digits for the place within the slot. */
const MOST_PER_SLOT = 1_000;

/** Share of deliveries that are not delivered. */
const OTHERS = 0.02;

/** Returns the slots with a delivery, oldest first. The numbers of all slots add up to the history's. */
export function slotsOf({ deliveries, now, deliveredSince, othersSince }: History): Slot[] {
  const others = Math.round(deliveries * OTHERS);
  const lastMs = Math.floor(now.getTime() / SLOT_MS) * SLOT_MS;
  const slots: Slot[] = [];
  let first = 0;
  for (let ms = Math.ceil(othersSince.getTime() / SLOT_MS) * SLOT_MS; ms < lastMs; ms += SLOT_MS) {
    const slot = {
      prefix: firstIdAt('event', new Date(ms)).slice(0, PREFIX_CHARACTERS),
      startAt: new Date(ms),
      first,
      delivered: between(deliveries - others, ms, deliveredSince.getTime(), lastMs),
      others: between(others, ms, othersSince.getTime(), lastMs),
    };
    const rows = slot.delivered + slot.others;
    if (rows > MOST_PER_SLOT) throw new RangeError(`${deliveries} deliveries are more than can be made`);
    first += rows;
    if (rows > 0) slots.push(slot);
  }
  return slots;
}

/** Returns the number of the rows that lie in the slot, of all that are spread from `sinceMs` to `lastMs`. */
function between(rows: number, ms: number, sinceMs: number, lastMs: number): number {
  const startMs = Math.ceil(sinceMs / SLOT_MS) * SLOT_MS;
  const upTo = (ms: number) => Math.round((rows * Math.max(0, ms - startMs)) / (lastMs - startMs));
  return upTo(ms + SLOT_MS) - upTo(ms);
}

/** Cuts the slots into parts of about so many deliveries. */
export function partsOf(slots: readonly Slot[], deliveries: number): Slot[][] {
  const parts: Slot[][] = [];
  let rows = 0;
  for (const slot of slots) {
    if (rows >= deliveries || parts.length === 0) {
      parts.push([]);
      rows = 0;
    }
    parts.at(-1)?.push(slot);
    rows += slot.delivered + slot.others;
  }
  return parts;
}
