import { isDeepStrictEqual } from 'node:util';
import { LockMode } from '@mikro-orm/postgresql';
import { listLiveKeysCreatedBy, revokeKey } from '../../../access/service.ts';
import { keyAct } from '../../../access/views.ts';
import { ApiError } from '../../../platform/base/errors.ts';
import type { Scope } from '../../../platform/base/scope.ts';
import { inTransaction } from '../../../platform/database/query/transaction.ts';
import { type Actor, audit } from '../../../practices/audit/audit.ts';
import { listAudit } from '../../../practices/audit/list.ts';
import { getPractice } from '../../../practices/find.ts';
import { Location } from '../../../practices/location.entity.ts';
import { queueOwnerMails } from '../../../practices/mail/owner-mails.ts';
import { removeRecipient } from '../../../practices/notifications.ts';
import { Membership, MembershipLocation } from '../../model/membership.entity.ts';
import { Person, personLabel } from '../../model/person.entity.ts';
import { RightLost } from '../../model/refusals.ts';
import { canBeLimited, type Grant, mayDo, outranks, type Role } from '../../model/roles.ts';
import { endAccess, endAllSessions, lockPerson } from '../sign-in/access.ts';
import { auditForPractices, type PersonActor } from '../sign-in/sessions.ts';
import type { PeopleRefusal } from './refusals.ts';

/*
 * People of a practice. The console and the operator's commands call the same functions. Each change is one transaction
 * with its audit entry, and returns the person. It throws `PeopleRefused` if it is refused.
 *
 * The rights of those who act are read under a lock: the request was admitted before, and its person may have another role by now.
 */

/** Refuses a change of people. The pages and the operator's commands have the words for the reasons. */
export class PeopleRefused extends Error {
  readonly reasons: readonly PeopleRefusal[];

  constructor(...reasons: readonly PeopleRefusal[]) {
    super(reasons.join(', '));
    this.reasons = reasons;
  }
}

/** Details of `not_found` for an id that no member of the practice has. */
export const UNKNOWN_MEMBER = { message: 'No such user; `paylinks users list` shows the ids.' };

/** The one who changes people. A person acts within the rank of the own role; the operator has no limit. */
export type PeopleActor = Exclude<Actor, { kind: 'api_key' }>;

/** A membership with its person. */
export type Member = Grant &
  Pick<Membership, 'id' | 'practiceId' | 'personId' | 'lockedAt' | 'lastSignInAt' | 'createdAt'> &
  Pick<Person, 'email' | 'name'>;

/** Names a membership, or the invitation to it. */
export type Target = Pick<Member, 'practiceId' | 'id'>;

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
function roleIn(locked: readonly Membership[], actor: PeopleActor): Role | null {
  if (actor.kind === 'operator') return null;
  const own = locked.find(({ personId, lockedAt }) => personId === actor.id && lockedAt === null);
  if (own === undefined) throw new ApiError('not_found');
  // Managing people concerns the whole practice, so any limit to locations excludes it.
  if (!mayDo({ role: own.role, locationIds: own.allLocations ? null : [] }, 'people.manage')) throw new RightLost();
  return own.role;
}

/** Returns all reasons why the actor may not grant this. */
export async function faultsOfGrant(
  { em }: Scope,
  ownRole: Role | null,
  practiceId: string,
  { role, locationIds }: Grant,
): Promise<PeopleRefusal[]> {
  const faults: PeopleRefusal[] = ownRole !== null && !outranks(ownRole, role) ? ['rank_too_high'] : [];
  if (locationIds === null) return faults;
  if (!canBeLimited(role)) return [...faults, 'role_with_locations'];
  const wanted = [...new Set(locationIds)];
  const known = await em.count(Location, { practiceId, id: { $in: wanted } });
  return wanted.length > 0 && known === wanted.length ? faults : [...faults, 'unknown_location'];
}

/** Returns a membership with its person and its limits. */
export function makeMember(
  { id, practiceId, personId, role, allLocations, lockedAt, lastSignInAt, createdAt }: Membership,
  { email, name }: Pick<Person, 'email' | 'name'>,
  limits: readonly MembershipLocation[],
): Member {
  const locationIds = allLocations ? null : limits.map(({ locationId }) => locationId);
  return { id, practiceId, personId, email, name, role, locationIds, lockedAt, lastSignInAt, createdAt };
}

/** Returns an act on a membership or its invitation. Both have the same id. */
export function actOn({ practiceId, id }: Target, action: string) {
  return { practiceId, action, target: { kind: 'membership', id } };
}

/** Returns what the audit log records of a person in a practice. */
export function stateOf({ email, role, locationIds }: Grant & { email: string }): object {
  return { email, role, locationIds };
}

/** Returns the people of a practice, by address. @throws ApiError `not_found` for an unknown practice */
export async function listMembers(scope: Scope, practiceId: string): Promise<Member[]> {
  await getPractice(scope, practiceId);
  const members = await makeMembers(scope, await scope.em.find(Membership, { practiceId }));
  return members.toSorted((one, other) => (one.email < other.email ? -1 : 1));
}

/** Returns a person of any practice, for the operator. @throws ApiError `not_found` */
export async function findMember(scope: Scope, id: string): Promise<Member> {
  const [member] = await makeMembers(scope, await scope.em.find(Membership, { id }));
  if (member === undefined) throw new ApiError('not_found', UNKNOWN_MEMBER);
  return member;
}

/** Adds the person and the limits to each membership. */
async function makeMembers({ em }: Scope, memberships: readonly Membership[]): Promise<Member[]> {
  const people = await em.find(Person, { id: memberships.map(({ personId }) => personId) });
  const ofThese = { membershipId: memberships.map(({ id }) => id) };
  const limits = await em.find(MembershipLocation, ofThese, { orderBy: { locationId: 'asc' } });
  return memberships.flatMap((membership) => {
    const own = limits.filter(({ membershipId }) => membershipId === membership.id);
    return people.filter(({ id }) => id === membership.personId).map((person) => makeMember(membership, person, own));
  });
}

/** Action of the audit log for a removal. Its entry keeps the name that the person had. */
const REMOVED = 'member.removed';

/** Removals whose names are read, the latest ones. */
const MAX_REMOVALS = 1_000;

/**
 * Returns how pages of a practice name people, by their ids and mail addresses. People who belong to the practice have their present
 * names, and removed ones those of the day of the removal. Otherwise, an invitation would show what other practices know, and a removed
 * person a name that was given elsewhere since. A removal before version 3.0.0 left no name.
 *
 * @param known ids and mail addresses
 */
export async function readLabels(
  scope: Scope,
  practiceId: string,
  known: readonly (string | null)[],
): Promise<ReadonlyMap<string, string>> {
  const keys = [...new Set(known.filter((key) => key !== null))];
  if (keys.length === 0) return new Map();
  const members = (await scope.em.find(Membership, { practiceId })).map(({ personId }) => personId);
  const people = await scope.em.find(Person, { $or: [{ id: keys }, { id: members, email: keys }] });
  const removed = await readRemovedPeople(scope, practiceId);
  return new Map([
    ...removed,
    ...people.flatMap((person) =>
      members.includes(person.id)
        ? [person.id, person.email].map((key) => [key, personLabel(person)] as const)
        : [[person.id, removed.get(person.email) ?? person.email] as const],
    ),
  ]);
}

/** Returns the labels of people who were removed from the practice, by mail address. Who was removed twice has the latest name. */
async function readRemovedPeople(scope: Scope, practiceId: string): Promise<ReadonlyMap<string, string>> {
  const filter = { actor: null, action: REMOVED, day: null, before: null };
  const { entries } = await listAudit(scope, practiceId, filter, MAX_REMOVALS);
  return new Map(
    entries.toReversed().map(({ before }) => {
      const { email, name = null } = { email: '', ...before } satisfies Partial<Person>;
      return [email, personLabel({ email, name })];
    }),
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

/** Changes the role and the locations of a person. It applies at the person's next request. Without a difference nothing is recorded. */
export function changeMember(scope: Scope, actor: PeopleActor, target: Target, grant: Grant): Promise<Member> {
  return inTransaction(scope, async (scope) => {
    const { ownRole, membership, limits, member: before } = await lockTarget(scope, actor, target, grant.role);
    const faults = await faultsOfGrant(scope, ownRole, target.practiceId, grant);
    if (faults.length > 0) throw new PeopleRefused(...faults);
    const locationIds = grant.locationIds === null ? null : [...new Set(grant.locationIds)].toSorted();
    const { role } = grant;
    if (isDeepStrictEqual(stateOf(before), stateOf({ ...before, role, locationIds }))) return before;
    scope.em.remove(limits);
    // An owner has no limit, so the limits go before the role changes.
    await scope.em.flush();
    membership.role = role;
    membership.allLocations = locationIds === null;
    const { id: membershipId, practiceId } = membership;
    const newLimits = (locationIds ?? []).map((locationId) =>
      scope.em.create(MembershipLocation, { practiceId, membershipId, locationId }),
    );
    const member = makeMember(membership, before, newLimits);
    audit(scope, actor, { ...actOn(member, 'member.changed'), before: stateOf(before), after: stateOf(member) });
    return member;
  });
}

/**
 * Removes a person from a practice. Their sessions lose the practice at once, and their address gets no notifications any more. With the
 * last practice, everything ends by which the person signs in. If live keys are left that the person created, the owners get a mail.
 *
 * @param revokedKeyIds live keys that the person created, to be revoked with the removal; others are left as they are
 */
export function removeMember(
  scope: Scope,
  actor: PeopleActor,
  target: Target,
  revokedKeyIds: readonly string[] = [],
): Promise<Member> {
  return inTransaction(scope, async (scope) => {
    const { membership, member } = await lockTarget(scope, actor, target, null);
    scope.em.remove(membership);
    await scope.em.flush();
    if (!(await lockPerson(scope, member.personId))) await endAccess(scope, member.personId);
    await removeRecipient(scope, actor, target.practiceId, member.email);
    // The log goes on naming the person by the name of this day.
    audit(scope, actor, { ...actOn(member, REMOVED), before: { ...stateOf(member), name: member.name } });
    const { practiceId, personId } = member;
    const keys = await listLiveKeysCreatedBy(scope, practiceId, personId);
    for (const { id } of keys.filter(({ id }) => revokedKeyIds.includes(id))) {
      audit(scope, actor, keyAct('revoked', await revokeKey(scope, id)));
    }
    const areLeft = keys.some(({ revokedAt }) => revokedAt === null);
    if (areLeft) await queueOwnerMails(scope, { kind: 'keys_left', practiceId, subjectId: personId });
    return member;
  });
}

/**
 * Locks a person out of a practice, or admits the person again. Role, locations and name stay. Sessions lose the practice at once.
 * With the last practice that is not locked, they end.
 */
export function setLock(scope: Scope, actor: PeopleActor, target: Target, isLocked: boolean): Promise<Member> {
  return inTransaction(scope, async (scope) => {
    const newRole = isLocked ? null : 'same';
    const { membership, limits, member: before } = await lockTarget(scope, actor, target, newRole);
    if ((membership.lockedAt !== null) === isLocked) return before;
    membership.lockedAt = isLocked ? scope.clock.now() : null;
    await scope.em.flush();
    if (!(await lockPerson(scope, before.personId))) await endAllSessions(scope, before.personId);
    const states = { before: stateOf(before), after: stateOf(before) };
    audit(scope, actor, { ...actOn(before, isLocked ? 'member.locked' : 'member.unlocked'), ...states });
    return makeMember(membership, before, limits);
  });
}

/**
 * Locks the memberships on which a change depends: that of the actor, the target, and all owners. So of two concurrent
 * changes the second sees the first, and the last owner stays.
 *
 * @param newRole the role after the change; null for a removal or a lock, `same` for an unlock
 */
async function lockTarget(scope: Scope, actor: PeopleActor, { practiceId, id }: Target, newRole: Role | 'same' | null) {
  const locked = await scope.em.find(
    Membership,
    { practiceId, $or: [{ role: 'owner' }, { id }, { personId: actor.kind === 'operator' ? '' : actor.id }] },
    { orderBy: { id: 'asc' }, lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true },
  );
  const membership = locked.find((one) => one.id === id);
  if (membership === undefined) throw new ApiError('not_found', UNKNOWN_MEMBER);
  const ownRole = roleIn(locked, actor);
  if (ownRole !== null && !outranks(ownRole, membership.role)) throw new PeopleRefused('rank_too_high');
  const otherOwners = locked.filter((one) => one.role === 'owner' && one.lockedAt === null && one.id !== id);
  if (membership.role === 'owner' && newRole !== 'owner' && newRole !== 'same' && otherOwners.length === 0) {
    throw new PeopleRefused('last_owner');
  }
  const limits = await scope.em.find(MembershipLocation, { membershipId: id }, { orderBy: { locationId: 'asc' } });
  const person = await scope.em.findOneOrFail(Person, { id: membership.personId });
  return { ownRole, membership, limits, member: makeMember(membership, person, limits) };
}
