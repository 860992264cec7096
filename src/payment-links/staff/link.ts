import { VIEWED } from '../../audit/audit.ts';
import { AuditEntry } from '../../audit/audit-entry.entity.ts';
import { isId } from '../../base/ids.ts';
import type { Scope } from '../../base/scope.ts';
import { Location } from '../../practices/location.entity.ts';
import { type LoadedParts, loadPartsOf } from '../link/views.ts';
import { statusAt } from '../model/overdue.ts';
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

/** Acts of people on one link that a page shows, at most. */
const MAX_ACTS = 50;

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

/** Returns the acts of people on a link, oldest first. The caller has checked that the viewer sees the link. */
export async function listLinkActs({ em }: Scope, { practiceId, id }: PaymentLink): Promise<AuditEntry[]> {
  const entries = await em.find(
    AuditEntry,
    { practiceId, targetId: id, actorKind: 'person', action: { $like: 'link.%', $ne: VIEWED.link } },
    { orderBy: { id: 'desc' }, limit: MAX_ACTS },
  );
  return entries.toReversed();
}

/** Returns the status for staff. `staffStatusSql` is the same rule in SQL. */
function staffStatus(link: PaymentLink, { transaction }: LoadedParts, now: Date): StaffStatus {
  const status = statusAt(link, now);
  if (status === 'active') return link.openAttemptId === null ? 'waiting' : 'under_way';
  if (status !== 'paid') return status;
  if (transaction?.status === 'pending') return 'under_way';
  return transaction?.status === 'failed' ? 'returned' : 'paid';
}
