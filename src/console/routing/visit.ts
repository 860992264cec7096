import type { AccessScope } from '../../base/scope.ts';
import type { Viewer } from '../../payment-links/model/staff-status.ts';
import type { Staff } from '../../payment-links/staff/acts.ts';
import { type MemberVisit, type ProblemReply, problem, type Visit } from './route.ts';

export function ownerOf({ member, mode }: MemberVisit) {
  return { practiceId: member.practiceId, test: mode === 'test' };
}

/**
 * Returns the scope with which services record the acts of the person. They see what the person sees: the whole practice, in the
 * mode of the page. Only for routes that admit nobody who is limited to locations.
 */
export function accessScopeOf(visit: MemberVisit): AccessScope {
  return { ...visit.scope, actor: visit.actor, caller: { ...ownerOf(visit), locationId: null } };
}

/** Returns the links and payments that the person sees: of the path's mode, and of the locations of the person. */
export function viewerOf(visit: MemberVisit): Viewer {
  return { ...ownerOf(visit), locationIds: visit.member.locationIds };
}

/** Returns the person and what the person sees, for acts on links. */
export function staffOf(visit: MemberVisit): Staff {
  return { actor: visit.actor, viewer: viewerOf(visit) };
}

/** Returns true if the person has ticked the box of a step that cannot be undone. */
export function isConfirmed({ fields }: Pick<Visit, 'fields'>): boolean {
  return fields.get('confirmed') === 'on';
}

/** Returns the text of an act that was done, which the address names by `?done=` after a redirect. */
export function doneText(
  { query, t: { saved } }: Pick<Visit, 'query' | 't'>,
  texts: Readonly<Record<string, string>> = {},
): string | undefined {
  return new Map(Object.entries({ saved, ...texts })).get(query.get('done') ?? '');
}

/** Returns the answer to a page that does not exist, or that the person does not see. */
export function notFound(): ProblemReply {
  return problem('not_found');
}

/** Returns the answer to a form that no page of ours sends. */
export function invalidForm(): ProblemReply {
  return problem('invalid_form');
}
