import type { Scope } from '../base/scope.ts';
import { Location } from './location.entity.ts';

/** Zone of a practice without locations. It has no links and no payments either. */
export const DEFAULT_TIME_ZONE = 'America/New_York';

/**
 * Returns the time zone in which a practice counts its days: that of its oldest active location, else of its oldest one.
 * People who see different locations get the same days.
 */
export async function practiceTimeZone({ em }: Scope, practiceId: string): Promise<string> {
  const [location] = await em.find(
    Location,
    { practiceId },
    { orderBy: { active: 'desc', createdAt: 'asc', id: 'asc' }, limit: 1 },
  );
  return location?.timeZone ?? DEFAULT_TIME_ZONE;
}

/** Returns the same time zone, for a caller that has read all locations of the practice. */
export function timeZoneOf(locations: readonly Location[]): string {
  const oldestFirst = locations.toSorted((a, b) => a.createdAt.getTime() - b.createdAt.getTime());
  return (oldestFirst.find(({ active }) => active) ?? oldestFirst[0])?.timeZone ?? DEFAULT_TIME_ZONE;
}
