import { newId } from '../../../platform/base/ids.ts';
import type { Scope } from '../../../platform/base/scope.ts';
import { sql } from '../../../platform/database/query/sql.ts';
import { inTransaction } from '../../../platform/database/query/transaction.ts';
import { audit } from '../../../practices/audit/audit.ts';
import { Invitation } from '../../model/invitation.entity.ts';
import { Membership, MembershipLocation } from '../../model/membership.entity.ts';
import { Person } from '../../model/person.entity.ts';
import type { Role } from '../../model/roles.ts';
import { endAccess, lockPerson } from '../sign-in/access.ts';
import { type NewCookies, openSession, type SigningBrowser } from '../sign-in/sessions.ts';
import { hashOf, randomToken, TOKEN_LIFETIME_MS } from '../sign-in/tokens.ts';
import { actOn, type Member, makeMember, PeopleRefused, stateOf } from './members.ts';

/*
 * The acceptance of an invitation, with which a membership begins. Its address proves that the person reads the mailbox, as
 * that of a sign-in mail does.
 */

export async function createInvitationToken({ em, clock }: Scope, { id, practiceId }: Invitation): Promise<string> {
  const token = randomToken();
  await sql(
    em,
    'insert into invitation_tokens (hash, practice_id, invitation_id, created_at) values ($1, $2, $3, $4)',
    [hashOf(token), practiceId, id, clock.now()],
  );
  return token;
}

/** Returns the invitation of a token that still works; null for any other token. It needs a name if nobody knows that of the person. */
export async function findInvitation({ em, clock }: Scope, token: string) {
  const [row] = await sql<{ email: string; needsName: boolean; practice: string; role: Role }>(
    em,
    `select i.email, i.role, p.name as practice, not exists (
         select from people k join memberships m on m.person_id = k.id and m.locked_at is null
         where k.email = i.email and k.name is not null) as "needsName"
       from invitation_tokens t
       join invitations i on i.id = t.invitation_id join practices p on p.id = i.practice_id
     where t.hash = $1 and i.expires_at > $2`,
    [hashOf(token), clock.now()],
  );
  return row ?? null;
}

/**
 * Accepts an invitation by the token of a mail, and signs the person in. For the other practices of a person, the token is
 * no sign-in link. So it signs such a person in only while a sign-in link of the same age would work.
 *
 * @param name as `parseName` returns it; a person with other practices keeps the present one
 * @returns null if the token does not work
 * @throws PeopleRefused without a name, if the person has none
 */
export function acceptByToken(
  scope: Scope,
  token: string,
  browser: SigningBrowser,
  name: string | null,
): Promise<{ practiceId: string; cookies: NewCookies | null } | null> {
  return inTransaction(scope, async (scope) => {
    const now = scope.clock.now();
    const [found] = await sql<{ id: string; is_new: boolean }>(
      scope.em,
      `select i.id, t.created_at > $3 as is_new from invitation_tokens t join invitations i on i.id = t.invitation_id
       where t.hash = $1 and i.expires_at > $2 for update of i`,
      [hashOf(token), now, new Date(now.getTime() - TOKEN_LIFETIME_MS)],
    );
    if (found === undefined) return null;
    const { member, hadOthers } = await accept(scope, found.id, browser.address, name);
    if (member.name === null) throw new PeopleRefused('no_name');
    const signsIn = !hadOthers || found.is_new;
    const cookies = signsIn ? await openSession(scope, member.personId, browser, 'mail') : null;
    return { practiceId: member.practiceId, cookies };
  });
}

/** Accepts an invitation for a person whom the operator knows: the owner of the demo practice, and people of tests. */
export function acceptInvitation(scope: Scope, id: string): Promise<Member> {
  return inTransaction(scope, async (scope) => (await accept(scope, id, null, null)).member);
}

async function accept(
  scope: Scope,
  id: string,
  address: string | null,
  name: string | null,
): Promise<{ member: Member; hadOthers: boolean }> {
  const { em, clock } = scope;
  const invitation = await em.findOneOrFail(Invitation, { id });
  const { practiceId, email, role, locationIds } = invitation;
  const now = clock.now();
  await sql(em, 'insert into people (id, email, created_at) values ($1, $2, $3) on conflict do nothing', [
    newId('person', now),
    email,
    now,
  ]);
  const person = await em.findOneOrFail(Person, { email });
  const hadOthers = await lockPerson(scope, person.id);
  // Another person may have had this address before. Who is locked in another practice is still known there.
  const isKnown = hadOthers || (await em.count(Membership, { personId: person.id })) > 0;
  if (!isKnown) await endAccess(scope, person.id);
  person.name = isKnown ? (person.name ?? name) : name;
  em.remove(invitation);
  const membership = em.create(Membership, {
    id,
    practiceId,
    personId: person.id,
    role,
    allLocations: locationIds === null,
    lockedAt: null,
    lastSignInAt: null,
    createdAt: now,
  });
  em.persist(membership);
  // A membership exists before its limits.
  await em.flush();
  const limits = (locationIds ?? []).map((locationId) =>
    em.create(MembershipLocation, { practiceId, membershipId: id, locationId }),
  );
  const member = makeMember(membership, person, limits);
  const actor = { kind: 'person', id: person.id, address } as const;
  audit(scope, actor, { ...actOn(member, 'member.joined'), after: stateOf(member) });
  return { member, hadOthers };
}
