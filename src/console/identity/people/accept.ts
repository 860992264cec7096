import { newId } from '../../../platform/base/ids.ts';
import type { Scope } from '../../../platform/base/scope.ts';
import { sql } from '../../../platform/database/query/sql.ts';
import { inTransaction } from '../../../platform/database/query/transaction.ts';
import { audit } from '../../../practices/audit/audit.ts';
import { Invitation } from '../../model/invitation.entity.ts';
import { Person } from '../../model/person.entity.ts';
import type { PeopleRefused } from '../../model/refusals.ts';
import type { Role } from '../../model/roles.ts';
import { endAccess, lockPerson } from '../sign-in/access.ts';
import { type NewCookies, openSession, type SigningBrowser } from '../sign-in/sessions.ts';
import { hashToken, randomToken, TOKEN_LIFETIME_MS } from '../sign-in/tokens.ts';
import { actOn, addLocations, type Member, stateOf } from './members.ts';

/* A membership begins with the acceptance of an invitation. Its address proves that the person reads the mailbox, as a sign-in mail does. */

export async function createInvitationToken({ em, clock }: Scope, { id, practiceId }: Invitation): Promise<string> {
  const token = randomToken();
  const text = 'insert into invitation_tokens (hash, practice_id, invitation_id, created_at) values ($1, $2, $3, $4)';
  await sql(em, text, [hashToken(token), practiceId, id, clock.now()]);
  return token;
}

export async function findInvitation({ em, clock }: Scope, token: string) {
  const [row] = await sql<{ email: string; needsName: boolean; practice: string; role: Role }>(
    em,
    `select i.email, i.role, p.name as practice, not exists (
         select from people k join memberships m on m.person_id = k.id and m.locked_at is null
         where k.email = i.email and k.name is not null) as "needsName"
       from invitation_tokens t
       join invitations i on i.id = t.invitation_id join practices p on p.id = i.practice_id
     where t.hash = $1 and i.expires_at > $2`,
    [hashToken(token), clock.now()],
  );
  return row ?? null;
}

/**
 * Accepts an invitation by the token of a mail; null if it does not work. It signs the person in. A person of other practices is signed
 * in only while a sign-in link of the same age would work.
 *
 * @param name as `parseName` returns it; a person with other practices keeps the present one
 */
export function acceptByToken(
  scope: Scope,
  token: string,
  browser: SigningBrowser,
  name: string | null,
): Promise<{ practiceId: string; cookies: NewCookies | null } | PeopleRefused | null> {
  return inTransaction(scope, async (scope) => {
    const now = scope.clock.now();
    const [invitation] = await sql<{ id: string; isNew: boolean; hasName: boolean }>(
      scope.em,
      `select i.id, t.created_at > $3 as "isNew", exists (
           select from people k join memberships m on m.person_id = k.id
           where k.email = i.email and k.name is not null) as "hasName"
       from invitation_tokens t join invitations i on i.id = t.invitation_id
       where t.hash = $1 and i.expires_at > $2 for update of i`,
      [hashToken(token), now, new Date(now.getTime() - TOKEN_LIFETIME_MS)],
    );
    if (invitation === undefined) return null;
    // Before anything is written: a refusal commits the transaction.
    if (name === null && !invitation.hasName) return { refusals: ['no_name'] };
    const { person, hasOthers } = await lockInvitedPerson(scope, invitation.id, name);
    const { practiceId } = await accept(scope, invitation.id, person, browser.address);
    const signsIn = !hasOthers || invitation.isNew;
    const cookies = signsIn ? await openSession(scope, person.id, browser, 'mail') : null;
    return { practiceId, cookies };
  });
}

/** Accepts an invitation for a person whom the operator knows: the owner of the demo practice, and people of tests. */
export function acceptInvitation(scope: Scope, invitation: { id: string } | PeopleRefused): Promise<Member> {
  if ('refusals' in invitation) throw new Error(`The invitation is refused: ${invitation.refusals}.`);
  const { id } = invitation;
  return inTransaction(scope, async (scope) =>
    accept(scope, id, (await lockInvitedPerson(scope, id, null)).person, null),
  );
}

/** Locks the person of an invitation, who is created if nobody has the address. A person of other practices keeps the name. */
async function lockInvitedPerson(scope: Scope, invitationId: string, name: string | null) {
  const { em, clock } = scope;
  const { email } = await em.findOneOrFail(Invitation, { id: invitationId });
  const now = clock.now();
  const text = 'insert into people (id, email, created_at) values ($1, $2, $3) on conflict do nothing';
  await sql(em, text, [newId('person', now), email, now]);
  const person = await em.findOneOrFail(Person, { email });
  const hasOthers = await lockPerson(scope, person.id);
  // Another person may have had this address before. Who is locked in another practice is still known there.
  const memberships = await sql(em, 'select from memberships where person_id = $1', [person.id]);
  if (memberships.length === 0) await endAccess(scope, person.id);
  person.name = memberships.length === 0 ? name : (person.name ?? name);
  return { person, hasOthers };
}

async function accept(scope: Scope, id: string, person: Person, address: string | null): Promise<Member> {
  const { em, clock } = scope;
  const invitation = await em.findOneOrFail(Invitation, { id });
  const { practiceId, email, role, locationIds } = invitation;
  em.remove(invitation);
  const createdAt = clock.now();
  const text = `insert into memberships (id, practice_id, person_id, role, all_locations, created_at)
    values ($1, $2, $3, $4, $5, $6)`;
  await sql(em, text, [id, practiceId, person.id, role, locationIds === null, createdAt]);
  const personal = { personId: person.id, email, name: person.name };
  const member = { id, practiceId, ...personal, role, locationIds, lockedAt: null, lastSignInAt: null, createdAt };
  await addLocations(scope, member);
  const actor = { kind: 'person', id: person.id, address } as const;
  audit(scope, actor, { ...actOn(member, 'member.joined'), after: stateOf(member) });
  return member;
}
