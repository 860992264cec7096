import { LockMode } from '@mikro-orm/postgresql';
import { isId } from '../../platform/base/ids.ts';
import type { Scope } from '../../platform/base/scope.ts';
import type { AuditEntry } from '../../practices/audit/audit-entry.entity.ts';
import { listActsOn } from '../../practices/audit/list.ts';
import { Location } from '../../practices/location.entity.ts';
import { BankReversal, Dispute, Refund } from '../model/after-payment.entity.ts';
import { PaymentAttempt } from '../model/payment-attempt.entity.ts';
import { PageOpenings, PaymentLink } from '../model/payment-link.entity.ts';
import type { Staff, Viewer } from '../model/staff-status.ts';
import { Transaction } from '../model/transaction.entity.ts';
import { ALL_LINKS, listStaffLinks, type StaffLinkRow } from './list.ts';

/** A link as the staff of its practice see it. */
export interface StaffLink extends Pick<StaffLinkRow, 'status' | 'afterPayment'> {
  link: PaymentLink;
  location: Location;
  /** The latest one; null for a link that is not paid. */
  transaction: Transaction | null;
  /** True if a bank took the settled payment back, also in part. */
  isReversed: boolean;
  /** Address for the patient. It is a secret of the link. */
  url: string;
}

/** Records of a link, besides its own row and its transaction. */
export interface LinkRecords {
  /** The latest ones, oldest first, as all that follow. */
  attempts: readonly PaymentAttempt[];
  refunds: readonly Refund[];
  reversals: readonly BankReversal[];
  disputes: readonly Dispute[];
  /** Null if nobody has opened the page, as far as it is on record. */
  openings: PageOpenings | null;
  /** Entries of the audit log, without views. */
  acts: readonly AuditEntry[];
}

/** Attempts of one link that a page shows, at most: the latest ones. */
const MAX_ATTEMPTS = 50;

/** Returns the link, or null if the viewer does not see it. It has the status that the list of links shows. */
export async function findStaffLink(scope: Scope, viewer: Viewer, id: string): Promise<StaffLink | null> {
  if (!isId('paymentLink', id)) return null;
  const [row] = (await listStaffLinks(scope, viewer, { ...ALL_LINKS, ids: [id] })).rows;
  if (row === undefined) return null;
  const { practiceId } = viewer;
  const link = await scope.em.findOneOrFail(PaymentLink, { id, practiceId });
  const location = await scope.em.findOneOrFail(Location, { id: link.locationId, practiceId });
  const transaction = await scope.em.findOne(Transaction, filterByLink(link), {
    orderBy: { createdAt: 'desc', id: 'desc' },
  });
  const { status, afterPayment } = row;
  const isReversed = transaction !== null && (await scope.em.count(BankReversal, filterByLink(link))) > 0;
  return { link, location, transaction, status, afterPayment, isReversed, url: `${scope.publicUrl}/pay/${link.token}` };
}

/** Locks a link for the rest of the transaction. @returns null for a link that the person does not see, which is not locked */
export function lockStaffLink(
  { em }: Scope,
  { viewer }: Pick<Staff, 'viewer'>,
  id: string,
): Promise<PaymentLink | null> {
  const { practiceId, test, locationIds } = viewer;
  const where = { id, practiceId, test, ...(locationIds === null ? {} : { locationId: { $in: [...locationIds] } }) };
  return em.findOne(PaymentLink, where, { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true });
}

/** Returns what is on record about a link. The caller has checked that the viewer sees the link. */
export async function readRecords(scope: Scope, link: PaymentLink): Promise<LinkRecords> {
  const { em } = scope;
  const isOfLink = filterByLink(link);
  const orderBy = { createdAt: 'asc' as const, id: 'asc' as const };
  const latest = { createdAt: 'desc' as const, id: 'desc' as const };
  const attempts = await em.find(PaymentAttempt, isOfLink, { orderBy: latest, limit: MAX_ATTEMPTS });
  return {
    attempts: attempts.toReversed(),
    refunds: await em.find(Refund, isOfLink, { orderBy }),
    reversals: await em.find(BankReversal, isOfLink, { orderBy }),
    disputes: await em.find(Dispute, isOfLink, { orderBy }),
    openings: await em.findOne(PageOpenings, isOfLink),
    acts: await listActsOn(scope, link.practiceId, link.id),
  };
}

/** Returns true while the patient can use the address to pay. */
export function isPayable({ link, status }: StaffLink): boolean {
  return link.status === 'active' && (status === 'waiting' || status === 'under_way');
}

/** Returns true if the payment has a receipt: money was taken, and no bank returned or reversed the debit. */
export function hasReceipt({ link, status, isReversed }: StaffLink): boolean {
  return status === 'paid' && !link.test && !isReversed;
}

/** Returns true if a person settles the link elsewhere instead of canceling it: its patient cannot pay any more. */
export function endsBySettlement({ status }: StaffLink): boolean {
  return status !== 'waiting' && status !== 'under_way' && status !== 'cancelled';
}

function filterByLink({ id, practiceId }: PaymentLink) {
  return { practiceId, paymentLinkId: id };
}
