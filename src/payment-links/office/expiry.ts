import type { Scope } from '../../platform/base/scope.ts';
import { addDays, dayIn, endOfDay } from '../../platform/base/time/zoned-time.ts';

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
