import type { OwedOrder, OwedQuery } from '../../../payment-links/billing/list-owed.ts';
import { findAges, OWED_FILTERS, OWED_ORDERS } from '../../../payment-links/billing/list-owed.ts';
import { atLocation, type Viewer } from '../../../payment-links/model/staff-status.ts';
import { type MemberVisit, viewerOf } from '../../routing/visit.ts';
import { typedTexts } from '../filters.ts';
import type { PracticeView } from '../formats.ts';

export const AGES = ['0 to 7 days', '8 to 30 days', 'Over 30 days'];

/** The filter of an address. Empty means all. A value that is none counts as empty. */
export interface OwedInput extends Record<'age' | 'location', string> {
  show: (typeof OWED_FILTERS)[number] | '';
  order: OwedOrder | '';
}

/** Returns the filter of the address, or of a form of the list: as values for addresses, and for the list. */
export function readFilter(visit: MemberVisit, { formats, locations }: PracticeView) {
  const typed = typedTexts(new Map([...visit.query, ...visit.fields]), ['show', 'age', 'location', 'order', 'after']);
  const { show, age, location, order, after } = typed;
  const input: OwedInput = {
    show: OWED_FILTERS.find((name) => name === show) ?? '',
    age: Object.keys(AGES).find((name) => name === age) ?? '',
    location: locations.find(({ id }) => id === location)?.id ?? '',
    order: OWED_ORDERS.find((name) => name === order) ?? '',
  };
  const ages = findAges(visit.scope.clock.now(), formats.timeZone);
  const query: OwedQuery = {
    filter: input.show || null,
    from: input.age === '' ? null : (ages[Number(input.age)] ?? null),
    before: input.age === '' ? null : (ages[Number(input.age) - 1] ?? null),
    ids: null,
  };
  const all = viewerOf(visit);
  const viewer: Viewer = input.location === '' ? all : atLocation(all, input.location);
  return { input, query, viewer, ages, order: input.order || 'age', after } as const;
}
