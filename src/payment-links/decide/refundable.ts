import { ApiError } from '../../platform/base/errors.ts';
import { dollarsFromCents } from '../../platform/base/money.ts';
import type { LinkState, TransactionState } from '../state/state.ts';

/* The refundable amount: the payment, less the refunds that did not fail, less what the bank took back. Open disputes take nothing yet. */

/** Parts of a link's state that move its money. */
interface MoneyState {
  transaction: Pick<TransactionState, 'status' | 'amountCents'> | null;
  refunds: readonly Pick<LinkState['refunds'][number], 'status' | 'amountCents' | 'bankReversalId'>[];
  disputes: readonly Pick<LinkState['disputes'][number], 'status' | 'amountCents'>[];
  reversals: readonly Pick<LinkState['reversals'][number], 'amountCents'>[];
}

type RefundRefusal = 'not_settled' | 'other_processor' | 'too_much' | 'taken_back' | 'id_taken';

/** A refund was refused, and nothing recorded. The reason is for callers with other texts, such as the console. */
export class RefundRefused extends ApiError {
  readonly reason: RefundRefusal;

  constructor(reason: RefundRefusal, param: string, message: string) {
    super('validation_error', { param, message });
    this.reason = reason;
  }
}

export function sumCents(amounts: readonly { amountCents: number }[]): number {
  return amounts.reduce((sum, { amountCents }) => sum + amountCents, 0);
}

/** Returns the cents of refunds that did not fail. Pending ones may succeed. Records of bank reversals do not count. */
export function sumRefunded({ refunds }: MoneyState): number {
  return sumCents(refunds.filter(({ status, bankReversalId }) => status !== 'failed' && bankReversalId === null));
}

/** Returns the cents that the patient's bank took back: bank reversals and lost disputes. */
export function sumTakenBack({ disputes, reversals }: MoneyState): number {
  return sumCents(reversals) + sumCents(disputes.filter(({ status }) => status === 'lost'));
}

/** Returns the cents that can still be refunded; zero unless the payment has settled. */
export function sumRefundable(state: MoneyState): number {
  const { transaction } = state;
  if (transaction?.status !== 'succeeded' && transaction?.status !== 'refunded') return 0;
  return Math.max(0, transaction.amountCents - sumRefunded(state) - sumTakenBack(state));
}

/** Returns the cents to refund: these, or all that can be refunded. @throws RefundRefused `too_much`, `taken_back` */
export function amountToRefund(state: MoneyState, amountCents: number | null): number {
  const refundableCents = sumRefundable(state);
  const cents = amountCents ?? refundableCents;
  if (cents >= 1 && cents <= refundableCents) return cents;
  const limit = `At most ${dollarsFromCents(refundableCents)} dollars are left to refund.`;
  const takenBack = describeTakenBack(state);
  if (takenBack === null) throw new RefundRefused('too_much', 'amount', limit);
  throw new RefundRefused('taken_back', 'amount', `${limit} ${takenBack}`);
}

/** Says in a sentence what the patient's bank took back; null if it took nothing. */
export function describeTakenBack(state: MoneyState): string | null {
  const takenCents = sumTakenBack(state);
  if (takenCents === 0) return null;
  const cause = state.reversals.length > 0 ? 'a bank reversal' : 'a lost dispute';
  return `The patient’s bank took ${dollarsFromCents(takenCents)} dollars back by ${cause}.`;
}
