import { addDays, daysBetween, parseDay, startOfDay } from '../../../base/time/zoned-time.ts';
import {
  FIGURE_FILTERS,
  PAYMENT_METHODS,
  PAYMENT_STATES,
  type PaymentFilter,
} from '../../../payment-links/billing/payment-filter.ts';
import { atLocation, type Viewer } from '../../../payment-links/model/staff-status.ts';
import { type MemberVisit, viewerOf } from '../../routing/visit.ts';
import { typedTexts } from '../filters.ts';

/** The filter, as the person typed it. Empty means all. The days are of the practice's time zone, both included. */
export type FilterInput = Record<(typeof FIELDS)[number], string>;

const FIELDS = ['state', 'from', 'to', 'location', 'method'] as const;

/** Reads the filter of an address or form. A value that is none counts as empty. */
export function inputOf(values: ReadonlyMap<string, string>): FilterInput {
  const { state, from, to, location, method } = typedTexts(values, FIELDS);
  return {
    state: parseState(state) ?? '',
    from: parseDay(from) ?? '',
    to: parseDay(to) ?? '',
    location,
    method: parseMethod(method) ?? '',
  };
}

export function filteredViewer(visit: MemberVisit, { location }: FilterInput): Viewer {
  const viewer = viewerOf(visit);
  return location === '' ? viewer : atLocation(viewer, location);
}

/** Returns the filter with its days as moments. */
export function filterOf({ state, method, from, to }: FilterInput, timeZone: string): PaymentFilter {
  return {
    state: parseState(state),
    method: parseMethod(method),
    from: from === '' ? null : startOfDay(from, timeZone),
    before: to === '' ? null : startOfDay(addDays(to, 1), timeZone),
  };
}

export type DayRange = Record<'from' | 'to', string>;

/** Returns true if the range has at least one day and at most `maxDays`. */
export function isRange({ from, to }: DayRange, maxDays: number): boolean {
  const days = daysBetween(from, to);
  return days >= 1 && days <= maxDays;
}

function parseState(text: string): PaymentFilter['state'] {
  return [...PAYMENT_STATES, ...FIGURE_FILTERS].find((name) => name === text) ?? null;
}

function parseMethod(text: string): PaymentFilter['method'] {
  return PAYMENT_METHODS.find((method) => method === text) ?? null;
}
