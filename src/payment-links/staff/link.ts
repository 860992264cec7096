import { isId } from '../../base/ids.ts';
import type { Scope } from '../../base/scope.ts';
import { Location } from '../../practices/location.entity.ts';
import type { LinkHistory } from '../billing/timeline.ts';
import { type LoadedParts, loadPartsOf } from '../link/views.ts';
import { BankReversal } from '../model/bank-reversal.entity.ts';
import { Dispute } from '../model/dispute.entity.ts';
import { statusAt } from '../model/overdue.ts';
import { PageOpenings } from '../model/page-openings.entity.ts';
import { PaymentAttempt } from '../model/payment-attempt.entity.ts';
import { PaymentLink } from '../model/payment-link.entity.ts';
import { type StaffStatus, staffSees, type Viewer } from '../model/staff-status.ts';

/** A link as the staff of its practice see it. */
export interface StaffLink {
  link: PaymentLink;
  parts: LoadedParts;
  location: Location;
  status: StaffStatus;
  /** Address for the patient. It is a secret of the link. */
  url: string;
}

/** Attempts of one link that a page shows, at most: the latest ones. */
const MAX_ATTEMPTS = 50;

/** Returns the link, or null if the viewer does not see it. */
export async function findStaffLink(scope: Scope, viewer: Viewer, id: string): Promise<StaffLink | null> {
  if (!isId('paymentLink', id)) return null;
  const { practiceId, test } = viewer;
  const link = await scope.em.findOne(PaymentLink, { id, practiceId, test });
  if (link === null || !staffSees(viewer, link)) return null;
  const parts = await loadPartsOf(scope, link);
  const location = await scope.em.findOneOrFail(Location, { id: link.locationId, practiceId });
  const status = staffStatus(link, parts, scope.clock.now());
  return { link, parts, location, status, url: `${scope.publicUrl}/pay/${link.token}` };
}

/** Returns what is on record about a link. The caller has checked that the viewer sees the link. */
export async function historyOf({ em }: Scope, { link, parts }: StaffLink): Promise<LinkHistory> {
  const of = { practiceId: link.practiceId, paymentLinkId: link.id };
  const orderBy = { createdAt: 'asc' as const, id: 'asc' as const };
  const latest = { createdAt: 'desc' as const, id: 'desc' as const };
  const isPaid = parts.transaction !== null;
  const attempts = await em.find(PaymentAttempt, of, { orderBy: latest, limit: MAX_ATTEMPTS });
  return {
    ...{ link, transaction: parts.transaction, refunds: parts.refunds },
    attempts: attempts.toReversed(),
    reversals: isPaid ? await em.find(BankReversal, of, { orderBy }) : [],
    disputes: isPaid ? await em.find(Dispute, of, { orderBy }) : [],
    openings: await em.findOne(PageOpenings, of),
  };
}

/** Returns the status for staff. `staffStatusSql` is the same rule in SQL. */
function staffStatus(link: PaymentLink, { transaction }: LoadedParts, now: Date): StaffStatus {
  const status = statusAt(link, now);
  if (status === 'active') return link.openAttemptId === null ? 'waiting' : 'under_way';
  if (status !== 'paid') return status;
  if (transaction?.status === 'pending') return 'under_way';
  return transaction?.status === 'failed' ? 'returned' : 'paid';
}
