import type Stripe from 'stripe';
import { type IdKind, isId } from '../platform/base/ids.ts';
import { findDecline } from './decline-codes.ts';
import {
  type DisputeSnapshot,
  type ListedPayment,
  type MethodType,
  type Notification,
  type NotificationSubject,
  type PaymentSnapshot,
  type PaymentState,
  type RefundSnapshot,
  toReason,
} from './processor.ts';
import { BANK_RETURN_REASONS } from './sandbox-methods.ts';

/** Objects fetched with a payment intent: the charge, for its method, and the balance transaction, for its fee. */
export const EXPAND = ['latest_charge.balance_transaction'];

/** Cancellation reason of a declined intent. It marks the decline, which Stripe may remove from the intent. */
export const CLOSED_AS_DECLINED = 'abandoned';

/** Converts a payment intent. One that waits for another card is `declined`, or `created` if it never had one. */
export function paymentSnapshot(intent: Stripe.PaymentIntent): PaymentSnapshot {
  const charge = readCharge(intent);
  const state = toState(intent);
  const type = methodType(intent);
  const isDecline = state === 'declined' || state === 'failed';
  return {
    reference: intent.id,
    attemptId: ourId('paymentAttempt', intent.metadata.attempt),
    state,
    wasProcessing: isDecline && type === 'us_bank_account' && wasSent(charge),
    amountCents: intent.amount,
    currency: intent.currency,
    method: toMethod(type, charge),
    feeCents: readFee(charge),
    statementDescriptor: charge?.calculated_statement_descriptor ?? null,
    failureReason: isDecline ? toFailure(intent, charge) : null,
    clientAction:
      state === 'requires_action' && intent.client_secret !== null
        ? { kind: 'script', clientSecret: intent.client_secret }
        : null,
  };
}

export function listedPayment(intent: Stripe.PaymentIntent): ListedPayment {
  const { reference, attemptId, state, amountCents } = paymentSnapshot(intent);
  const paymentLinkId = ourId('paymentLink', intent.metadata.payment_link);
  return { reference, attemptId, paymentLinkId, state, amountCents };
}

/** Returns true if Stripe declined the intent and would accept another method. Such an intent is not final. */
export function isDeclined(intent: Stripe.PaymentIntent): boolean {
  return intent.status === 'requires_payment_method' && intent.last_payment_error !== null;
}

function toState(intent: Stripe.PaymentIntent): PaymentState {
  switch (intent.status) {
    case 'succeeded':
      return 'succeeded';
    // For a card, Stripe does not know the outcome yet. It may decline the card, and then the link must be payable.
    case 'processing':
      return methodType(intent) === 'card' ? 'created' : 'processing';
    case 'requires_action':
      return 'requires_action';
    case 'canceled':
      return wasDeclined(intent) ? 'failed' : 'cancelled';
    default:
      return isDeclined(intent) ? 'declined' : 'created';
  }
}

/** Looks for any sign of a decline on a cancelled intent. Stripe guarantees none of them. */
function wasDeclined(intent: Stripe.PaymentIntent): boolean {
  return (
    intent.last_payment_error !== null ||
    intent.cancellation_reason === CLOSED_AS_DECLINED ||
    readCharge(intent)?.status === 'failed'
  );
}

function readCharge({ latest_charge: charge }: Stripe.PaymentIntent): Stripe.Charge | null {
  return typeof charge === 'object' ? charge : null;
}

function methodType({ allowed_payment_method_types: allowed }: Stripe.PaymentIntent): MethodType {
  return allowed?.includes('us_bank_account') ? 'us_bank_account' : 'card';
}

function toMethod(type: MethodType, charge: Stripe.Charge | null): PaymentSnapshot['method'] {
  const details = charge?.payment_method_details ?? null;
  if (type === 'card') return { type, brand: details?.card?.brand ?? null, last4: details?.card?.last4 ?? null };
  return { type, brand: null, last4: details?.us_bank_account?.last4 ?? null };
}

/** Returns true if the bank returned the debit. A debit that Stripe refused was never sent to the network. */
function wasSent(charge: Stripe.Charge | null): boolean {
  const { network_status: status = null, type = null } = charge?.outcome ?? {};
  return status !== null && status !== 'not_sent_to_network' && type !== 'blocked' && type !== 'invalid';
}

/** Returns the fee; null until Stripe has booked it, usually after the payment succeeded. */
function readFee(charge: Stripe.Charge | null): number | null {
  const booking = charge?.balance_transaction ?? null;
  return typeof booking === 'object' && booking !== null ? booking.fee : null;
}

/** Returns the most specific code that is published. For an unknown decline code, returns the error code. */
function toFailure({ last_payment_error: error }: Stripe.PaymentIntent, charge: Stripe.Charge | null): string {
  const { decline_code: declineCode, code } = error ?? {};
  const publishedCode = declineCode !== undefined && findDecline(declineCode) !== undefined ? declineCode : undefined;
  return toReason(publishedCode ?? code ?? declineCode ?? charge?.failure_code, 'declined');
}

/** Final states of refunds. Every other status counts as pending. */
const REFUND_STATES: Readonly<Record<string, RefundSnapshot['state']>> = {
  succeeded: 'succeeded',
  failed: 'failed',
  canceled: 'failed',
};

export function refundSnapshot(refund: Stripe.Refund): RefundSnapshot {
  return {
    reference: refund.id,
    refundId: ourId('refund', refund.metadata?.refund),
    paymentReference: readId(refund.payment_intent) ?? '',
    amountCents: refund.amount,
    currency: refund.currency,
    state: REFUND_STATES[refund.status ?? ''] ?? 'pending',
  };
}

/** Decided disputes. Every other status is open, except for inquiries. */
const OUTCOMES: Readonly<Record<string, DisputeSnapshot['state']>> = {
  won: 'won',
  lost: 'lost',
  prevented: 'withdrawn',
};

/** Converts a dispute; null for an inquiry, which moves no money. */
export function disputeSnapshot(dispute: Stripe.Dispute): DisputeSnapshot | null {
  const paymentReference = readId(dispute.payment_intent);
  if (paymentReference === null || dispute.status.startsWith('warning_')) return null;
  const { status, evidence_details: evidence } = dispute;
  return {
    reference: dispute.id,
    paymentReference,
    amountCents: dispute.amount,
    currency: dispute.currency,
    reason: toReason(dispute.reason, 'general'),
    state: OUTCOMES[status] ?? 'open',
    evidenceDueBy: evidence.due_by ? new Date(evidence.due_by * 1000) : null,
    isBankReversal: BANK_RETURN_REASONS.includes(dispute.reason),
  };
}

/** Converts an event. Events of Stripe's other mode, and of the platform's own account, are ignored. */
export function toNotification(event: Stripe.Event, isLive: boolean): Notification {
  const accountId = event.account ?? null;
  const subject = accountId === null || event.livemode !== isLive ? null : toSubject(event);
  return { id: event.id, accountId, subject: subject ?? { kind: 'ignored' } };
}

function toSubject(event: Stripe.Event): NotificationSubject | null {
  switch (event.type) {
    case 'payment_intent.processing':
    case 'payment_intent.succeeded':
    case 'payment_intent.payment_failed':
    case 'payment_intent.requires_action':
    case 'payment_intent.canceled':
      return payment(event.data.object.id);
    case 'charge.updated':
    case 'charge.succeeded':
    case 'charge.failed':
    case 'charge.refunded':
    case 'refund.created':
    case 'refund.updated':
    case 'refund.failed':
      return payment(readId(event.data.object.payment_intent));
    case 'charge.dispute.created':
    case 'charge.dispute.updated':
    case 'charge.dispute.closed':
    case 'charge.dispute.funds_withdrawn':
    case 'charge.dispute.funds_reinstated':
      return { kind: 'dispute', reference: event.data.object.id };
    case 'account.updated':
    case 'account.application.authorized':
    case 'account.application.deauthorized':
      return { kind: 'account' };
    default:
      return null;
  }
}

function payment(reference: string | null): NotificationSubject | null {
  return reference === null ? null : { kind: 'payment', reference };
}

function readId(object: string | { id: string } | null | undefined): string | null {
  return typeof object === 'string' ? object : (object?.id ?? null);
}

/** Returns our id from metadata; null for other text, because practices write metadata too. */
function ourId(kind: IdKind, text: string | undefined): string | null {
  return text !== undefined && isId(kind, text) ? text : null;
}
