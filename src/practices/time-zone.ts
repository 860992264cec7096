import type { Scope } from '../platform/base/scope.ts';
import { listLocations } from './find.ts';
import type { Location } from './location.entity.ts';

/** Zone of a practice without locations. It has no links and no payments either. */
const DEFAULT_TIME_ZONE = 'America/New_York';

/**
 * Returns the time zone in which a practice counts its days: its oldest active location's, else its oldest one's.
 * People who see different locations get the same days.
 */
export async function readPracticeTimeZone(scope: Scope, practiceId: string): Promise<string> {
  return chooseTimeZone(await listLocations(scope, practiceId));
}

/** Returns the same time zone, for a caller that has read all locations of the practice. */
export function chooseTimeZone(locations: readonly Location[]): string {
  const oldestFirst = locations.toSorted((a, b) => a.createdAt.getTime() - b.createdAt.getTime());
  return (oldestFirst.find(({ active }) => active) ?? oldestFirst[0])?.timeZone ?? DEFAULT_TIME_ZONE;
}
