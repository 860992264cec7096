import { isDeepStrictEqual } from 'node:util';
import type { Scope } from '../../platform/base/scope.ts';
import { sql } from '../../platform/database/query/sql.ts';
import { recordUse, type SessionMembership, touchSession } from '../identity/sign-in/sessions.ts';
import { RightLost } from '../model/refusals.ts';
import { mayDo, type Role } from '../model/roles.ts';
import type { MemberRoute, OwnRoute, PersonRoute } from './route.ts';
import { type Frame, type PersonVisit, problem, type Reply, signInPath, type Visit } from './visit.ts';

/** A person who may use a route now, with the membership for the practice of its path. */
export type Admitted = Pick<PersonVisit, 'session' | 'actor'> &
  ({ route: OwnRoute } | { route: MemberRoute; member: SessionMembership });

/** Checks session, membership and role. Returns the answer instead, if the person may not use the route. */
export async function admit(
  route: PersonRoute,
  visit: Pick<Visit, 'scope' | 'cookie' | 'address' | 'returnPath' | 'params'>,
  frame: Frame,
): Promise<Admitted | Reply> {
  const session = visit.cookie === null ? null : await touchSession(visit.scope, visit.cookie);
  frame.session = session;
  if (session === null) {
    // The cookie of an ended session stays, so that the page says why it asks.
    return { kind: 'redirect', to: signInPath(visit) };
  }
  const actor = { kind: 'person', id: session.personId, address: visit.address } as const;
  if (route.access === 'person') return { route, session, actor };
  // Practices of others are answered like unknown ones.
  const member = session.memberships.find(({ practiceId }) => practiceId === visit.params.practiceId) ?? null;
  frame.member = member;
  if (member === null) return problem('not_found');
  await recordUse(visit.scope, session, actor, member.practiceId);
  return mayDo(member, route.access) ? { route, session, actor, member } : problem('forbidden');
}

/** Returns the check with which each transaction of a person begins. It locks the membership, which stays as it is until the commit. */
export function confirmMembership({
  membershipId,
  role,
  locationIds,
}: SessionMembership): NonNullable<Scope['confirmRight']> {
  return async (em) => {
    const memberText = 'select role, all_locations from memberships where id = $1 and locked_at is null for share';
    const [membership] = await sql<{ role: Role; all_locations: boolean }>(em, memberText, [membershipId]);
    // A separate statement, because only it sees what was committed while the first one waited for the lock.
    const text = 'select location_id as id from membership_locations where membership_id = $1 order by 1';
    const limits = await sql<{ id: string }>(em, text, [membershipId]);
    const present = membership?.all_locations === true ? null : limits.map(({ id }) => id);
    if (membership?.role !== role || !isDeepStrictEqual(present, locationIds)) throw new RightLost();
  };
}
