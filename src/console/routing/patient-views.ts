import { recordView, VIEWED } from '../../audit/views.ts';
import { fresh } from '../../base/scope.ts';
import type { MemberVisit, Reply, Route } from './route.ts';
import { actorOf } from './visit.ts';

/** Part of a request that an entry names. */
export type PatientVisit = Pick<MemberVisit, 'scope' | 'params' | 'member' | 'session' | 'address'>;

/** Parameter of a path that names the link of a record. */
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
export async function recordPatientView(route: Route, visit: PatientVisit, reply: Reply): Promise<void> {
  const { views } = route;
  const id = views === undefined ? undefined : visit.params[views];
  if (views === undefined || id === undefined || !isShown(reply)) return;
  await recordLinkView(visit, id, views);
}

/** Records that a person sees the record of a link that the path does not name. Await it before the page is sent. */
export async function recordLinkView(
  visit: Omit<PatientVisit, 'params'>,
  id: string,
  views: Views = 'linkId',
): Promise<void> {
  const target = { kind: 'payment_link', id };
  const act = { practiceId: visit.member.practiceId, action: ACTS[views], target };
  await recordView(fresh(visit.scope), actorOf(visit), act);
}

/** Returns false for answers without a record: problems, redirects, and pages that refuse more than a form. */
function isShown(reply: Reply): boolean {
  switch (reply.kind) {
    case 'problem':
    case 'redirect':
    case 'empty':
      return false;
    case 'page':
      return (reply.status ?? 200) < 400 || reply.status === REFUSED_FORM;
    default:
      return true;
  }
}
