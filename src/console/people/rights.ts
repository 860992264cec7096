import { LockMode } from '@mikro-orm/postgresql';
import type { Actor } from '../../audit/audit.ts';
import { ApiError } from '../../base/errors.ts';
import type { Scope } from '../../base/scope.ts';
import { Location } from '../../practices/location.entity.ts';
import { Membership, type MembershipLocation } from '../model/membership.entity.ts';
import type { Person } from '../model/person.entity.ts';
import { RightLost } from '../model/refusals.ts';
import { type Grant, mayDo, outranks, type Role } from '../model/roles.ts';
import type { PeopleRefusal } from '../texts/people.ts';

/*
 * Rights of those who change people. They are read under a lock, because the request was admitted before: its person may have
 * another role by now.
 */

/** Refuses a change of people. The pages and the operator's commands have the words for the reason. */
export class PeopleRefused extends Error {
  readonly reason: PeopleRefusal;

  constructor(reason: PeopleRefusal) {
    super(reason);
    this.reason = reason;
  }
}

/** Details of `not_found` for an id that no user of the practice has. */
export const UNKNOWN_USER = { message: 'No such user; `paylinks users list` shows the ids.' };

/** The one who changes people. A person acts within the rank of the own role; the operator has no limit. */
export type PeopleActor = Exclude<Actor, { kind: 'api_key' }>;

/** A membership with its person. */
export type User = Grant &
  Pick<Membership, 'id' | 'practiceId' | 'personId' | 'lockedAt' | 'lastSignInAt' | 'createdAt'> &
  Pick<Person, 'email' | 'name'>;

/** Locks the actor's membership, and returns the role as `roleIn`. */
export async function lockOwnRole(scope: Scope, actor: PeopleActor, practiceId: string): Promise<Role | null> {
  if (actor.kind === 'operator') return null;
  const own = await scope.em.find(
    Membership,
    { practiceId, personId: actor.id },
    { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true },
  );
  return roleIn(own, actor);
}

/**
 * Returns the actor's present role; null for the operator.
 *
 * @throws ApiError `not_found` if the actor was removed or locked; RightLost if the actor may not manage people any more
 */
export function roleIn(locked: readonly Membership[], actor: PeopleActor): Role | null {
  if (actor.kind === 'operator') return null;
  const own = locked.find(({ personId, lockedAt }) => personId === actor.id && lockedAt === null);
  if (own === undefined) throw new ApiError('not_found');
  // Managing people concerns the whole practice, so any limit to locations excludes it.
  if (!mayDo({ role: own.role, locationIds: own.allLocations ? null : [] }, 'people.manage')) throw new RightLost();
  return own.role;
}

/** @throws PeopleRefused if the actor may not grant this */
export async function checkGrant(
  { em }: Scope,
  ownRole: Role | null,
  practiceId: string,
  { role, locationIds }: Grant,
): Promise<void> {
  if (ownRole !== null && !outranks(ownRole, role)) throw new PeopleRefused('rank_too_high');
  if (locationIds === null) return;
  if (role === 'owner') throw new PeopleRefused('owner_with_locations');
  const wanted = [...new Set(locationIds)];
  const known = await em.count(Location, { practiceId, id: { $in: wanted } });
  if (!(wanted.length > 0 && known === wanted.length)) throw new PeopleRefused('unknown_location');
}

/** Returns a membership with its person and its limits. */
export function userOf(
  { id, practiceId, personId, role, allLocations, lockedAt, lastSignInAt, createdAt }: Membership,
  { email, name }: Pick<Person, 'email' | 'name'>,
  limits: readonly MembershipLocation[],
): User {
  const locationIds = allLocations ? null : limits.map(({ locationId }) => locationId);
  return { id, practiceId, personId, email, name, role, locationIds, lockedAt, lastSignInAt, createdAt };
}

/** Returns an act on a membership or its invitation. Both have the same id. */
export function actOn({ practiceId, id }: Pick<User, 'practiceId' | 'id'>, action: string) {
  return { practiceId, action, target: { kind: 'membership', id } };
}

/** Returns what the audit log records of a person in a practice. */
export function stateOf({ email, role, locationIds }: Grant & { email: string }): object {
  return { email, role, locationIds };
}
