import type {
  PaymentLink as PaymentLinkResource,
  Refund as RefundResource,
  Transaction as TransactionResource,
} from '../../contract/operations-type.ts';
import { dollarsFromCents } from '../../platform/base/money.ts';
import type { Scope } from '../../platform/base/scope.ts';
import type { Refund } from '../model/after-payment.entity.ts';
import type { PaymentLink } from '../model/payment-link.entity.ts';
import { statusAt } from '../model/transitions.ts';
import type { LinkState, TransactionState } from './state.ts';

export type RefundFields = Pick<Refund, 'id' | 'amountCents' | 'status' | 'reason' | 'createdAt'>;

type LinkParts = Pick<LinkState, 'location' | 'transaction' | 'refunds'>;

/** Returns a link as events show it. A test link has its simulated transaction. */
export function linkEventView(scope: Scope, link: PaymentLink, parts: LinkParts): PaymentLinkResource {
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

/** Returns a link as the API shows it. The simulated payment of a test link appears in events only. */
export function linkView(scope: Scope, state: LinkParts & Pick<LinkState, 'link'>): PaymentLinkResource {
  const view = linkEventView(scope, state.link, state);
  return state.link.test ? { ...view, transaction: null } : view;
}

/** Returns the transaction's resource. The hosted page is the receipt of a settled payment. */
function transactionView(transaction: TransactionState, receiptUrl: string): TransactionResource {
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
