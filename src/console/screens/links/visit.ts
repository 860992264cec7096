import type { Language } from '../../../pages/texts/language.ts';
import { TEXTS as PAGE_TEXTS } from '../../../pages/texts/texts.ts';
import type { Staff } from '../../../payment-links/staff/acts.ts';
import { findStaffLink, type StaffLink } from '../../../payment-links/staff/link.ts';
import type { MemberVisit, Reply } from '../../routing/route.ts';
import { notFound, viewerOf } from '../../routing/visit.ts';

export function staffOf(visit: MemberVisit): Staff {
  return { actor: visit.actor, viewer: viewerOf(visit) };
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

/** Returns the locale in which dates and amounts are written. */
export function pageTexts({ language }: { language: Language }) {
  return PAGE_TEXTS[language];
}
