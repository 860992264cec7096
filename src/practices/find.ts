import { LockMode } from '@mikro-orm/postgresql';
import { ApiError } from '../platform/base/errors.ts';
import { isId } from '../platform/base/ids.ts';
import { findPage, type ListPage, type ListQuery } from '../platform/base/list-page.ts';
import type { AccessScope, CallerScope, Scope } from '../platform/base/scope.ts';
import { Location } from './location.entity.ts';
import { Practice } from './practice.entity.ts';

/* Reads of practices and locations. They stand apart from writes, which load the library for telephone numbers. */

/** Returns all practices, oldest first. */
export function listPractices(scope: Scope): Promise<Practice[]> {
  return scope.em.findAll(Practice, { orderBy: { createdAt: 'asc', id: 'asc' } });
}

/** Returns the practice, with `lock` under the lock of its row. @throws ApiError `not_found` */
export async function getPractice(scope: Scope, id: string, use: 'read' | 'lock' = 'read'): Promise<Practice> {
  const lock = use === 'lock' ? { lockMode: LockMode.PESSIMISTIC_WRITE } : {};
  const practice = await scope.em.findOne(Practice, { id }, lock);
  if (practice === null) throw new ApiError('not_found', { message: 'No such practice.' });
  return practice;
}

/** Returns all locations, active or not, sorted by name. */
export function listLocations(scope: Scope, practiceId: string): Promise<Location[]> {
  return scope.em.find(Location, { practiceId }, { orderBy: { name: 'asc', id: 'asc' } });
}

/** Returns one list page of the active locations that the key can see, sorted by name. */
export function listVisibleLocations(scope: CallerScope, page: ListQuery): Promise<ListPage<Location>> {
  const { practiceId, locationId } = scope.caller;
  const where = { practiceId, active: true, ...(locationId === null ? {} : { id: locationId }) };
  return findPage(scope.em, Location, where, { name: 'asc', id: 'asc' }, page);
}

/** Returns an active location that the key can see. `param` is the request field with the id. @throws ApiError `not_found` */
export async function getVisibleLocation(scope: AccessScope, id: string, param?: string): Promise<Location> {
  const { practiceId, locationId } = scope.caller;
  const isOutside = !isId('location', id) || (locationId !== null && locationId !== id);
  const location = isOutside ? null : await scope.em.findOne(Location, { id, practiceId, active: true });
  if (location === null) throw param === undefined ? new ApiError('not_found') : noSuchLocation(param);
  return location;
}

/** Returns the refusal of a field that names no active location within the key's reach. */
export function noSuchLocation(param: string): ApiError {
  const message = `${param} names no active location that this key can use. GET /api/v1/locations lists them.`;
  return new ApiError('not_found', { param, message });
}

/** Zone of a practice without locations. It has no links and no payments either. */
const DEFAULT_TIME_ZONE = 'America/New_York';

/**
 * Returns the time zone in which a practice counts its days: its oldest active location's, else its oldest one's.
 * People who see different locations get the same days.
 * @param locations all locations of the practice
 */
export function chooseTimeZone(locations: readonly Location[]): string {
  const oldestFirst = locations.toSorted((a, b) => a.createdAt.getTime() - b.createdAt.getTime());
  return (oldestFirst.find(({ active }) => active) ?? oldestFirst[0])?.timeZone ?? DEFAULT_TIME_ZONE;
}
