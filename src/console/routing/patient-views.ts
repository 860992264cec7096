import { audit, auditView, LISTED, VIEWED } from '../../audit/audit.ts';
import { fresh } from '../../base/scope.ts';
import { inTransaction } from '../../database/query/transaction.ts';
import type { MemberVisit, Reply, Route } from './route.ts';

export type PatientVisit = Pick<MemberVisit, 'scope' | 'params' | 'member' | 'mode' | 'actor'>;

type Views = NonNullable<Route['views']>;

/** Answer to a form that is shown again, with the record. */
const REFUSED_FORM = 422;

/** Names of the acts, by the parameter that names the link. */
const ACTS: Readonly<Record<Views, string>> = {
  linkId: VIEWED.link,
  paidLinkId: VIEWED.payment,
};

/**
 * Records that a person sees the record of one patient, if the route shows one and the answer contains it. The entry is
 * committed when the function returns, so the answer is sent only after it.
 */
export async function auditPatientView(route: Route, visit: PatientVisit, reply: Reply): Promise<void> {
  const { views } = route;
  const id = views === undefined ? undefined : visit.params[views];
  if (views === undefined || id === undefined || !isShown(reply)) return;
  await auditLinkView(visit, id, views);
}

/** Records that a person sees the record of a link that the path does not name. Await it before the page is sent. */
export async function auditLinkView(
  visit: Omit<PatientVisit, 'params'>,
  id: string,
  views: Views = 'linkId',
): Promise<void> {
  const target = { kind: 'payment_link', id };
  const act = { practiceId: visit.member.practiceId, action: ACTS[views], target };
  await auditView(fresh(visit.scope), visit.actor, act);
}

interface ListPage {
  /** The filter, as the person typed it. The entry has the names of its fields that are not empty. */
  input: object;
  /** Kind of the search text; null without one. */
  term?: string | null;
  /** The known location of the filter; null for all that the person sees. */
  locationId: string | null;
  rows: number;
}

/**
 * Records that a person sees a page of a list with patients. What was typed is left out, because it may name a patient. Await it
 * before the page is sent.
 */
export async function auditListView(
  visit: PatientVisit,
  list: keyof typeof LISTED,
  { input, term = null, locationId, rows }: ListPage,
): Promise<void> {
  const { mode, actor, member } = visit;
  const { practiceId, locationIds } = member;
  const filters = Object.entries(input).flatMap(([name, text]) => (text === '' ? [] : [name]));
  await inTransaction(fresh(visit.scope), async (scope) => {
    audit(scope, actor, {
      practiceId,
      action: LISTED[list],
      target: { kind: 'practice', id: practiceId },
      after: { mode, filters, term, rows, locationIds: locationId === null ? locationIds : [locationId] },
    });
  });
}

/** Returns false for answers without a record: problems, redirects, and pages that refuse more than a form. */
function isShown(reply: Reply): boolean {
  switch (reply.kind) {
    case 'problem':
    case 'redirect':
    case 'empty':
      return false;
    case 'page':
      return reply.status < 400 || reply.status === REFUSED_FORM;
    default:
      return true;
  }
}
