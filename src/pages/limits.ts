import type { Scope } from '../base/scope.ts';
import { type RateSlot, takeRateSlot } from '../limits/rate-slot.ts';

/** Page views of one address per minute. All patients behind one router, such as in a waiting room, share an address. */
const VIEWS_PER_MINUTE = 600;

/** Forms of one address per minute. More than this suggests card testing. */
const SUBMITS_PER_MINUTE = 60;

/** Counts the request in the rate window of the address. */
export function admitPage(scope: Scope, address: string, kind: 'view' | 'submit'): Promise<RateSlot> {
  return kind === 'view'
    ? takeRateSlot(scope, `page-get:${address}`, VIEWS_PER_MINUTE)
    : takeRateSlot(scope, `page:${address}`, SUBMITS_PER_MINUTE);
}
