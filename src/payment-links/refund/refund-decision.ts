import { ApiError } from '../../base/errors.ts';
import { newId } from '../../base/ids.ts';
import { dollarsFromCents } from '../../base/money.ts';
import { announced, moved } from '../link/decide.ts';
import { simulatedContext } from '../link/events.ts';
import type { Decision, LinkState } from '../link/state.ts';
import type { RefundFields } from '../link/views.ts';
import type { Refund } from '../model/refund.entity.ts';
import type { Transaction } from '../model/transaction.entity.ts';
import type { TransactionStatus } from '../model/transitions.ts';

/* Decisions about refunds. They are pure. `apply-refunds.ts` and `write-refund.ts` write what is decided. */

/** Reason why a payment cannot be refunded, for callers that say it in other words. */
export type RefundRefusal = 'not_settled' | 'other_processor' | 'too_much' | 'id_taken';

/** A refund was refused. Nothing was recorded. */
export class RefundRefused extends ApiError {
  readonly reason: RefundRefusal;
  /** Amount that can still be refunded; null if that is not the reason. */
  readonly refundableCents: number | null;

  constructor(reason: RefundRefusal, param: string, message: string, refundableCents: number | null = null) {
    super('validation_error', { param, message });
    this.reason = reason;
    this.refundableCents = refundableCents;
  }
}

/** Returns the cents of the payment that are not refunded yet. Pending refunds count, because they may succeed. */
export function refundableCentsOf(
  { amountCents }: Pick<Transaction, 'amountCents'>,
  refunds: readonly Pick<Refund, 'amountCents' | 'status'>[],
): number {
  return amountCents - sumCents(refunds.filter(({ status }) => status !== 'failed'));
}

/** Adds up amounts in cents. */
export function sumCents(amounts: readonly { amountCents: number }[]): number {
  return amounts.reduce((sum, { amountCents }) => sum + amountCents, 0);
}

/**
 * Returns the cents to refund.
 *
 * @param amountCents null for all that can be refunded
 * @throws RefundRefused `too_much` if less can be refunded
 */
export function amountToRefund(refundableCents: number, amountCents: number | null): number {
  const cents = amountCents ?? refundableCents;
  if (cents < 1 || cents > refundableCents) {
    const message = `At most ${dollarsFromCents(refundableCents)} dollars are left to refund.`;
    throw new RefundRefused('too_much', 'amount', message, refundableCents);
  }
  return cents;
}

/** Fields of a new refund. Without an id, it gets a new one. */
export type RefundInput = Pick<Refund, 'amountCents' | 'reason' | 'processorReference'> &
  Partial<Pick<Refund, 'id' | 'bankReversalId'>>;

/** Returns a new pending refund of the transaction. */
export function pendingRefund(
  { id, practiceId, paymentLinkId }: Pick<Transaction, 'id' | 'practiceId' | 'paymentLinkId'>,
  input: RefundInput,
  now: Date,
): Refund {
  return {
    bankReversalId: null,
    id: newId('refund', now),
    ...input,
    ...{ practiceId, paymentLinkId, transactionId: id },
    ...{ status: 'pending', createdAt: now },
  };
}

/**
 * Returns the status of a transaction after one more refund: fully refunded if the refund takes all of `refundableCents`.
 */
export function statusWithRefund(
  status: TransactionStatus,
  amountCents: number,
  refundableCents: number,
): TransactionStatus {
  return moved(status, amountCents >= refundableCents ? 'refund_fully' : 'refund_partly');
}

/** Decides that a refund has succeeded: its event shows the state with the refund. */
export function refunded(state: LinkState, { amountCents }: Pick<RefundFields, 'amountCents'>): Decision {
  const { link } = state;
  const context = { refundAmount: dollarsFromCents(amountCents), ...simulatedContext(link.closedBy) };
  return announced(state, { type: 'payment_link.refunded', context });
}
