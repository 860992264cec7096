import { recordView } from '../../audit/views.ts';
import { fresh } from '../../base/scope.ts';
import type { MemberVisit, Reply, Route } from './route.ts';
import { actorOf } from './visit.ts';

/** Part of a request that an entry names. */
export type PatientVisit = Pick<MemberVisit, 'scope' | 'params' | 'member' | 'session' | 'address'>;

/** Names of the acts, by the parameter that names the link. */
const ACTS: Readonly<Record<NonNullable<Route['views']>, string>> = {
  linkId: 'link.viewed',
  paidLinkId: 'payment.viewed',
};

/**
 * Records that a person sees the record of one patient, if the route shows one and the answer contains it. The entry is
 * committed when the function returns, so the answer is sent only after it.
 */
export async function recordPatientView(route: Route, visit: PatientVisit, reply: Reply): Promise<void> {
  const { views } = route;
  const id = views === undefined ? undefined : visit.params[views];
  if (views === undefined || id === undefined || !isShown(reply)) return;
  const target = { kind: 'payment_link', id };
  const act = { practiceId: visit.member.practiceId, action: ACTS[views], target };
  await recordView(fresh(visit.scope), actorOf(visit), act);
}

/** Returns false for answers without a record: problems, redirects, and pages that refuse. */
function isShown(reply: Reply): boolean {
  switch (reply.kind) {
    case 'problem':
    case 'redirect':
    case 'empty':
      return false;
    case 'page':
      return (reply.status ?? 200) < 400;
    default:
      return true;
  }
}
