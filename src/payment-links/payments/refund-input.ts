import { parseDollars } from '../../platform/base/money.ts';
import { codePoints, isCleanLine } from '../../platform/base/text.ts';

/** Longest reason of a refund, in characters. Processors accept as many. */
export const MAX_REASON_LENGTH = 500;

/** The form of a refund, as a person typed it. The choice is `all` or `part`. */
export type RefundInput = Record<'choice' | 'amount' | 'reason', string>;

/** A refund that a person has asked for, and is about to confirm. */
export interface RequestedRefund {
  amountCents: number;
  reason: string | null;
}

type RefundFault = 'no_amount' | 'two_amounts' | 'too_much' | 'taken_back' | 'not_settled' | 'reason_invalid';

/** Returns the refund that the form asks for, or why it is refused. `createRefund` checks the amount again. */
export function checkRefund(
  { refundableCents, takenBackCents }: { refundableCents: number; takenBackCents: number },
  { choice, amount, reason }: RefundInput,
): RequestedRefund | RefundFault {
  if (refundableCents < 1) return takenBackCents > 0 ? 'taken_back' : 'not_settled';
  // Someone who typed an amount and left "all" chosen means the amount, but the money would be gone.
  if (choice === 'all' && amount !== '') return 'two_amounts';
  const amountCents = choice === 'all' ? refundableCents : Math.round(parseDollars(amount) * 100);
  // An amount that cannot be read is no number.
  if (!(amountCents > 0)) return 'no_amount';
  if (amountCents > refundableCents) return takenBackCents > 0 ? 'taken_back' : 'too_much';
  if (codePoints(reason) > MAX_REASON_LENGTH || !isCleanLine(reason)) return 'reason_invalid';
  return { amountCents, reason: reason === '' ? null : reason };
}
