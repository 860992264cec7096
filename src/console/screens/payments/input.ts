import {
  PAYMENT_METHODS,
  type PaymentFilter,
  STATE_FILTERS,
  type StateFilter,
} from '../../../payment-links/billing/payments.ts';
import { atLocation, type Viewer } from '../../../payment-links/model/staff-status.ts';
import { addDays, parseDay, startOfDay } from '../../../platform/base/time/zoned-time.ts';
import { type MemberVisit, viewerOf } from '../../routing/visit.ts';
import { typedTexts } from '../filters.ts';

/** The filter, as the person typed it. Empty means all. The days are of the practice's time zone, both included. */
export interface FilterInput extends Record<'from' | 'to' | 'location', string> {
  state: StateFilter | '';
  method: (typeof PAYMENT_METHODS)[number] | '';
}

/** Reads the filter of an address or form. A value that is none counts as empty. */
export function readInput(values: ReadonlyMap<string, string>): FilterInput {
  const { state, from, to, location, method } = typedTexts(values, ['state', 'from', 'to', 'location', 'method']);
  return {
    state: STATE_FILTERS.find((name) => name === state) ?? '',
    from: parseDay(from) ?? '',
    to: parseDay(to) ?? '',
    location,
    method: PAYMENT_METHODS.find((name) => name === method) ?? '',
  };
}

export function filteredViewer(visit: MemberVisit, { location }: Pick<FilterInput, 'location'>): Viewer {
  const viewer = viewerOf(visit);
  return location === '' ? viewer : atLocation(viewer, location);
}

/** Returns the filter with its days as moments. */
export function makeFilter({ state, method, from, to }: FilterInput, timeZone: string): PaymentFilter {
  return {
    state: state || null,
    method: method || null,
    from: from === '' ? null : startOfDay(from, timeZone),
    before: to === '' ? null : startOfDay(addDays(to, 1), timeZone),
  };
}
