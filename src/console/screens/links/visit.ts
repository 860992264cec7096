import { ApiError } from '../../../base/errors.ts';
import type { Language } from '../../../pages/texts/language.ts';
import { TEXTS as PAGE_TEXTS } from '../../../pages/texts/texts.ts';
import type { Staff } from '../../../payment-links/staff/acts.ts';
import { fieldOf, type StaffField } from '../../../payment-links/staff/input.ts';
import { findStaffLink, type StaffLink } from '../../../payment-links/staff/link.ts';
import { listLocations } from '../../../practices/find.ts';
import type { Location } from '../../../practices/location.entity.ts';
import { timeZoneOf } from '../../../practices/time-zone.ts';
import type { LinkRefusal } from '../../model/refusals.ts';
import { seesLocation } from '../../model/roles.ts';
import { type MemberVisit, modeOf, modePath, type Reply } from '../../routing/route.ts';
import { actorOf, notFound, readerOf } from '../../routing/visit.ts';
import type { Texts } from '../../texts/texts.ts';
import { TEXTS } from '../../texts/texts.ts';

/** Parts of a request of the front desk that its pages share. */

/** Returns the person of the request, who acts on links. */
export function staffOf(visit: MemberVisit): Staff {
  return { actor: actorOf(visit), reader: readerOf(visit) };
}

/** Returns the path of the list, or of a link with the rest behind it. */
export function linksPath(visit: MemberVisit, id?: string, rest = ''): string {
  return modePath(visit.member, modeOf(visit), id === undefined ? '/links' : `/links/${id}${rest}`);
}

/** Runs a handler with the link of the path. A link that the person does not see is unknown. */
export function withLink(
  handle: (visit: MemberVisit, found: StaffLink) => Promise<Reply>,
): (visit: MemberVisit) => Promise<Reply> {
  return async (visit) => {
    const found = await findStaffLink(visit.scope, readerOf(visit), visit.params.linkId ?? '');
    return found === null ? notFound() : handle(visit, found);
  };
}

/** Returns the texts of the front desk. */
export function textsOf({ language }: { language: Language }): Texts['links'] {
  return TEXTS[language].links;
}

/** Returns the locale in which dates and amounts are written. */
export function pageTexts({ language }: { language: Language }) {
  return PAGE_TEXTS[language];
}

/** Locations of a practice, as a person sees them. */
interface SeenPlaces {
  /** Locations that the person sees, active or not. */
  locations: Location[];
  /** Time zone of the practice. It is the same for people who see different locations. */
  timeZone: string;
}

/** Returns the locations that the person sees, and the time zone of the practice. */
export async function seenPlaces({ scope, member }: Pick<MemberVisit, 'scope' | 'member'>): Promise<SeenPlaces> {
  const all = await listLocations(scope, member.practiceId);
  return { locations: all.filter(({ id }) => seesLocation(member, id)), timeZone: timeZoneOf(all) };
}

/** Returns the reason or the field that a service refused; throws errors that are not for the person. */
export function linkRefusalOf(error: unknown): { refusal: LinkRefusal } | { field: StaffField } {
  if (!(error instanceof ApiError)) throw error;
  switch (error.code) {
    case 'payments_not_enabled':
    case 'no_active_location':
    case 'link_not_active':
      return { refusal: error.code };
    case 'service_unavailable':
      return { refusal: 'payment_under_way' };
    case 'validation_error':
    case 'not_found': {
      const field = fieldOf(error.details.param);
      if (field !== null) return { field };
      throw error;
    }
    default:
      throw error;
  }
}
