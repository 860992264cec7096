import { isDeepStrictEqual } from 'node:util';
import { keyAct, listLiveKeysCreatedBy, revokeKey } from '../../../access/service.ts';
import { ApiError } from '../../../platform/base/errors.ts';
import type { Scope } from '../../../platform/base/scope.ts';
import { parseTime, type Texts } from '../../../platform/database/query/columns.ts';
import { type SqlValue, sql } from '../../../platform/database/query/sql.ts';
import { inTransaction } from '../../../platform/database/query/transaction.ts';
import { type Actor, audit } from '../../../practices/audit/audit.ts';
import { listAudit } from '../../../practices/audit/list.ts';
import { removeRecipient } from '../../../practices/changes-by-people.ts';
import { getPractice } from '../../../practices/find.ts';
import { Location } from '../../../practices/location.entity.ts';
import { queueOwnerMails } from '../../../practices/mail/owner-mails.ts';
import { Person, personLabel } from '../../model/person.entity.ts';
import { type PeopleRefusal, type PeopleRefused, RightLost } from '../../model/refusals.ts';
import { canBeLimited, type Grant, mayDo, outranks, type Role } from '../../model/roles.ts';
import { endAccess, endAllSessions, lockPerson } from '../sign-in/access.ts';
import { auditForPractices, type PersonActor } from '../sign-in/sessions.ts';

/*
 * People of a practice. Each change is one transaction with its audit entry, and returns the member, or why it is refused. The rights of
 * the person who acts are read under a lock: since the request was admitted, the role may have changed.
 */

/** Details of `not_found` for an id that no member of the practice has. */
export const UNKNOWN_MEMBER = { message: 'No such user; `paylinks users list` shows the ids.' };

/** The one who changes people. A person acts within the rank of the own role; the operator has no limit. */
export type PeopleActor = Exclude<Actor, { kind: 'api_key' }>;

export interface Member extends Grant, Pick<Person, 'email' | 'name'> {
  id: string;
  practiceId: string;
  personId: string;
  /** Since when the person may not use the practice; null if the person may. */
  lockedAt: Date | null;
  /** The latest sign-in whose session was used for the practice; null if there was none. */
  lastSignInAt: Date | null;
  createdAt: Date;
}

export type Target = Pick<Member, 'practiceId' | 'id'>;

/**
 * Locks the memberships on which a change depends: the actor's, the target, and all owners'. So the last owner stays. Returns the people,
 * and the actor's present role; null for the operator.
 *
 * @param id the target; null for a person who is no member
 * @throws ApiError `not_found` if the actor was removed or locked; RightLost if the actor may not manage people any more
 */
export async function lockMembers(scope: Scope, actor: PeopleActor, practiceId: string, id: string | null) {
  const actorId = actor.kind === 'operator' ? null : actor.id;
  const text = `select from memberships where practice_id = $1 and (role = 'owner' or id = $2 or person_id = $3) order by id for update`;
  await sql(scope.em, text, [practiceId, id, actorId]);
  // A separate statement, which sees what was committed while the locks were awaited.
  const members = await listMembers(scope, practiceId);
  if (actorId === null) return { members, ownRole: null };
  const own = members.find(({ personId, lockedAt }) => personId === actorId && lockedAt === null);
  if (own === undefined) throw new ApiError('not_found');
  if (!mayDo(own, 'people.manage')) throw new RightLost();
  return { members, ownRole: own.role };
}

export async function findGrantRefusals(
  { em }: Scope,
  ownRole: Role | null,
  practiceId: string,
  { role, locationIds }: Grant,
): Promise<PeopleRefusal[]> {
  const refusals: PeopleRefusal[] = ownRole !== null && !outranks(ownRole, role) ? ['rank_too_high'] : [];
  if (locationIds === null) return refusals;
  if (!canBeLimited(role)) return [...refusals, 'role_with_locations'];
  const ids = uniqueIds(locationIds);
  const count = await em.count(Location, { practiceId, id: { $in: ids } });
  return ids.length > 0 && count === ids.length ? refusals : [...refusals, 'unknown_location'];
}

export function uniqueIds(ids: readonly string[]): string[] {
  return [...new Set(ids)].toSorted();
}

/** Returns an act on a membership or its invitation. Both have the same id. */
export function actOn({ practiceId, id }: Target, action: string) {
  return { practiceId, action, target: { kind: 'membership', id } };
}

export function stateOf({ email, role, locationIds }: Grant & { email: string }): object {
  return { email, role, locationIds };
}

/** Returns the people of a practice, by address. @throws ApiError `not_found` for an unknown practice */
export async function listMembers(scope: Scope, practiceId: string): Promise<Member[]> {
  await getPractice(scope, practiceId);
  return readMembers(scope, 'm.practice_id = $1', [practiceId]);
}

/** Returns a member of any practice, for the operator. @throws ApiError `not_found` */
export async function findMember(scope: Scope, id: string): Promise<Member> {
  const [member] = await readMembers(scope, 'm.id = $1', [id]);
  if (member === undefined) throw new ApiError('not_found', UNKNOWN_MEMBER);
  return member;
}

async function readMembers({ em }: Scope, condition: string, values: readonly SqlValue[]): Promise<Member[]> {
  const text = `select m.id, m.practice_id as "practiceId", m.person_id as "personId", p.email, p.name, m.role,
       case when m.all_locations then null else array(
         select l.location_id from membership_locations l where l.membership_id = m.id order by 1) end as "locationIds",
       m.locked_at as "lockedAt", m.last_sign_in_at as "lastSignInAt", m.created_at as "createdAt"
     from memberships m join people p on p.id = m.person_id where ${condition} order by p.email collate "C"`;
  const rows = await sql<Texts<Member>>(em, text, values);
  return rows.map(({ lockedAt, lastSignInAt, createdAt, ...row }) => ({
    ...row,
    lockedAt: parseTime(lockedAt),
    lastSignInAt: parseTime(lastSignInAt),
    createdAt: new Date(createdAt),
  }));
}

/** Act of a removal. Pages read the names of so many latest ones. */
const REMOVED = 'member.removed';
const MAX_REMOVALS = 1_000;

/**
 * Returns how pages of a practice name people, by their ids and mail addresses. A removed person keeps the name of the day of the
 * removal, because a later one was given to other practices. A removal before version 3.0.0 left no name.
 */
export async function readLabels(
  scope: Scope,
  practiceId: string,
  idsAndEmails: readonly (string | null)[],
): Promise<ReadonlyMap<string, string>> {
  const ids = idsAndEmails.filter((text) => text !== null);
  if (ids.length === 0) return new Map();
  const members = await listMembers(scope, practiceId);
  const people = await scope.em.find(Person, { id: ids });
  const removedLabels = await readRemovedPeople(scope, practiceId);
  return new Map([
    ...removedLabels,
    ...people.map(({ id, email }) => [id, removedLabels.get(email) ?? email] as const),
    ...members.flatMap((member) => [member.personId, member.email].map((name) => [name, personLabel(member)] as const)),
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
export function changeMember(scope: Scope, actor: PeopleActor, target: Target, grant: Grant) {
  return actOnMember(scope, actor, target, grant.role, async (scope, member, ownRole) => {
    const refusals = await findGrantRefusals(scope, ownRole, target.practiceId, grant);
    if (refusals.length > 0) return { refusals };
    const locationIds = grant.locationIds && uniqueIds(grant.locationIds);
    const changedMember = { ...member, role: grant.role, locationIds };
    if (isDeepStrictEqual(member, changedMember)) return member;
    await sql(scope.em, 'delete from membership_locations where membership_id = $1', [member.id]);
    const text = 'update memberships set role = $2, all_locations = $3 where id = $1';
    await sql(scope.em, text, [member.id, changedMember.role, changedMember.locationIds === null]);
    await addLocations(scope, changedMember);
    audit(scope, actor, { ...actOn(member, 'member.changed'), before: stateOf(member), after: stateOf(changedMember) });
    return changedMember;
  });
}

/** Limits a membership to locations, unless it is for all of them. */
export async function addLocations({ em }: Scope, { practiceId, id, locationIds }: Member): Promise<void> {
  const text = `insert into membership_locations (practice_id, membership_id, location_id)
    select $1, $2, unnest($3::text[])`;
  await sql(em, text, [practiceId, id, locationIds ?? []]);
}

/**
 * Removes a person from a practice. With the last practice, everything ends by which the person signs in. If live keys are left that
 * the person created, the owners get a mail.
 *
 * @param revokedKeyIds live keys that the person created, to be revoked with the removal; others are left as they are
 */
export function removeMember(scope: Scope, actor: PeopleActor, target: Target, revokedKeyIds: readonly string[] = []) {
  return actOnMember(scope, actor, target, null, async (scope, member) => {
    const { practiceId, personId } = member;
    await sql(scope.em, 'delete from memberships where id = $1', [member.id]);
    if (!(await lockPerson(scope, personId))) await endAccess(scope, personId);
    await removeRecipient(scope, { actor, practiceId }, member.email);
    // The log goes on naming the person by the name of this day.
    audit(scope, actor, { ...actOn(member, REMOVED), before: { ...stateOf(member), name: member.name } });
    const keys = await listLiveKeysCreatedBy(scope, practiceId, personId);
    for (const { id } of keys.filter(({ id }) => revokedKeyIds.includes(id))) {
      audit(scope, actor, keyAct('revoked', await revokeKey(scope, id)));
    }
    const areLeft = keys.some(({ revokedAt }) => revokedAt === null);
    if (areLeft) await queueOwnerMails(scope, { kind: 'keys_left', practiceId, subjectId: personId });
    return member;
  });
}

/** Locks a person out of a practice, or admits the person again. With the last practice that is not locked, the sessions end. */
export function setLock(scope: Scope, actor: PeopleActor, target: Target, isLocked: boolean) {
  return actOnMember(scope, actor, target, isLocked ? null : 'same', async (scope, member) => {
    if ((member.lockedAt !== null) === isLocked) return member;
    const lockedAt = isLocked ? scope.clock.now() : null;
    await sql(scope.em, 'update memberships set locked_at = $2 where id = $1', [member.id, lockedAt]);
    if (!(await lockPerson(scope, member.personId))) await endAllSessions(scope, member.personId);
    const states = { before: stateOf(member), after: stateOf(member) };
    audit(scope, actor, { ...actOn(member, isLocked ? 'member.locked' : 'member.unlocked'), ...states });
    return { ...member, lockedAt };
  });
}

/** Locks a member, and acts in the same transaction. @param newRole null for a removal or a lock, `same` for an unlock */
function actOnMember(
  scope: Scope,
  actor: PeopleActor,
  { practiceId, id }: Target,
  newRole: Role | 'same' | null,
  act: (scope: Scope, member: Member, ownRole: Role | null) => Promise<Member | PeopleRefused>,
) {
  return inTransaction(scope, async (scope): Promise<Member | PeopleRefused> => {
    const { members, ownRole } = await lockMembers(scope, actor, practiceId, id);
    const member = members.find((one) => one.id === id);
    if (member === undefined) throw new ApiError('not_found', UNKNOWN_MEMBER);
    if (ownRole !== null && !outranks(ownRole, member.role)) return { refusals: ['rank_too_high'] };
    const hasOtherOwner = members.some((one) => one.role === 'owner' && one.lockedAt === null && one.id !== id);
    const staysOwner = newRole === 'owner' || newRole === 'same';
    if (member.role === 'owner' && !staysOwner && !hasOtherOwner) return { refusals: ['last_owner'] };
    return act(scope, member, ownRole);
  });
}
