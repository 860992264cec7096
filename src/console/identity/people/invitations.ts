import { normalizeEmail } from '../../../platform/base/email.ts';
import { ApiError } from '../../../platform/base/errors.ts';
import { newId } from '../../../platform/base/ids.ts';
import type { Scope } from '../../../platform/base/scope.ts';
import { sql } from '../../../platform/database/query/sql.ts';
import { inTransaction } from '../../../platform/database/query/transaction.ts';
import { audit } from '../../../practices/audit/audit.ts';
import { getPractice } from '../../../practices/find.ts';
import { Invitation } from '../../model/invitation.entity.ts';
import { Membership } from '../../model/membership.entity.ts';
import { Person } from '../../model/person.entity.ts';
import { type Grant, outranks } from '../../model/roles.ts';
import { queueInvitation } from './mails.ts';
import {
  actOn,
  faultsOfGrant,
  lockOwnRole,
  type PeopleActor,
  PeopleRefused,
  stateOf,
  type Target,
  UNKNOWN_MEMBER,
} from './members.ts';

/*
 * Invitations. The console and the operator's commands call the same functions. An invited person belongs to the practice only
 * after accepting (`accept.ts`): until then the person's other practices and sign-ins are none of the inviter's business. A refused act throws `PeopleRefused`.
 */

/** Time for which the address of an invitation works, from its newest mail on. */
const LIFETIME_MS = 7 * 24 * 60 * 60_000;

/** Most mails of invitations per practice and hour, and per recipient and day. They keep a practice from mailing strangers. */
const MAILS_PER_PRACTICE = 20;
const MAILS_PER_RECIPIENT = 3;

const HOUR_MS = 60 * 60_000;

/** Returns the open and expired invitations of a practice, by address. */
export function listInvitations({ em }: Scope, practiceId: string): Promise<Invitation[]> {
  return em.find(Invitation, { practiceId }, { orderBy: { email: 'asc' } });
}

/** Returns an invitation of any practice, for the operator; null if there is none. */
export function findInvitationById({ em }: Scope, id: string): Promise<Invitation | null> {
  return em.findOne(Invitation, { id });
}

export function isOpen({ clock }: Scope, { expiresAt }: Invitation): boolean {
  return expiresAt > clock.now();
}

/** Invites a person to a practice by mail. An expired invitation is replaced. @throws ApiError `not_found`; RightLost */
export async function inviteMember(
  scope: Scope,
  actor: PeopleActor,
  practiceId: string,
  { email: text, ...grant }: Grant & { email: string },
): Promise<Invitation> {
  await getPractice(scope, practiceId);
  const email = normalizeEmail(text);
  return inTransaction(scope, async (scope) => {
    const faults = await faultsOfGrant(scope, await lockOwnRole(scope, actor, practiceId), practiceId, grant);
    if (email === null) throw new PeopleRefused('invalid_email', ...faults);
    if (faults.length > 0) throw new PeopleRefused(...faults);
    await lockRecipient(scope, practiceId, email);
    // Before the membership, because an acceptance in between ends the one and begins the other.
    const former = await scope.em.findOne(Invitation, { practiceId, email });
    const person = await scope.em.findOne(Person, { email });
    if (person !== null && (await scope.em.count(Membership, { practiceId, personId: person.id })) > 0) {
      throw new PeopleRefused('already_member');
    }
    if (former !== null && isOpen(scope, former)) throw new PeopleRefused('already_invited');
    await countMail(scope, actor, practiceId, email);
    if (former !== null) await scope.em.remove(former).flush();
    const now = scope.clock.now();
    const invitation = scope.em.create(Invitation, {
      id: newId('membership', now),
      practiceId,
      email,
      role: grant.role,
      locationIds: grant.locationIds === null ? null : [...new Set(grant.locationIds)].toSorted(),
      expiresAt: new Date(now.getTime() + LIFETIME_MS),
      createdAt: now,
    });
    await scope.em.persist(invitation).flush();
    audit(scope, actor, { ...actOn(invitation, 'member.invited'), after: stateOf(invitation) });
    await queueInvitation(scope, invitation.id);
    return invitation;
  });
}

/** Mails an invitation again. Its new address works for the whole time. @throws ApiError `not_found`; RightLost */
export function sendAgain(scope: Scope, actor: PeopleActor, target: Target): Promise<Invitation> {
  return inTransaction(scope, async (scope) => {
    const invitation = await lockInvitation(scope, actor, target);
    await countMail(scope, actor, target.practiceId, invitation.email);
    invitation.expiresAt = new Date(scope.clock.now().getTime() + LIFETIME_MS);
    audit(scope, actor, { ...actOn(invitation, 'member.invited'), after: stateOf(invitation) });
    await queueInvitation(scope, invitation.id);
    return invitation;
  });
}

/** Withdraws an invitation. Its addresses end at once. A practice without an owner keeps its last invited one. */
export function withdrawInvitation(scope: Scope, actor: PeopleActor, target: Target): Promise<Invitation> {
  return inTransaction(scope, async (scope) => {
    const { practiceId, id } = target;
    const invitation = await lockInvitation(scope, actor, target);
    const owners =
      (await scope.em.count(Membership, { practiceId, role: 'owner', lockedAt: null })) +
      (await scope.em.count(Invitation, { practiceId, role: 'owner', id: { $ne: id } }));
    if (invitation.role === 'owner' && owners === 0) throw new PeopleRefused('last_owner');
    scope.em.remove(invitation);
    audit(scope, actor, { ...actOn(invitation, 'invitation.withdrawn'), before: stateOf(invitation) });
    return invitation;
  });
}

/** Locks an invitation on which the actor may act. */
async function lockInvitation(scope: Scope, actor: PeopleActor, { practiceId, id }: Target): Promise<Invitation> {
  const ownRole = await lockOwnRole(scope, actor, practiceId);
  const known = await scope.em.findOne(Invitation, { id, practiceId });
  if (known === null) throw new ApiError('not_found', UNKNOWN_MEMBER);
  await lockRecipient(scope, practiceId, known.email);
  await sql(scope.em, 'select 1 from invitations where id = $1 for update', [id]);
  const invitation = await scope.em.findOne(Invitation, { id }, { refresh: true });
  if (invitation === null) throw new ApiError('not_found', UNKNOWN_MEMBER);
  if (ownRole !== null && !outranks(ownRole, invitation.role)) throw new PeopleRefused('rank_too_high');
  return invitation;
}

/** Locks what the limits count, always in this order. So invitations at the same time are counted one by one. */
async function lockRecipient({ em }: Scope, practiceId: string, email: string): Promise<void> {
  for (const subject of [practiceId, email]) {
    await sql(em, 'select pg_advisory_xact_lock(hashtextextended($1, 0))', [`invitation_mails:${subject}`]);
  }
}

/** Counts a mail that a person asks for. The operator has no limit. @throws PeopleRefused above a limit */
async function countMail({ em, clock }: Scope, actor: PeopleActor, practiceId: string, email: string): Promise<void> {
  if (actor.kind === 'operator') return;
  const now = clock.now();
  const [sent] = await sql<{ by_practice: number; to_recipient: number }>(
    em,
    `select (select count(*)::integer from invitation_mails where practice_id = $1 and created_at > $3) as by_practice,
       (select count(*)::integer from invitation_mails where email = $2 and created_at > $4) as to_recipient`,
    [practiceId, email, new Date(now.getTime() - HOUR_MS), new Date(now.getTime() - 24 * HOUR_MS)],
  );
  if ((sent?.by_practice ?? 0) >= MAILS_PER_PRACTICE) throw new PeopleRefused('practice_limit');
  if ((sent?.to_recipient ?? 0) >= MAILS_PER_RECIPIENT) throw new PeopleRefused('recipient_limit');
  await sql(em, 'insert into invitation_mails (practice_id, email, created_at) values ($1, $2, $3)', [
    practiceId,
    email,
    now,
  ]);
}
