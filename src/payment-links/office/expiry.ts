import type { Scope } from '../../platform/base/scope.ts';
import { addDays, dayIn, endOfDay, startOfDay } from '../../platform/base/time/zoned-time.ts';
import { MAX_EXPIRY_MS } from '../api/input.ts';
import type { StaffLink } from './link.ts';

/** Days for which a link can be extended, from today. */
const EXTENSION_DAYS = [7, 14, 30, 60, 90, 180];

/** Days in which a waiting link counts as expiring soon, today included. */
const EXPIRING_DAYS = 7;

/**
 * Returns the end of the day after so many days, which a form names; null if it is none of the days that were offered.
 *
 * @param timeZone zone in which the form said the day
 * @param endsIn zone in which that day ends
 */
export function expiryAfter(
  scope: Pick<Scope, 'clock'>,
  days: string | undefined,
  offered: readonly number[],
  timeZone: string,
  endsIn = timeZone,
): Date | null {
  const count = offered.find((each) => `${each}` === days);
  return count === undefined ? null : endAfter(scope, count, timeZone, endsIn);
}

/** Returns the end of the day that is `count` days after today. */
export function endAfter({ clock }: Pick<Scope, 'clock'>, count: number, timeZone: string, endsIn = timeZone): Date {
  return endOfDay(addDays(dayIn(clock.now(), timeZone), count), endsIn);
}

/** Returns the days from today that are later than the present expiry, and within a year after the link's creation. */
export function extensionDays(scope: Scope, { link, location }: Pick<StaffLink, 'link' | 'location'>): number[] {
  return EXTENSION_DAYS.filter((count) => {
    const at = endAfter(scope, count, location.timeZone);
    return at > link.expiresAt && at.getTime() <= link.createdAt.getTime() + MAX_EXPIRY_MS;
  });
}

/** Returns the time before which waiting links expire soon: the end of the seventh day. */
export function endOfExpiringDays({ clock }: Pick<Scope, 'clock'>, timeZone: string): Date {
  return startOfDay(addDays(dayIn(clock.now(), timeZone), EXPIRING_DAYS), timeZone);
}
