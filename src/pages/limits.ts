import type { RateSlot, RateSlots } from '../limits/rate-slot.ts';

/** Page views of one address per minute. All patients behind one router, such as in a waiting room, share an address. */
const VIEWS_PER_MINUTE = 600;

/** Forms of one address per minute. More than this suggests card testing. */
const SUBMITS_PER_MINUTE = 60;

/** Counts the request in the rate window of the address. */
export function admitPage(rateSlots: RateSlots, address: string, kind: 'view' | 'submit'): Promise<RateSlot> {
  return kind === 'view'
    ? rateSlots({ subject: `page-get:${address}`, limit: VIEWS_PER_MINUTE })
    : rateSlots({ subject: `page:${address}`, limit: SUBMITS_PER_MINUTE });
}
