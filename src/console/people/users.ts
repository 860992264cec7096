import { LockMode } from '@mikro-orm/postgresql';
import { type Actor, recordAct } from '../../audit/record.ts';
import { normalEmail } from '../../base/email.ts';
import { ApiError } from '../../base/errors.ts';
import { newId } from '../../base/ids.ts';
import type { Scope } from '../../base/scope.ts';
import { inTransaction } from '../../database/query/transaction.ts';
import { getPractice } from '../../practices/find.ts';
import { Location } from '../../practices/location.entity.ts';
import { Membership, MembershipLocation } from '../model/membership.entity.ts';
import { Person } from '../model/person.entity.ts';
import type { PeopleRefusal } from '../model/refusals.ts';
import { outranks, type Role } from '../model/roles.ts';
import { endAllSessions } from '../sign-in/sessions.ts';
import { queueInvitation } from './invitations.ts';

/*
 * People of a practice. The console and the operator's commands call the same functions. Each change is one transaction
 * with its audit entry.
 */

/** A person in a practice. */
export interface User {
  /** Id of the membership. */
  id: string;
  practiceId: string;
  personId: string;
  email: string;
  role: Role;
  /** Null: all locations of the practice. */
  locationIds: string[] | null;
  createdAt: Date;
}

/** The one who changes people. A person acts within the rank of the own role; the operator has no limit. */
export type PeopleActor = Exclude<Actor, { kind: 'api_key' }>;

/** Result of a change. */
export type PeopleResult = { kind: 'done'; user: User } | { kind: 'refused'; reason: PeopleRefusal };

/** Role and limit of a person. */
export interface Grant {
  role: Role;
  /** Null: all locations of the practice. */
  locationIds: readonly string[] | null;
}

/** Returns the people of a practice, by address. @throws ApiError `not_found` for an unknown practice */
export async function listUsers(scope: Scope, practiceId: string): Promise<User[]> {
  await getPractice(scope, practiceId);
  const memberships = await scope.em.find(Membership, { practiceId });
  const people = await scope.em.find(Person, { id: { $in: memberships.map(({ personId }) => personId) } });
  const limits = await scope.em.find(MembershipLocation, { practiceId }, { orderBy: { locationId: 'asc' } });
  const emails = new Map(people.map(({ id, email }) => [id, email]));
  return memberships
    .map((membership) => {
      const own = limits.filter(({ membershipId }) => membershipId === membership.id);
      return userOf(membership, emails.get(membership.personId) ?? '', own);
    })
    .toSorted((one, other) => (one.email < other.email ? -1 : 1));
}

/** Returns a person of any practice, for the operator. @throws ApiError `not_found` */
export async function findUser(scope: Scope, id: string): Promise<User> {
  const membership = await scope.em.findOne(Membership, { id });
  if (membership === null)
    throw new ApiError('not_found', {
      message: 'No such user; `paylinks users list` shows the ids.',
    });
  const { email } = await scope.em.findOneOrFail(Person, { id: membership.personId });
  const limits = await scope.em.find(MembershipLocation, { membershipId: id }, { orderBy: { locationId: 'asc' } });
  return userOf(membership, email, limits);
}

/** Invites a person to a practice by mail. The person may sign in at once. @throws ApiError `not_found` */
export async function inviteUser(
  scope: Scope,
  actor: PeopleActor,
  practiceId: string,
  { email: text, ...grant }: Grant & { email: string },
): Promise<PeopleResult> {
  await getPractice(scope, practiceId);
  const email = normalEmail(text);
  if (email === null) return refused('invalid_email');
  return inTransaction(scope, async (scope) => {
    const fault = await grantFault(scope, await ownRole(scope, actor, practiceId), practiceId, grant);
    if (fault !== null) return refused(fault);
    const person = await lockPerson(scope, email);
    if ((await scope.em.count(Membership, { practiceId, personId: person.id })) > 0) return refused('already_member');
    const now = scope.clock.now();
    const membership = scope.em.create(Membership, {
      id: newId('membership', now),
      practiceId,
      personId: person.id,
      role: grant.role,
      allLocations: grant.locationIds === null,
      createdAt: now,
    });
    await scope.em.flush();
    const user = userOf(membership, email, limitTo(scope, membership, grant));
    recordAct(scope, actor, { ...actOn(user, 'member.invited'), after: stateOf(user) });
    await queueInvitation(scope, membership.id);
    return { kind: 'done', user };
  });
}

/** Changes the role and the locations of a person. It applies at the person's next request. */
export function changeUser(
  scope: Scope,
  actor: PeopleActor,
  practiceId: string,
  id: string,
  grant: Grant,
): Promise<PeopleResult> {
  return inTransaction(scope, async (scope) => {
    const found = await lockTarget(scope, actor, practiceId, id, grant.role);
    if ('refusal' in found) return refused(found.refusal);
    const fault = await grantFault(scope, found.ownRole, practiceId, grant);
    if (fault !== null) return refused(fault);
    const { membership, limits, user: before } = found;
    scope.em.remove(limits);
    // An owner has no limit, so the limits go before the role changes.
    await scope.em.flush();
    membership.role = grant.role;
    membership.allLocations = grant.locationIds === null;
    const user = userOf(membership, before.email, limitTo(scope, membership, grant));
    recordAct(scope, actor, { ...actOn(user, 'member.changed'), before: stateOf(before), after: stateOf(user) });
    return { kind: 'done', user };
  });
}

/** Removes a person from a practice. Their sessions lose the practice at once, and end if it was the last one. */
export function removeUser(scope: Scope, actor: PeopleActor, practiceId: string, id: string): Promise<PeopleResult> {
  return inTransaction(scope, async (scope) => {
    const found = await lockTarget(scope, actor, practiceId, id, null);
    if ('refusal' in found) return refused(found.refusal);
    const { membership, user } = found;
    scope.em.remove(membership);
    await scope.em.flush();
    if ((await scope.em.count(Membership, { personId: user.personId })) === 0) {
      await endAllSessions(scope, user.personId);
    }
    recordAct(scope, actor, { ...actOn(user, 'member.removed'), before: stateOf(user) });
    return { kind: 'done', user };
  });
}

/** Returns the person with this address, inserted if new, and locks the row. So two invitations run one by one. */
async function lockPerson({ em, clock }: Scope, email: string): Promise<Person> {
  const now = clock.now();
  await em.upsert(
    Person,
    { id: newId('person', now), email, createdAt: now },
    { onConflictFields: ['email'], onConflictAction: 'ignore' },
  );
  em.clear();
  return em.findOneOrFail(Person, { email }, { lockMode: LockMode.PESSIMISTIC_WRITE });
}

/** A membership that the actor may change, with its limits, under its lock. */
interface Target {
  /** Role of the actor; null for the operator. */
  ownRole: Role | null;
  membership: Membership;
  limits: MembershipLocation[];
  user: User;
}

/**
 * Locks the memberships on which a change depends: that of the actor, the target, and all owners. So of two concurrent
 * changes the second sees the first, and the last owner stays.
 *
 * @param newRole the role after the change; null for a removal
 */
async function lockTarget(
  scope: Scope,
  actor: PeopleActor,
  practiceId: string,
  id: string,
  newRole: Role | null,
): Promise<Target | { refusal: PeopleRefusal }> {
  const locked = await scope.em.find(
    Membership,
    { practiceId, $or: [{ role: 'owner' }, { id }, { personId: personOf(actor) }] },
    { orderBy: { id: 'asc' }, lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true },
  );
  const membership = locked.find((one) => one.id === id);
  if (membership === undefined) return { refusal: 'unknown_member' };
  const ownRole = roleIn(locked, actor);
  if (ownRole !== null && !outranks(ownRole, membership.role)) return { refusal: 'rank_too_high' };
  const otherOwners = locked.filter((one) => one.role === 'owner' && one.id !== id);
  if (membership.role === 'owner' && newRole !== 'owner' && otherOwners.length === 0) return { refusal: 'last_owner' };
  const limits = await scope.em.find(MembershipLocation, { membershipId: id }, { orderBy: { locationId: 'asc' } });
  const { email } = await scope.em.findOneOrFail(Person, { id: membership.personId });
  return { ownRole, membership, limits, user: userOf(membership, email, limits) };
}

async function ownRole(scope: Scope, actor: PeopleActor, practiceId: string): Promise<Role | null> {
  if (actor.kind === 'operator') return null;
  const own = await scope.em.find(
    Membership,
    { practiceId, personId: actor.id },
    { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true },
  );
  return roleIn(own, actor);
}

function personOf(actor: PeopleActor): string {
  return actor.kind === 'operator' ? '' : actor.id;
}

/** Returns the actor's present role; null for the operator. @throws ApiError `not_found` if the actor was removed */
function roleIn(memberships: readonly Membership[], actor: PeopleActor): Role | null {
  if (actor.kind === 'operator') return null;
  const own = memberships.find(({ personId }) => personId === actor.id);
  if (own === undefined) throw new ApiError('not_found');
  return own.role;
}

/** Returns the reason why the actor may not grant this; null if there is none. */
async function grantFault(
  { em }: Scope,
  ownRole: Role | null,
  practiceId: string,
  { role, locationIds }: Grant,
): Promise<PeopleRefusal | null> {
  if (ownRole !== null && !outranks(ownRole, role)) return 'rank_too_high';
  if (locationIds === null) return null;
  if (role === 'owner') return 'owner_with_locations';
  const wanted = [...new Set(locationIds)];
  const known = await em.count(Location, { practiceId, id: { $in: wanted } });
  return wanted.length > 0 && known === wanted.length ? null : 'unknown_location';
}

function limitTo({ em }: Scope, { id, practiceId }: Membership, { locationIds }: Grant): MembershipLocation[] {
  return [...new Set(locationIds ?? [])]
    .toSorted()
    .map((locationId) => em.create(MembershipLocation, { practiceId, membershipId: id, locationId }));
}

function userOf(
  { id, practiceId, personId, role, allLocations, createdAt }: Membership,
  email: string,
  limits: readonly MembershipLocation[],
): User {
  const locationIds = allLocations ? null : limits.map(({ locationId }) => locationId);
  return { id, practiceId, personId, email, role, locationIds, createdAt };
}

function actOn({ practiceId, id }: User, action: string) {
  return { practiceId, action, target: { kind: 'membership', id } };
}

/** Returns what the audit log records of a person in a practice. */
function stateOf({ email, role, locationIds }: User): object {
  return { email, role, locationIds };
}

function refused(reason: PeopleRefusal): PeopleResult {
  return { kind: 'refused', reason };
}
