import { normalizeEmail } from '../../../platform/base/email.ts';
import { ApiError } from '../../../platform/base/errors.ts';
import { newId } from '../../../platform/base/ids.ts';
import type { Scope } from '../../../platform/base/scope.ts';
import { sql } from '../../../platform/database/query/sql.ts';
import { inTransaction } from '../../../platform/database/query/transaction.ts';
import { audit } from '../../../practices/audit/audit.ts';
import { Invitation } from '../../model/invitation.entity.ts';
import type { PeopleRefused } from '../../model/refusals.ts';
import { type Grant, outranks } from '../../model/roles.ts';
import { queueInvitation } from './mails.ts';
import type { PeopleActor, Target } from './members.ts';
import * as people from './members.ts';

/* An invited person belongs to the practice only after accepting (`accept.ts`). Until then the practice learns nothing of the person. */

/** Time for which the address of an invitation works, from its newest mail on. */
const LIFETIME_MS = 7 * 24 * 60 * 60_000;

/** Most mails of invitations per practice and hour, and per recipient and day. They keep a practice from mailing strangers. */
const MAILS_PER_PRACTICE = 20;
const MAILS_PER_RECIPIENT = 3;

const HOUR_MS = 60 * 60_000;

export function listInvitations({ em }: Scope, practiceId: string): Promise<Invitation[]> {
  return em.find(Invitation, { practiceId }, { orderBy: { email: 'asc' } });
}

export function findInvitationById({ em }: Scope, id: string): Promise<Invitation | null> {
  return em.findOne(Invitation, { id });
}

export function isOpen({ clock }: Scope, { expiresAt }: Invitation): boolean {
  return expiresAt > clock.now();
}

/** Invites a person to a practice by mail. An expired invitation is replaced. @throws ApiError `not_found`; RightLost */
export function inviteMember(
  scope: Scope,
  actor: PeopleActor,
  practiceId: string,
  { email: text, ...grant }: Grant & { email: string },
) {
  return inTransaction(scope, async (scope): Promise<Invitation | PeopleRefused> => {
    const email = normalizeEmail(text);
    const { ownRole } = await people.lockMembers(scope, actor, practiceId, null);
    const refusals = await people.findGrantRefusals(scope, ownRole, practiceId, grant);
    if (email === null) return { refusals: ['invalid_email', ...refusals] };
    if (refusals.length > 0) return { refusals };
    await lockRecipient(scope, practiceId, email);
    // Before the members, because an acceptance in between ends the one and begins the other.
    const former = await scope.em.findOne(Invitation, { practiceId, email });
    const members = await people.listMembers(scope, practiceId);
    if (members.some((member) => member.email === email)) return { refusals: ['already_member'] };
    if (former !== null && isOpen(scope, former)) return { refusals: ['already_invited'] };
    const refused = await countMail(scope, actor, practiceId, email);
    if (refused !== null) return refused;
    if (former !== null) await scope.em.remove(former).flush();
    const now = scope.clock.now();
    const invitation = scope.em.create(Invitation, {
      id: newId('membership', now),
      practiceId,
      email,
      role: grant.role,
      locationIds: grant.locationIds && people.uniqueIds(grant.locationIds),
      expiresAt: new Date(now.getTime() + LIFETIME_MS),
      createdAt: now,
    });
    await sendInvitation(scope, actor, invitation);
    return invitation;
  });
}

/** Mails an invitation again. Its new address works for the whole time. @throws ApiError `not_found`; RightLost */
export function sendAgain(scope: Scope, actor: PeopleActor, target: Target) {
  return inTransaction(scope, async (scope): Promise<Invitation | PeopleRefused> => {
    const invitation = await lockInvitation(scope, actor, target);
    if ('refusals' in invitation) return invitation;
    const refused = await countMail(scope, actor, target.practiceId, invitation.email);
    if (refused !== null) return refused;
    invitation.expiresAt = new Date(scope.clock.now().getTime() + LIFETIME_MS);
    await sendInvitation(scope, actor, invitation);
    return invitation;
  });
}

async function sendInvitation(scope: Scope, actor: PeopleActor, invitation: Invitation): Promise<void> {
  await scope.em.persist(invitation).flush();
  audit(scope, actor, { ...people.actOn(invitation, 'member.invited'), after: people.stateOf(invitation) });
  await queueInvitation(scope, invitation.id);
}

/** Withdraws an invitation. Its addresses end at once. A practice without an owner keeps its last invited one. */
export function withdrawInvitation(scope: Scope, actor: PeopleActor, target: Target) {
  return inTransaction(scope, async (scope): Promise<Invitation | PeopleRefused> => {
    const { practiceId, id } = target;
    const invitation = await lockInvitation(scope, actor, target);
    if ('refusals' in invitation) return invitation;
    const hasOwner = (await people.listMembers(scope, practiceId)).some(
      ({ role, lockedAt }) => role === 'owner' && !lockedAt,
    );
    const otherInvited = await scope.em.count(Invitation, { practiceId, role: 'owner', id: { $ne: id } });
    if (invitation.role === 'owner' && !hasOwner && otherInvited === 0) return { refusals: ['last_owner'] };
    scope.em.remove(invitation);
    audit(scope, actor, { ...people.actOn(invitation, 'invitation.withdrawn'), before: people.stateOf(invitation) });
    return invitation;
  });
}

async function lockInvitation(
  scope: Scope,
  actor: PeopleActor,
  { practiceId, id }: Target,
): Promise<Invitation | PeopleRefused> {
  const { ownRole } = await people.lockMembers(scope, actor, practiceId, null);
  const email = (await scope.em.findOne(Invitation, { id, practiceId }))?.email;
  if (email !== undefined) await lockRecipient(scope, practiceId, email);
  await sql(scope.em, 'select from invitations where id = $1 for update', [id]);
  const invitation = await scope.em.findOne(Invitation, { id, practiceId }, { refresh: true });
  if (invitation === null) throw new ApiError('not_found', people.UNKNOWN_MEMBER);
  return ownRole === null || outranks(ownRole, invitation.role) ? invitation : { refusals: ['rank_too_high'] };
}

/** Locks what the limits count, always in this order. So invitations at the same time are counted one by one. */
async function lockRecipient({ em }: Scope, practiceId: string, email: string): Promise<void> {
  for (const subject of [practiceId, email]) {
    await sql(em, 'select pg_advisory_xact_lock(hashtextextended($1, 0))', [`invitation_mails:${subject}`]);
  }
}

/** Counts a mail that a person asks for, unless a limit is reached. The operator has no limit. */
async function countMail(
  { em, clock }: Scope,
  actor: PeopleActor,
  practiceId: string,
  email: string,
): Promise<PeopleRefused | null> {
  if (actor.kind === 'operator') return null;
  const now = clock.now();
  const [counts] = await sql<{ byPractice: number; toRecipient: number }>(
    em,
    `select (select count(*)::integer from invitation_mails where practice_id = $1 and created_at > $3) as "byPractice",
       (select count(*)::integer from invitation_mails where email = $2 and created_at > $4) as "toRecipient"`,
    [practiceId, email, new Date(now.getTime() - HOUR_MS), new Date(now.getTime() - 24 * HOUR_MS)],
  );
  const { byPractice = 0, toRecipient = 0 } = counts ?? {};
  if (byPractice >= MAILS_PER_PRACTICE) return { refusals: ['practice_limit'] };
  if (toRecipient >= MAILS_PER_RECIPIENT) return { refusals: ['recipient_limit'] };
  const text = 'insert into invitation_mails (practice_id, email, created_at) values ($1, $2, $3)';
  await sql(em, text, [practiceId, email, now]);
  return null;
}
