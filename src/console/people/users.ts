import { LockMode } from '@mikro-orm/postgresql';
import { audit } from '../../audit/audit.ts';
import { ApiError } from '../../base/errors.ts';
import type { Scope } from '../../base/scope.ts';
import { inTransaction } from '../../database/query/transaction.ts';
import { getPractice } from '../../practices/find.ts';
import { Membership, MembershipLocation } from '../model/membership.entity.ts';
import { Person, personLabel } from '../model/person.entity.ts';
import { type Grant, outranks, type Role } from '../model/roles.ts';
import { endAccess, endAllSessions, lockPerson } from '../sign-in/access.ts';
import { auditForPractices, type PersonActor } from '../sign-in/sessions.ts';
import {
  actOn,
  checkGrant,
  type PeopleActor,
  PeopleRefused,
  roleIn,
  stateOf,
  UNKNOWN_USER,
  type User,
  userOf,
} from './rights.ts';

export { PeopleRefused, type User } from './rights.ts';

/*
 * People of a practice. The console and the operator's commands call the same functions. Each change is one transaction
 * with its audit entry, and returns the person. It throws `PeopleRefused` if it is refused.
 */

/** Returns the people of a practice, by address. @throws ApiError `not_found` for an unknown practice */
export async function listUsers(scope: Scope, practiceId: string): Promise<User[]> {
  await getPractice(scope, practiceId);
  const users = await usersOf(scope, await scope.em.find(Membership, { practiceId }));
  return users.toSorted((one, other) => (one.email < other.email ? -1 : 1));
}

/** Returns a person of any practice, for the operator. @throws ApiError `not_found` */
export async function findUser(scope: Scope, id: string): Promise<User> {
  const [user] = await usersOf(scope, await scope.em.find(Membership, { id }));
  if (user === undefined) throw new ApiError('not_found', UNKNOWN_USER);
  return user;
}

/** Adds the person and the limits to each membership. */
async function usersOf({ em }: Scope, memberships: readonly Membership[]): Promise<User[]> {
  const people = await em.find(Person, { id: memberships.map(({ personId }) => personId) });
  const ofThese = { membershipId: memberships.map(({ id }) => id) };
  const limits = await em.find(MembershipLocation, ofThese, { orderBy: { locationId: 'asc' } });
  return memberships.flatMap((membership) => {
    const own = limits.filter(({ membershipId }) => membershipId === membership.id);
    return people.filter(({ id }) => id === membership.personId).map((person) => userOf(membership, person, own));
  });
}

/**
 * Returns how pages of a practice name people, by their ids and mail addresses. Only people who belong to the practice have names.
 * Otherwise, an invitation would show what other practices know, and a removed person a name that was given elsewhere since.
 *
 * @param known ids and mail addresses
 */
export async function readLabels(
  { em }: Scope,
  practiceId: string,
  known: readonly (string | null)[],
): Promise<ReadonlyMap<string, string>> {
  const keys = [...new Set(known.filter((key) => key !== null))];
  if (keys.length === 0) return new Map();
  const members = (await em.find(Membership, { practiceId })).map(({ personId }) => personId);
  const people = await em.find(Person, { $or: [{ id: keys }, { id: members, email: keys }] });
  return new Map(
    people.flatMap((person) =>
      members.includes(person.id)
        ? [person.id, person.email].map((key) => [key, personLabel(person)] as const)
        : [[person.id, person.email] as const],
    ),
  );
}

/** Longest name of a person, in characters. */
export const MAX_PERSON_NAME_LENGTH = 100;

/** Changes the name of the person who acts. All practices of the person see the act in their logs. */
export function renamePerson(scope: Scope, actor: PersonActor, name: string): Promise<void> {
  return inTransaction(scope, async (scope) => {
    const person = await scope.em.findOneOrFail(Person, { id: actor.id });
    if (person.name === name) return;
    const states = { before: { name: person.name }, after: { name } };
    person.name = name;
    await auditForPractices(scope, actor, 'person.renamed', states);
  });
}

/** Changes the role and the locations of a person. It applies at the person's next request. */
export function changeUser(
  scope: Scope,
  actor: PeopleActor,
  practiceId: string,
  id: string,
  grant: Grant,
): Promise<User> {
  return inTransaction(scope, async (scope) => {
    const { ownRole, membership, limits, user: before } = await lockTarget(scope, actor, practiceId, id, grant.role);
    await checkGrant(scope, ownRole, practiceId, grant);
    scope.em.remove(limits);
    // An owner has no limit, so the limits go before the role changes.
    await scope.em.flush();
    membership.role = grant.role;
    membership.allLocations = grant.locationIds === null;
    const user = userOf(membership, before, limitTo(scope, membership, grant));
    audit(scope, actor, { ...actOn(user, 'member.changed'), before: stateOf(before), after: stateOf(user) });
    return user;
  });
}

/**
 * Removes a person from a practice. Their sessions lose the practice at once. With the last practice, everything ends by which
 * the person signs in.
 */
export function removeUser(scope: Scope, actor: PeopleActor, practiceId: string, id: string): Promise<User> {
  return inTransaction(scope, async (scope) => {
    const { membership, user } = await lockTarget(scope, actor, practiceId, id, null);
    scope.em.remove(membership);
    await scope.em.flush();
    if (!(await lockPerson(scope, user.personId))) await endAccess(scope, user.personId);
    audit(scope, actor, { ...actOn(user, 'member.removed'), before: stateOf(user) });
    return user;
  });
}

/**
 * Locks a person out of a practice, or admits the person again. Role, locations and name stay. Sessions lose the practice at once.
 * With the last practice that is not locked, they end.
 */
export function setLock(
  scope: Scope,
  actor: PeopleActor,
  practiceId: string,
  id: string,
  isLocked: boolean,
): Promise<User> {
  return inTransaction(scope, async (scope) => {
    const {
      membership,
      limits,
      user: before,
    } = await lockTarget(scope, actor, practiceId, id, isLocked ? null : 'same');
    if ((membership.lockedAt !== null) === isLocked) return before;
    membership.lockedAt = isLocked ? scope.clock.now() : null;
    await scope.em.flush();
    if (!(await lockPerson(scope, before.personId))) await endAllSessions(scope, before.personId);
    const states = { before: stateOf(before), after: stateOf(before) };
    audit(scope, actor, { ...actOn(before, isLocked ? 'member.locked' : 'member.unlocked'), ...states });
    return userOf(membership, before, limits);
  });
}

/**
 * Locks the memberships on which a change depends: that of the actor, the target, and all owners. So of two concurrent
 * changes the second sees the first, and the last owner stays.
 *
 * @param newRole the role after the change; null for a removal or a lock, `same` for an unlock
 */
async function lockTarget(
  scope: Scope,
  actor: PeopleActor,
  practiceId: string,
  id: string,
  newRole: Role | 'same' | null,
) {
  const locked = await scope.em.find(
    Membership,
    { practiceId, $or: [{ role: 'owner' }, { id }, { personId: personOf(actor) }] },
    { orderBy: { id: 'asc' }, lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true },
  );
  const membership = locked.find((one) => one.id === id);
  if (membership === undefined) throw new ApiError('not_found', UNKNOWN_USER);
  const ownRole = roleIn(locked, actor);
  if (ownRole !== null && !outranks(ownRole, membership.role)) throw new PeopleRefused('rank_too_high');
  const otherOwners = locked.filter((one) => one.role === 'owner' && one.lockedAt === null && one.id !== id);
  if (membership.role === 'owner' && newRole !== 'owner' && newRole !== 'same' && otherOwners.length === 0) {
    throw new PeopleRefused('last_owner');
  }
  const limits = await scope.em.find(MembershipLocation, { membershipId: id }, { orderBy: { locationId: 'asc' } });
  const person = await scope.em.findOneOrFail(Person, { id: membership.personId });
  return { ownRole, membership, limits, user: userOf(membership, person, limits) };
}

function personOf(actor: PeopleActor): string {
  return actor.kind === 'operator' ? '' : actor.id;
}

function limitTo({ em }: Scope, { id, practiceId }: Membership, { locationIds }: Grant): MembershipLocation[] {
  return [...new Set(locationIds ?? [])]
    .toSorted()
    .map((locationId) => em.create(MembershipLocation, { practiceId, membershipId: id, locationId }));
}
