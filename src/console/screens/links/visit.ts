import type { Language } from '../../../pages/texts/language.ts';
import { TEXTS as PAGE_TEXTS } from '../../../pages/texts/texts.ts';
import type { Staff } from '../../../payment-links/staff/acts.ts';
import { findStaffLink, type StaffLink } from '../../../payment-links/staff/link.ts';
import { listLocations } from '../../../practices/find.ts';
import { timeZoneOf } from '../../../practices/time-zone.ts';
import { seesLocation } from '../../model/roles.ts';
import { type MemberVisit, modeOf, modePath, type Reply } from '../../routing/route.ts';
import { actorOf, notFound, viewerOf } from '../../routing/visit.ts';
import type { Texts } from '../../texts/texts.ts';
import { TEXTS } from '../../texts/texts.ts';

export function staffOf(visit: MemberVisit): Staff {
  return { actor: actorOf(visit), viewer: viewerOf(visit) };
}

export function linksPath(visit: MemberVisit, id?: string, rest = ''): string {
  return modePath(visit.member, modeOf(visit), id === undefined ? '/links' : `/links/${id}${rest}`);
}

/** Runs a handler with the link of the path. A link that the person does not see is unknown. */
export function withLink(
  handle: (visit: MemberVisit, found: StaffLink) => Promise<Reply>,
): (visit: MemberVisit) => Promise<Reply> {
  return async (visit) => {
    const found = await findStaffLink(visit.scope, viewerOf(visit), visit.params.linkId ?? '');
    return found === null ? notFound() : handle(visit, found);
  };
}

export function textsOf({ language }: { language: Language }): Texts['links'] {
  return TEXTS[language].links;
}

/** Returns the locale in which dates and amounts are written. */
export function pageTexts({ language }: { language: Language }) {
  return PAGE_TEXTS[language];
}

/** Returns the locations that the person sees, active or not, and the time zone of the practice, which is the same for all people. */
export async function seenPlaces({ scope, member }: MemberVisit) {
  const all = await listLocations(scope, member.practiceId);
  return { locations: all.filter(({ id }) => seesLocation(member, id)), timeZone: timeZoneOf(all) };
}
