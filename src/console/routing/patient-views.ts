import type { Viewer } from '../../payment-links/model/staff-status.ts';
import { classifySearch } from '../../payment-links/office/search.ts';
import { fresh } from '../../platform/base/scope.ts';
import { inTransaction } from '../../platform/database/query/transaction.ts';
import { audit, auditView, LISTED, VIEWED } from '../../practices/audit/audit.ts';
import type { MemberVisit, Reply } from './visit.ts';

type PatientVisit = Pick<MemberVisit, 'scope' | 'member' | 'mode' | 'actor'>;

/** Records that a person sees the patient whose link the path names, if the answer shows it. Await it before the answer is sent. */
export async function auditPatientView(visit: PatientVisit & Pick<MemberVisit, 'params'>, reply: Reply): Promise<void> {
  const { linkId, paidLinkId } = visit.params;
  if (!isShown(reply)) return;
  if (linkId !== undefined) await auditLinkView(visit, linkId);
  if (paidLinkId !== undefined) await auditLinkView(visit, paidLinkId, VIEWED.payment);
}

/** Records that a person sees the record of a link, which the path need not name. Await it before the page is sent. */
export async function auditLinkView(visit: PatientVisit, id: string, action: string = VIEWED.link): Promise<void> {
  const act = { practiceId: visit.member.practiceId, action, target: { kind: 'payment_link', id } };
  await auditView(fresh(visit.scope), visit.actor, act);
}

/**
 * Records that a person sees a page of a list, with the names of its filters. What was typed may name a patient, so only the location has
 * its value: an id that the person sees, or empty. Await it before the page is sent.
 */
export async function auditListView(
  visit: PatientVisit,
  list: keyof typeof LISTED,
  input: { q?: string; location?: string },
  rows: number,
): Promise<void> {
  const filters = Object.entries(input).flatMap(([name, text]) => (text === '' ? [] : [name]));
  const locationIds = input.location ? [input.location] : visit.member.locationIds;
  await auditPractice(visit, LISTED[list], { filters, term: classifySearch(input.q ?? ''), rows, locationIds });
}

/** Records an export of what the viewer sees. Each value of the filter is one that the practice has. Await it before the first byte is sent. */
export async function auditExport(
  visit: PatientVisit,
  action: 'owed.exported' | 'payments.exported',
  filter: object,
  { locationIds }: Viewer,
): Promise<void> {
  await auditPractice(visit, action, { ...filter, locationIds });
}

async function auditPractice(visit: PatientVisit, action: string, after: object): Promise<void> {
  const { mode, actor, member } = visit;
  const target = { kind: 'practice', id: member.practiceId };
  const act = { practiceId: member.practiceId, action, target, after: { ...after, mode } };
  await inTransaction(fresh(visit.scope), async (scope) => audit(scope, actor, act));
}

/** Returns false for answers without a record: problems, redirects, and pages that refuse more than a form (422). */
function isShown(reply: Reply): boolean {
  if (reply.kind === 'page') return reply.status < 400 || reply.status === 422;
  return reply.kind === 'download' || reply.kind === 'json';
}
