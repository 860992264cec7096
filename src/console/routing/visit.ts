import type { AccessScope } from '../../base/scope.ts';
import type { PersonActor } from '../sign-in/sessions.ts';
import { type MemberVisit, modeOf, type PersonVisit } from './route.ts';

/** Returns the person of a request, as the audit log names the one who acts. */
export function actorOf({ session, address }: Pick<PersonVisit, 'session' | 'address'>): PersonActor {
  return { kind: 'person', id: session.personId, address };
}

/** Returns the practice and mode of a request. */
export function ownerOf(visit: MemberVisit, mode = modeOf(visit)) {
  return { practiceId: visit.member.practiceId, test: mode === 'test' };
}

/**
 * Returns the scope with which services see what the person sees: the whole practice, in the mode of the page. Only for
 * routes that admit nobody who is limited to locations.
 */
export function accessScopeOf(visit: MemberVisit, mode = modeOf(visit)): AccessScope {
  return { ...visit.scope, caller: { ...ownerOf(visit, mode), locationId: null } };
}
