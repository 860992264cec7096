import { dollarsFromCents } from '../../base/money.ts';
import type { Scope } from '../../base/scope.ts';
import type {
  PaymentLink as PaymentLinkResource,
  Refund as RefundResource,
  Transaction as TransactionResource,
} from '../../contract/operations-type.ts';
import { Location } from '../../practices/location.entity.ts';
import { type PaymentLink, statusAt } from '../model/payment-link.entity.ts';
import { Refund } from '../model/refund.entity.ts';
import { Transaction } from '../model/transaction.entity.ts';

/** What a link's resource is made of; an entity, or a row of it. */
export type LinkFields = Omit<PaymentLink, 'practiceId' | 'locationId' | 'patientId' | 'closedAt' | 'closedBy'>;

/** The same of its transaction. */
export type TransactionFields = Pick<
  Transaction,
  | ('status' | 'amountCents' | 'feeCents' | 'netCents' | 'failureReason' | 'processedAt')
  | ('paymentMethodType' | 'paymentMethodBrand' | 'paymentMethodLast4')
>;

/** The same of a refund. */
export type RefundFields = Pick<Refund, 'id' | 'amountCents' | 'status' | 'reason' | 'createdAt'>;

/** What belongs to a link beside its own row. */
export interface LinkParts {
  location: { id: string; name: string };
  transaction: TransactionFields | null;
  /** Oldest first. */
  refunds: readonly RefundFields[];
}

/** The same, loaded as entities. */
export interface LoadedParts extends LinkParts {
  transaction: Transaction | null;
  refunds: readonly Refund[];
}

/** A link as events show it: test links with their simulated transaction. */
export function linkEventView(scope: Scope, link: LinkFields, parts: LinkParts): PaymentLinkResource {
  const url = `${scope.publicUrl}/pay/${link.token}`;
  return {
    id: link.id,
    object: 'payment_link',
    url,
    status: statusAt(link, scope.clock.now()),
    test: link.test,
    amount: dollarsFromCents(link.amountCents),
    currency: link.currency,
    description: link.description,
    externalReference: link.externalReference,
    metadata: link.metadata,
    patient: {
      firstName: link.patientFirstName,
      lastName: link.patientLastName,
      phone: link.patientPhone,
      email: link.patientEmail,
      externalId: link.patientExternalId,
    },
    location: { id: parts.location.id, name: parts.location.name },
    source: link.source,
    expiresAt: link.expiresAt.toISOString(),
    paidAt: link.paidAt?.toISOString() ?? null,
    createdAt: link.createdAt.toISOString(),
    transaction: parts.transaction === null ? null : transactionView(parts.transaction, url),
    refunds: parts.refunds.map(refundView),
  };
}

/** A link as the API shows it: the simulated payment of a test link appears in events only (section 2.1). */
export function linkView(scope: Scope, link: LinkFields, parts: LinkParts): PaymentLinkResource {
  const view = linkEventView(scope, link, parts);
  return link.test ? { ...view, transaction: null } : view;
}

/** Loads what belongs to each of the links, in at most three statements whatever their number. */
export async function loadParts(scope: Scope, links: readonly PaymentLink[]): Promise<Map<string, LoadedParts>> {
  const paid = links.filter(({ status }) => status === 'paid').map(({ id }) => id);
  const locations = await scope.em.find(Location, { id: { $in: [...new Set(links.map((link) => link.locationId))] } });
  const transactions =
    paid.length === 0
      ? []
      : await scope.em.find(
          Transaction,
          { paymentLinkId: { $in: paid } },
          { orderBy: { createdAt: 'asc', id: 'asc' } },
        );
  const refunds =
    transactions.length === 0
      ? []
      : await scope.em.find(Refund, { paymentLinkId: { $in: paid } }, { orderBy: { createdAt: 'asc', id: 'asc' } });
  const locationById = new Map(locations.map((location) => [location.id, location]));
  // Ascending, so that the latest transaction of a link wins.
  const transactionByLink = new Map(transactions.map((transaction) => [transaction.paymentLinkId, transaction]));
  const refundsByLink = Map.groupBy(refunds, (refund) => refund.paymentLinkId);
  return new Map(
    links.map((link) => {
      const location = locationById.get(link.locationId);
      if (location === undefined) throw new Error(`location of link ${link.id} is missing`);
      const transaction = transactionByLink.get(link.id) ?? null;
      return [link.id, { location, transaction, refunds: refundsByLink.get(link.id) ?? [] }];
    }),
  );
}

/** What belongs to one link. */
export async function loadPartsOf(scope: Scope, link: PaymentLink): Promise<LoadedParts> {
  const parts = (await loadParts(scope, [link])).get(link.id);
  if (parts === undefined) throw new Error('loadParts answers for every link');
  return parts;
}

/** The hosted page is the receipt once the payment stands. */
function transactionView(transaction: TransactionFields, receiptUrl: string): TransactionResource {
  const { status, failureReason } = transaction;
  return {
    status,
    amount: dollarsFromCents(transaction.amountCents),
    fee: transaction.feeCents === null ? null : dollarsFromCents(transaction.feeCents),
    net: transaction.netCents === null ? null : dollarsFromCents(transaction.netCents),
    paymentMethodType: transaction.paymentMethodType,
    paymentMethodBrand: transaction.paymentMethodBrand,
    paymentMethodLast4: transaction.paymentMethodLast4,
    receiptUrl: status === 'succeeded' || status === 'refunded' ? receiptUrl : null,
    processedAt: transaction.processedAt?.toISOString() ?? null,
    ...(failureReason === null ? {} : { failureReason }),
  };
}

/** A refund as the API shows it. */
export function refundView(refund: RefundFields): RefundResource {
  return {
    id: refund.id,
    object: 'refund',
    amount: dollarsFromCents(refund.amountCents),
    status: refund.status,
    reason: refund.reason,
    createdAt: refund.createdAt.toISOString(),
  };
}
